"""Measuring an agent's strength: matches against other agents, and statistics of their games."""
