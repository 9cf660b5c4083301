"""From logs to networks: decisions as the flow would ask for them, training, and how good it became."""
