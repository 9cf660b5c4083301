"""Supervised learning from game logs: training the networks, and measuring their agreement with human moves."""
