"""Agents: the decision flow over the five networks, and one interface for everything that makes decisions."""
