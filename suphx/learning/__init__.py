"""Learning by policy gradient from arrays of experience: it knows nothing of games, of Ray or of files."""
