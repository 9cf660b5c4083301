"""Sections of the report: the five networks, the reward predictor, and the agent before and after self-play."""

from pathlib import Path

import numpy as np

from suphx.evaluation.measures import MEASURE
from suphx.report.curves import Curve
from suphx.report.parts import MEASURE_NAMES, REWARD_FOLDER, Difference, Evaluation, SelfPlay, Supervised
from suphx.report.pictures import PICTURES_FOLDER
from suphx.report.words import decimals, is_clear, picture, power, signed, table, told, with_interval
from suphx.reward.baselines import BASELINES
from suphx.reward.evaluation import ALL_ROUNDS, PREDICTOR, Errors
from suphx.reward.registry import REWARDS
from suphx.reward.rounds import PhiReward
from suphx.reward.run import CALIBRATION_PLOT_NAME, GAME_PLOT_NAME, Results
from suphx.supervised.results import count_words, percent
from suphx.supervised.results import with_interval as accuracy_words

#: Plots of `suphx evaluate --plots`, with their captions.
_EVALUATION_PICTURES = {
    "ranks": "How often each came first to fourth",
    "running": "The stable rank after more and more games",
    "stable-rank": "Stable ranks of samples of the deals",
}


def supervised_section(found: Supervised) -> list[str]:
    """Return the lines about the five networks."""
    rows = []
    for name, each in found.models.items():
        trained = "-" if each.training_pairs is None else count_words(each.training_pairs)
        accuracy = f"{accuracy_words(each.model_dump())} %" if each.pairs else "-"
        rows.append((name, accuracy, f"{percent(each.commoner_answer)} %", count_words(each.pairs), trained))
    return [
        f"Learned from {found.data}. *Accuracy* is how often a network chooses as the players did, on held-out games, "
        "with its 95 % interval. *Commonest answer* is what always giving the commonest answer would reach. A "
        "*pair* is a position and the player's choice.",
        *table(("network", "accuracy", "commonest answer", "test pairs", "training pairs"), rows),
    ]


def reward_section(found: Results, folder: Path) -> list[str]:
    """Return the lines about the reward predictor; folder: the run's folder."""
    errors = found.evaluation.errors[ALL_ROUNDS]
    rows = []
    for name in (PREDICTOR, *BASELINES):
        gap = errors[name].excess
        words = f"**Phi**, the {name}" if name == PREDICTOR else f"{name}: {BASELINES[name]}"
        rows.append((words, errors[name].rmse.text(2), "" if gap is None else gap.text(2)))
    return [
        "After each round Phi predicts what the game will be worth to each seat at its end. In self-play the change of "
        f"Phi over a round is the round's reward. Unit: {found.units}. It learned from {found.games['training']:,} "
        f"games ({found.source}) and is compared with {len(BASELINES)} simple predictors on "
        f"{found.evaluation.games:,} other games.",
        *table(("predictor", "error (RMSE)", "its error minus Phi's"), rows),
        _against_best(errors),
        "",
        f"Calibration slope (outcome against prediction): {found.evaluation.calibration_slope.text(2)}. 1 is "
        "calibrated; below 1 the predictions are too bold, above 1 too timid.",
        *picture(folder, folder / REWARD_FOLDER / CALIBRATION_PLOT_NAME, "Outcomes against predictions"),
        *picture(folder, folder / REWARD_FOLDER / GAME_PLOT_NAME, "Phi along a game"),
    ]


def _against_best(errors: dict[str, Errors]) -> str:
    best = min(BASELINES, key=lambda name: errors[name].rmse.value)
    excess = errors[best].excess
    if excess is None or excess.low <= 0 <= excess.high:
        return f"These games do **not show a difference** between Phi and the best simple predictor (*{best}*)."
    if excess.low > 0:
        return f"Phi is better than the best simple predictor (*{best}*): the interval excludes zero."
    return f"The best simple predictor (*{best}*) is **better than Phi**: the interval excludes zero."


def evaluation_section(found: Evaluation, folder: Path) -> list[str]:
    """Return the lines about the agents before and after self-play; folder: the run's folder."""
    field = ", ".join(f"`{name}`" for name in dict.fromkeys(found.field))
    lines = [
        f"Each agent sat on all four seats of the same {found.deals:,} deals against three of {field}: {found.games:,} "
        f"games in all, rules `{found.rules}`. In brackets are 95 % intervals over deals.",
    ]
    if found.interrupted:
        lines += ["", "**The match was interrupted**: the numbers are for the deals that were complete."]
    for gap in found.differences:
        lines += _compared(found, gap)
    lines += [
        "",
        "*Average rank*: 1 is always first, 4 always last, 2.5 as good as the opponents; lower is better. *Stable "
        "rank*: the dan at which a player with these places would neither rise nor fall on Tenhou's ladder, with "
        "the prizes of its expert or phoenix room; higher is better. It is about games against these opponents, not "
        "against people. *Detectable*: a true difference of this size is detected in four such measurements out of "
        "five. The intervals of differences in bold exclude zero.",
    ]
    for name, words in _EVALUATION_PICTURES.items():
        lines += picture(folder, folder / PICTURES_FOLDER / f"{name}.png", words)
    return lines


def _compared(found: Evaluation, gap: Difference) -> list[str]:
    before, after = found.agents[gap.against], found.agents[gap.agent]
    rows = []
    for name in MEASURE_NAMES:
        measure, difference = MEASURE[name], getattr(gap, name)
        rows.append((
            measure.words,
            with_interval(getattr(before, name), measure.text),
            with_interval(getattr(after, name), measure.text),
            ("**{}**" if is_clear(difference) else "{}").format(with_interval(difference, measure.difference_text)),
            measure.difference_text(difference.smallest_difference).removeprefix("+"),
        ))  # fmt: skip
    head = ("", f"before: `{gap.against}`", f"after: `{gap.agent}`", "after minus before", "detectable")
    return [*table(head, rows), f"{told(gap.average_rank)} {power(gap.average_rank)}"]


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
    ("play/reward_std", "standard deviation of the rounds' rewards", "not vanish"),
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
        words = next(each.description for each in REWARDS if each.name == reward.kind)
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
    wanted = []
    for model in models:
        title = f"{model}: " if len(models) > 1 else ""
        wanted += [(f"{model}/{name}", title + words, should) for name, words, should in _MODEL_CURVES]
    rows = []
    for name, words, should in (*wanted, *_OTHER_CURVES):
        if name in found.curves:
            first, last = start_and_end(found.curves[name])
            rows.append((words, decimals(first), decimals(last), should))
    head = ("figure", f"mean of the first {_END:.0%}", f"of the last {_END:.0%}", "should")
    return table(head, rows)


def start_and_end(curve: Curve) -> tuple[float, float]:
    """Return the means over the first and the last part of a curve."""
    count = max(1, round(_END * len(curve.values)))
    return float(np.mean(curve.values[:count])), float(np.mean(curve.values[-count:]))
