"""`report.md`: a run of the main job for first-time readers. All numbers come from the files of the run."""

import json
import shlex
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from simulator.files import write_whole
from suphx.errors import InputError
from suphx.evaluation.measures import MEASURE
from suphx.networks.weights import CARD_NAME
from suphx.report.plots import CURVES_FOLDER, Curves, plot_trainings, read_curves
from suphx.reward.evaluation import ALL_ROUNDS, BASELINES, PREDICTOR
from suphx.reward.run import RESULTS_NAME, RewardResults
from suphx.selfplay.folder import AGENT_FOLDER
from suphx.supervised.results import count_words, percent
from suphx.supervised.results import with_interval as accuracy_words

REPORT_NAME, PLOTS_FOLDER = "report.md", "pictures"
#: Lines of name, seconds, exit status and command of each step, separated by tabs.
STEPS_NAME = "steps.tsv"
#: The result of each part of a run, and what the part is.
PARTS = {
    "pretrain/result.json": "supervised training",
    f"reward/{RESULTS_NAME}": "the reward predictor",
    f"train/{AGENT_FOLDER}/{CARD_NAME}": "self-play",
    "evaluate/result.json": "the match before and after",
}
#: The metrics of the table of the match.
METRICS = (
    "average_rank", "stable_rank_expert", "stable_rank_phoenix", "first", "second", "third", "fourth", "win_rate",
    "deal_in_rate",
)  # fmt: skip


def write_report(folder: Path) -> None:
    """Write `report.md` and its plots into the folder of a run.

    Raises InputError, naming the file, for a damaged file, and for a folder without any part of a run.
    """
    present = [name for name in PARTS if (folder / name).exists()]
    if not present:
        raise InputError(f"{folder}: nothing to report on; a run leaves {', '.join(PARTS)} there")
    curves = read_curves(folder / "train" / CURVES_FOLDER)
    lines = [f"# Run `{folder.resolve().name}`", "", *_checked(folder / STEPS_NAME, _steps)]
    if missing := [f"{words} (`{name}`)" for name, words in PARTS.items() if name not in present]:
        lines += ["", f"Not here or not finished: {', '.join(missing)}."]
    sections = (_pretrain, _reward, lambda data: _train(data, curves), _match)
    plots = ("", "reward/*.png", f"{PLOTS_FOLDER}/selfplay.png", f"{PLOTS_FOLDER}/r*.png")
    if curves:
        plot_trainings(folder / PLOTS_FOLDER / "selfplay.png", {"self-play": curves})
    for name, section, pattern in zip(PARTS, sections, plots, strict=True):
        if name in present:
            lines += ["", *_checked(folder / name, section)]
            for path in sorted(folder.glob(pattern)) if pattern else ():
                lines += ["", f"![{path.stem}]({path.relative_to(folder).as_posix()})"]
    lines += ["", "## What next", "", "```sh", f"cd {shlex.quote(str(folder.resolve()))}", *_NEXT, "```", ""]
    write_whole(folder / REPORT_NAME, "\n".join(lines).encode())


_NEXT = (
    "tensorboard --logdir .  # all curves, in the browser",
    "suphx evaluate --challenger train/agent --field sensible --games 1000  # another opponent",
    "suphx bot --agent train/agent  # as a bot for any host that speaks mjai",
)


def _checked(path: Path, section: Callable[[str], list[str]]) -> list[str]:
    """Return the lines of a section about a file; raises InputError, naming the file, if its content is wrong."""
    try:
        return section(path.read_text("utf-8", errors="replace") if path.exists() else "")
    except (ValueError, KeyError, TypeError, AttributeError) as error:  # a ValidationError is a ValueError
        problem = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(f"{path}: not in the format that this program writes: {problem}") from error


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return ["", *(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)), ""]


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def _steps(text: str) -> list[str]:
    """Return the lines about the times of the steps; the last call of a step says whether it finished."""
    calls: dict[str, list[tuple[float, int, str]]] = {}
    for line in text.splitlines():
        name, seconds, status, command = line.split("\t")
        calls.setdefault(name, []).append((float(seconds), int(status), command))
    if not calls:
        return [f"The times of the steps are not known: there is no `{STEPS_NAME}`."]
    rows, total = [], 0.0
    for name, each in calls.items():
        spent = sum(taken for taken, _, _ in each)
        _, exit_status, last_command = each[-1]
        time = _time(spent) + (f" in {len(each)} calls" if len(each) > 1 else "")
        finished = f"no: exit status {exit_status}" if exit_status else "yes"
        rows.append((name, time, finished, last_command and f"`{last_command}`"))
        total += spent
    return [*_table(("step", "time", "finished", "command"), rows), f"All steps took {_time(total)}."]


def _pretrain(text: str) -> list[str]:
    result = json.loads(text)
    rows = [
        (
            name,
            f"{accuracy_words(each)} %" if each["pairs"] else "-",
            f"{percent(each.get('commoner_answer'))} %",
            count_words(each["pairs"]),
        )
        for name, each in result["models"].items()
    ]
    return [
        "## Learning from games",
        "",
        f"Learned from {result['about']['data']}. *Agreement* with human moves is on held-out games, with its 95 % "
        "interval; *commonest* is what always giving the commonest answer would reach.",
        *_table(("network", "agreement", "commonest", "test pairs"), rows),
    ]


def _reward(text: str) -> list[str]:
    result = RewardResults.model_validate_json(text, extra="ignore")
    errors = result.evaluation.errors[ALL_ROUNDS]
    best = min(BASELINES, key=lambda name: errors[name].rmse.value)
    excess = errors[best].excess
    return [
        "## The reward predictor",
        "",
        "Phi predicts after each round what the game will be worth to a seat; a round's reward is the change of Phi. "
        f"It learned from {result.games['training']:,} games. On {result.evaluation.games:,} other games its RMSE is "
        f"{errors[PREDICTOR].rmse.text(2)} {result.units}; the RMSE of the best simple predictor (*{best}*) minus "
        f"Phi's is {excess.text(2) if excess else '-'}.",
    ]


def _train(text: str, curves: Curves) -> list[str]:
    about = json.loads(text)["about"]
    config, games = json.loads(about["config"]), int(about["games"].replace(",", ""))
    planned = config["games"]
    lines = [
        "## Self-play",
        "",
        f"Started from `{config['start']}` and learned from {games:,}"
        f"{'' if games >= planned else f' of {planned:,}'} games against itself. Networks that learn: "
        f"{', '.join(config['learning']['models'])}.",
    ]
    gaps, low, high = (dict(curves.get(f"evaluation/less_start{end}", ())) for end in ("", "_low", "_high"))
    rows = [
        (f"{at:,}", f"{gap:+.3f} ({low[at]:+.3f} to {high[at]:+.3f})")
        for at, gap in gaps.items()
        if at in low and at in high
    ]
    return lines + (_table(("after games", "average rank minus the start's (lower is better)"), rows) if rows else [])


def _match(text: str) -> list[str]:
    result = json.loads(text)
    field = ", ".join(f"`{name}`" for name in dict.fromkeys(result["field"]))
    lines = [
        "## Before and after self-play",
        "",
        f"{result['games']:,} games under the rules `{result['rules']}`: each agent took all four seats of the same "
        f"{result['deals']:,} deals against three of {field}. 95 % intervals in brackets; a lower average rank is "
        "better.",
    ]
    if result["interrupted"]:
        lines += ["", "**The match was interrupted**: the numbers are for the deals that were complete."]
    for gap in result["differences"]:
        before, after = result["agents"][gap["against"]], result["agents"][gap["agent"]]
        rows = []
        for name in METRICS:
            measure = MEASURE[name]
            cells = [_with_interval(each[name], measure.text) for each in (before, after)]
            rows.append((measure.words, *cells, _with_interval(gap[name], measure.difference_text)))
        lines += _table(("", f"before: `{gap['against']}`", f"after: `{gap['agent']}`", "after minus before"), rows)
        lines.append(_verdict(*gap["average_rank"]["interval"]))
    return lines


def _with_interval(metric: dict[str, Any], text: Callable[[float | None], str]) -> str:
    low, high = metric["interval"]
    return f"{text(metric['value'])} ({text(low)} to {text(high)})"


def _verdict(low: float | None, high: float | None) -> str:
    """Return a sentence on whether the interval of a difference of average ranks is clear of zero."""
    if low is None or high is None:
        return "Too few games were played to say anything about the difference."
    if low <= 0 <= high:
        return "**The interval includes zero**: these games do not show whether self-play helped or harmed."
    return f"Self-play made the agent **{'better' if high < 0 else 'worse'}**: the interval excludes zero."
