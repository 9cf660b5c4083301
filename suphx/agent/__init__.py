"""Agents: the decision flow over the five networks, and one interface for everything that makes decisions."""

#: The agent that plays and reviews where none is named: the strongest of the weights that come with the package.
DEFAULT_AGENT = "tuned"
