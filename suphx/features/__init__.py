"""The networks' input: a position as 838 planes of 34 bits (958 with a proposed call), one uint64 per plane."""
