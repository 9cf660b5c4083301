"""Our agents as mjai bots: a seat's view turned back into a game record, and the ways a bot is spoken to."""
