"""Games solved or searched for an equilibrium, beside the large learner."""
