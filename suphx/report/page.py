"""`report.md`: a run of the main job for first-time readers. All numbers come from the files of the run."""

import json
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from simulator.files import write_whole
from suphx.errors import InputError
from suphx.networks.weights import CARD_NAME
from suphx.report.plots import CURVES_FOLDER, Curves, plot_gain, plot_trainings, read_curves
from suphx.reward.evaluation import ALL_ROUNDS, BASELINES, PREDICTOR
from suphx.reward.run import RESULTS_NAME, RewardResults
from suphx.selfplay.folder import AGENT_FOLDER
from suphx.supervised.results import count_words, percent
from suphx.supervised.results import with_interval as accuracy_words

REPORT_NAME, PLOTS_FOLDER = "report.md", "pictures"
#: Lines of name, seconds, exit status, command and planned seconds of each step, separated by tabs.
STEPS_NAME = "steps.tsv"
_RESULT_NAME = "result.json"
#: Agents that have learned much and little from games, and the folders of self-play from either.
SUPERVISED, WEAK = "pretrain/agent", "weak/agent"
TRAIN_WEAK, TRAIN = "train-weak", "train"
#: What may make an agent stronger, by the folder of the match of the agents after and before it.
GAINS = {
    "match-weak": "self-play, from an agent that has seen little",
    "match-supervised": "more supervised training, instead",
    "match": "self-play, from an agent that has seen much",
}


@dataclass(frozen=True)
class Call:
    """A call of a step's command."""

    seconds: float
    status: int
    command: str
    planned: float | None
    """Seconds that were planned for it; None for what is not planned."""


def steps_in(path: Path) -> dict[str, list[Call]]:
    """Return the calls of each step that are noted in a file; none if there is no file.

    Raises InputError, naming the file, for a line of another form.
    """
    steps: dict[str, list[Call]] = {}
    text = path.read_text("utf-8", errors="replace") if path.exists() else ""
    for number, line in enumerate(text.splitlines(), 1):
        try:
            name, seconds, status, command, *planned = line.split("\t")
            call = Call(float(seconds), int(status), command, float(planned[0]) if planned else None)
        except ValueError as error:
            raise InputError(f"{path}: line {number} is not of the form that this program writes: {error}") from error
        steps.setdefault(name, []).append(call)
    return steps


def duration(seconds: float) -> str:
    """Return a time in words."""
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes else f"{rest} s"


def write_report(folder: Path) -> None:
    """Write `report.md` and its plots into the folder of a run.

    Raises InputError, naming the file, for a damaged file, and for a folder without any part of a run.
    """
    if (folder / CURVES_FOLDER).is_dir() or (folder / AGENT_FOLDER / CARD_NAME).exists():
        _write_training(folder)
        return
    trainings = {name: read_curves(folder / name / CURVES_FOLDER) for name in (TRAIN_WEAK, TRAIN)}
    parts: dict[str, Callable[[str], list[str]]] = {
        f"pretrain/{_RESULT_NAME}": _pretrain,
        f"reward/{RESULTS_NAME}": _reward,
        f"{TRAIN_WEAK}/{AGENT_FOLDER}/{CARD_NAME}": _selfplay,
        f"{TRAIN}/{AGENT_FOLDER}/{CARD_NAME}": _selfplay,
    }
    matches = [f"{name}/{_RESULT_NAME}" for name in GAINS]
    present = [name for name in (*matches, *parts) if (folder / name).exists()]
    if not present:
        raise InputError(f"{folder}: nothing to report on; a run leaves {', '.join((*matches, *parts))} there")
    gains = {
        name: _checked(folder / name / _RESULT_NAME, _gain) for name in GAINS if f"{name}/{_RESULT_NAME}" in present
    }
    lines = [f"# Run `{folder.resolve().name}`", *_opening(folder, gains, trainings[TRAIN_WEAK])]
    lines += [line for name, part in parts.items() if name in present for line in ("", *_checked(folder / name, part))]
    with_steps = {
        name: curves for name, curves in trainings.items() if any(curve.endswith("/entropy") for curve in curves)
    }
    if with_steps:  # not so short a training that it has not taken a step
        plot_trainings(folder / PLOTS_FOLDER / "selfplay.png", with_steps)
        lines += ["", f"![the curves of self-play]({PLOTS_FOLDER}/selfplay.png)"]
    lines += ["", "## Steps", "", *_steps(folder / STEPS_NAME)]
    if missing := [f"`{name}`" for name in (*matches, *parts) if name not in present]:
        lines += ["", f"Not here or not finished: {', '.join(missing)}."]
    agent = f"{TRAIN}/{AGENT_FOLDER}" if (folder / TRAIN / AGENT_FOLDER / CARD_NAME).exists() else SUPERVISED
    following = [f"{command.format(agent=agent):<45} # {words}" for command, words in _NEXT]
    lines += ["", "## What next", "", "```sh", f"cd {shlex.quote(str(folder.resolve()))}", *following, "```", ""]
    write_whole(folder / REPORT_NAME, "\n".join(lines).encode())


def _write_training(folder: Path) -> None:
    """Write the report of a folder that `suphx train` has written: where it stands, and its curves."""
    curves, card = read_curves(folder / CURVES_FOLDER), folder / AGENT_FOLDER / CARD_NAME
    lines = [f"# Training `{folder.resolve().name}`", ""]
    lines += _checked(card, _selfplay) if card.exists() else ["It has not written an agent yet."]
    if curves:
        rows = [(f"`{name}`", f"{points[0][1]:.4g}", f"{points[-1][1]:.4g}", f"{points[-1][0]:,}")
                for name, points in curves.items()]  # fmt: skip
        lines += ["", *_table(("curve", "first", "last", "at"), rows)]
    if any(name.endswith("/entropy") for name in curves):
        plot_trainings(folder / PLOTS_FOLDER / "selfplay.png", {folder.resolve().name: curves})
        lines += [f"![the curves of self-play]({PLOTS_FOLDER}/selfplay.png)", ""]
    write_whole(folder / REPORT_NAME, "\n".join(lines).encode())


#: What to do next: commands with their words.
_NEXT = (
    ("suphx web --agent {agent}", "play against it, in the browser"),
    ("suphx evaluate --challenger {agent} --field sensible --games 1000", "measure it against another opponent"),
    ("tensorboard --logdir .", "all curves, in the browser"),
    ("suphx quickstart --minutes 60 --out ../hour", "larger networks and more games"),
    ("suphx quickstart --logs LOGS --out ../logs", "from real games, in any format that suphx reads"),
    ("suphx train workstation", "on a GPU, from the included weights"),
    ("suphx train cluster --address HOST:6379", "on many machines with Ray"),
)


def _checked(path: Path, section: Callable[[str], Any]) -> Any:
    """Return what a function makes of a file; raises InputError, naming the file, if its content is wrong."""
    try:
        return section(path.read_text("utf-8", errors="replace"))
    except (ValueError, KeyError, TypeError, AttributeError, IndexError) as error:  # a ValidationError is a ValueError
        problem = f"no {error}" if isinstance(error, KeyError) else str(error)
        raise InputError(f"{path}: not in the format that this program writes: {problem}") from error


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    return ["", *(f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)), ""]


@dataclass(frozen=True)
class _Gain:
    """How much higher, and so worse, the average rank is before something than after it."""

    before: str
    after: str
    games: int
    value: float
    low: float
    high: float
    is_whole: bool

    def __str__(self) -> str:
        return f"{self.value:+.3f} ({self.low:+.3f} to {self.high:+.3f})"


def _gain(text: str) -> _Gain:
    result = json.loads(text)
    gap = result["differences"][0]
    low, high = (float(end) for end in gap["average_rank"]["interval"])
    value = float(gap["average_rank"]["value"])
    return _Gain(
        gap["against"], gap["agent"], int(result["games"]), 0 - value, 0 - high, 0 - low, not result["interrupted"]
    )


#: Instead of what self-play gained.
NO_GAME = (
    "**No game of self-play ended in its time**, so nothing is shown of it: the machine was busy with other work, or "
    "is slow. Run this again in another folder on an idle machine, or with more `--minutes`."
)


def _opening(folder: Path, gains: Mapping[str, _Gain], curves: Curves) -> list[str]:
    """Return a sentence on what self-play gained, with its picture, and the table of all gains."""
    lines = []
    if gain := gains.get("match-weak"):
        games = max((at for points in curves.values() for at, _ in points), default=0)
        if games:
            lines += ["", f"In {games:,} games against itself an agent that had seen little {_verdict(gain)}"]
            plot_gain(folder / PLOTS_FOLDER / "gain.png", curves, games, (gain.value, gain.low, gain.high))
            lines += ["", f"![the gain of self-play over its games]({PLOTS_FOLDER}/gain.png)"]
        else:
            lines += ["", NO_GAME]
    if gains:
        rows = [
            (
                words,
                f"`{gain.before}`",
                f"`{gain.after}`",
                str(gain),
                f"{gain.games:,}{'' if gain.is_whole else ', interrupted'}",
            )
            for name, words in GAINS.items()
            if (gain := gains.get(name))
        ]
        lines += _table(("", "before", "after", "gain in average rank", "games"), rows)
        lines += [
            "The four players of a game are ranked from 1 to 4. In each game two of the agent before play against two "
            "of the one after; the gain is how much lower the average rank of the latter is, with its 95 % interval. "
            "An interval that includes zero shows nothing."
        ]
    return lines


def _verdict(gain: _Gain) -> str:
    """Return the end of a sentence on whether an interval is clear of zero."""
    least, most = sorted((abs(gain.low), abs(gain.high)))
    size = f"{abs(gain.value):.2f} of a rank ({least:.2f} to {most:.2f})"
    if gain.low > 0:
        return f"**became stronger**: it gained {size}."
    if gain.high < 0:
        return f"**became weaker**: it lost {size}."
    return f"changed by {gain}: **the interval includes zero**, so this does not show whether self-play helped."


def _steps(path: Path) -> list[str]:
    """Return the lines about the times of the steps; the last call of a step says whether it finished."""
    steps = steps_in(path)
    if not steps:
        return [f"The times of the steps are not known: there is no `{STEPS_NAME}`."]
    rows = []
    for name, calls in steps.items():
        last = calls[-1]
        time = duration(sum(call.seconds for call in calls)) + (f" in {len(calls)} calls" if len(calls) > 1 else "")
        planned = "" if last.planned is None else duration(last.planned)
        rows.append(
            (name, planned, time, f"no: exit status {last.status}" if last.status else "yes", f"`{last.command}`")
        )
    total = sum(call.seconds for calls in steps.values() for call in calls)
    return [*_table(("step", "planned", "time", "finished", "command"), rows), f"All steps took {duration(total)}."]


def _is_no_better(numbers: Mapping[str, Any]) -> bool:
    """Whether the interval of a network's accuracy reaches down to what the commonest answer would."""
    return bool(numbers["interval"]) and numbers["interval"][0] <= numbers["commoner_answer"]


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
    idle = [f"*{name}*" for name, each in result["models"].items() if _is_no_better(each)]
    return [
        "## Learning from games",
        "",
        f"Learned from {result['about']['data']}. *Agreement* with human moves is on held-out games, with its 95 % "
        "interval; *commonest* is what always giving the commonest answer would reach.",
        *_table(("network", "agreement", "commonest", "test pairs"), rows),
        *([f"No better, by these pairs, than the commonest answer: {', '.join(idle)}."] if idle else []),
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


def _selfplay(text: str) -> list[str]:
    about = json.loads(text)["about"]
    config = json.loads(about["config"])
    return [
        f"## Self-play from `{config['start']}`",
        "",
        f"It learned from {about['games']} games against itself. Networks that learn: "
        f"{', '.join(config['learning']['models'])}; reward: {config['reward']['kind']}.",
    ]
