"""The properties that every game record must have: `records.check`, and `run` over many games."""
