"""Hold'em: cards, equity, endgames, deep counterfactual values, and a player for two to six seats."""
