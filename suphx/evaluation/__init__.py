"""How strong an agent is: games against others, and what they say."""
