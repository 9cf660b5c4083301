"""Game logs as training data: prepared once, filtered, split, and loaded as chunks of planes and answers."""
