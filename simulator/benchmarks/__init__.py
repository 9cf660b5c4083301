"""Measurements of speed, our own against the best known peers in the same run."""
