"""What the networks see: a position as 838 planes of 34 bits (958 for a proposed call), one uint64 a plane."""
