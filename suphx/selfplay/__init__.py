"""Self-play: games of the latest policy against itself, and learning from them."""
