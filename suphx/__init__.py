"""The player: features, networks, training and evaluation around the table in `simulator`, and the command line."""
