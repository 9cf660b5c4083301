"""Supervised learning from game logs: extracting training pairs, training the networks, and evaluating them."""
