"""Self-play: games of the latest policies, and what the networks learn from them."""
