"""Forecasts for clusters: a simulation of the queues between the roles, with measured and assumed costs."""
