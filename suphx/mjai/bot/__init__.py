"""Our agents as mjai bots: a game record rebuilt from a seat's events, and the protocols for talking to a bot."""
