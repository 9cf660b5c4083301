"""The section of the report about self-play: settings, measurements, and the start and end of the curves."""

import numpy as np

from suphx.report.curves import Curve
from suphx.report.parts import SelfPlay
from suphx.report.words import decimals, signed, table, with_interval
from suphx.reward.rounds import PhiReward

#: Curves of every model that learns: name, description, and what the curve should do.
_MODEL_CURVES = (
    ("entropy", "entropy (nats)", "follow its target"),
    ("entropy_target", "its target", ""),
    ("alpha", "alpha, the weight of the entropy", "settle"),
    ("kl_behaviour", "KL from the policy that played (nats)", "stay below 0.05"),
    ("weight_mean", "importance weight, mean", "stay near 1"),
    ("weight_max", "importance weight, highest of a step", "be a few"),
    ("rejected", "share of questions rejected for their importance weight", "stay near 0"),
)
_OTHER_CURVES = (
    ("play/reward_spread", "spread of the rounds' rewards", "not vanish"),
    ("rate/games_per_s", "finished games/s", ""),
    ("rate/decisions_per_s", "decisions/s", "stay level"),
)
#: Share of a curve over which its start and its end are averaged.
_END = 0.1


def selfplay_section(found: SelfPlay) -> list[str]:
    """Return the lines of the section."""
    return [*_settings(found), *_measurements(found), *_ends(found)]


def _settings(found: SelfPlay) -> list[str]:
    config = found.config
    reward = config.reward
    if isinstance(reward, PhiReward):
        source = f"`{reward.predictor}`" if reward.predictor else "the predictor that comes with the program"
        words = f"the change of Phi ({source})"
    else:
        words = "the points gained"
    stopped = "" if found.games >= config.games else f" of {config.games:,}"
    return [
        f"{found.games:,} games{stopped}, starting from `{config.start}`. Networks that learn: "
        f"{', '.join(config.learning.models)}. A round's reward is {words}. Learning rate "
        f"{config.learning.learning_rate:g}, {config.learning.batch:,} questions per step.",
    ]


def _measurements(found: SelfPlay) -> list[str]:
    if not found.measurements or found.config.evaluation is None:
        return []
    settings = found.config.evaluation
    rows = [
        (f"{each.games:,} games", with_interval(each.average_rank, decimals), with_interval(each.less_start, signed))
        for each in found.measurements
    ]
    return [
        "",
        f"During training the agent was measured against three `{settings.opponent}`, each time on the same "
        f"{settings.deals:,} deals. Lower is better; 95 % intervals in brackets.",
        *table(("after", "average rank", "minus the start's"), rows),
    ]


def _ends(found: SelfPlay) -> list[str]:
    if not found.curves:
        return ["", "There are no curves."]
    models = found.config.learning.models
    rows = []
    for model in models:
        title = f"{model}: " if len(models) > 1 else ""
        named = [(f"{model}/{name}", title + words, should) for name, words, should in _MODEL_CURVES]
        rows += [_row(found, *each) for each in named]
    rows += [_row(found, *each) for each in _OTHER_CURVES]
    head = ("figure", f"mean of the first {_END:.0%}", f"of the last {_END:.0%}", "should")
    return table(head, [row for row in rows if row is not None])


def _row(found: SelfPlay, name: str, words: str, should: str) -> tuple[str, str, str, str] | None:
    curve = found.curves.get(name)
    if curve is None:
        return None
    first, last = start_and_end(curve)
    return words, decimals(first), decimals(last), should


def start_and_end(curve: Curve) -> tuple[float, float]:
    """Return the means over the first and the last part of a curve."""
    count = max(1, round(_END * len(curve.values)))
    return float(np.mean(curve.values[:count])), float(np.mean(curve.values[-count:]))
