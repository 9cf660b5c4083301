"""What a cluster would do: the queues between the roles of self-play, simulated with measured and assumed costs."""
