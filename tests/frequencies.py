"""Counted outcomes held against exact probabilities."""

import numpy as np


def check_frequencies(seen, weights):
    """Chi-squared of counted outcomes against weights; the bound is five standard deviations."""
    assert set(seen) <= set(weights), "an outcome that is impossible"
    total, draws = sum(weights.values()), sum(seen.values())
    expected = {outcome: draws * weight / total for outcome, weight in weights.items()}
    rare = {outcome for outcome, mean in expected.items() if mean < 5}
    cells = [(seen[outcome], mean) for outcome, mean in expected.items() if outcome not in rare]
    if rare:
        cells.append((sum(seen[outcome] for outcome in rare), sum(expected[outcome] for outcome in rare)))
    chi_squared = sum((count - mean) ** 2 / mean for count, mean in cells)
    freedom = len(cells) - 1
    assert freedom > 0
    assert abs(chi_squared - freedom) < 5 * np.sqrt(2 * freedom)
