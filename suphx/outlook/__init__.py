"""The outlook: what each discard risks, and what a position is worth, learned from logs."""
