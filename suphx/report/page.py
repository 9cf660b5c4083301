"""`report.md`: a run of the main job, explained to first-time readers. All numbers come from the run's files."""

import shlex
import sys
from pathlib import Path

from simulator.files import write_whole
from suphx.report.parts import EVALUATE_FOLDER, PARTS, PRETRAIN_FOLDER, REWARD_FOLDER, STEPS_NAME, TRAIN_FOLDER, Run
from suphx.report.parts import RESULT_NAME as EVALUATION_NAME
from suphx.report.pictures import PICTURES_FOLDER, draw
from suphx.report.reading import read_run
from suphx.report.sections import evaluation_section, reward_section, selfplay_section, supervised_section
from suphx.report.words import duration, picture, signed, table, told, with_interval
from suphx.reward.run import WEIGHTS_NAME as REWARD_NAME
from suphx.selfplay.folder import AGENT_FOLDER
from suphx.supervised.pretrain import WEAK_FOLDER
from suphx.supervised.results import percent

REPORT_NAME = "report.md"
#: Descriptions of the steps of the main job, by name.
_STEPS = {
    "environment": "sets up Python's packages",
    "warmup": "compiles the rules",
    "generate": "generates games to learn from",
    "verify": "replays them in the simulator",
    "pretrain": "trains the five networks to choose as the players did",
    "reward": "trains the reward predictor, Phi",
    "train": "improves the agent by self-play",
    "evaluate": "plays the agents before and after on the same deals",
}
#: Factor for more games: four times as many halve the smallest detectable difference.
_MORE_GAMES = 4


def write_report(folder: Path) -> Run:
    """Write `report.md` and its plots into the folder of a run, and return the run.

    Raises InputError, naming the file, for a damaged file, and for a folder without any part of a run.
    """
    run = read_run(folder)
    draw(folder, run.supervised, run.selfplay)
    write_whole(folder / REPORT_NAME, page(run).encode())
    return run


def page(run: Run) -> str:
    """Return the report in Markdown, with the pictures that are there."""
    folder, pictures = run.folder, run.folder / PICTURES_FOLDER
    lines = [f"# Run `{folder.resolve().name}`", "", *_summary(run), "", "## What was run", "", *_steps(run)]
    if run.supervised:
        lines += ["", "## Learning from games", "", *supervised_section(run.supervised)]
        lines += picture(folder, pictures / "supervised.png", "Accuracy of the five networks")
    if run.reward:
        lines += ["", "## What a position is worth: the reward predictor", "", *reward_section(run.reward, folder)]
    if run.selfplay:
        lines += ["", "## Self-play", "", *selfplay_section(run.selfplay)]
        lines += picture(folder, pictures / "selfplay.png", "Curves of self-play")
        lines += picture(folder, pictures / "strength.png", "Strength during self-play")
    if run.evaluation:
        lines += ["", "## Before and after self-play", "", *evaluation_section(run.evaluation, folder)]
    lines += ["", "## Where things are", "", *_places(run), "", "## What next", "", *_next(run)]
    return "\n".join(line for n, line in enumerate(lines) if line or lines[n - 1]).rstrip() + "\n"


def _summary(run: Run) -> list[str]:
    lines = []
    if run.supervised and (discard := run.supervised.models.get("discard")) and discard.accuracy is not None:
        lines.append(
            f"- Five networks learned from {run.supervised.data}. On held-out games the discard network chooses as the "
            f"players did in {percent(discard.accuracy)} % of the decisions."
        )
    if run.selfplay:
        start = run.selfplay.config.start
        lines.append(f"- Starting from `{start}`, the agent learned from {run.selfplay.games:,} games against itself.")
    if run.evaluation and run.evaluation.differences:
        gap = run.evaluation.differences[0]
        lines.append(
            f"- On the same {gap.deals:,} deals its average rank changed by {with_interval(gap.average_rank, signed)}; "
            f"lower is better, 95 % interval in brackets. {told(gap.average_rank)}"
        )
    if run.steps:
        lines.append(f"- All steps took {duration(sum(step.seconds for step in run.steps))}.")
    return lines


def _steps(run: Run) -> list[str]:
    lines = _steps_taken(run) if run.steps else [f"The times of the steps are not known: there is no `{STEPS_NAME}`."]
    lines += ["", f"Seeds: {', '.join(f'{what} {seed}' for what, seed in _seeds(run).items())}."]
    if run.missing:
        words = "; ".join(f"{what} (`{where}/`)" for where, what in (PARTS[name] for name in run.missing))
        lines += ["", f"Not in this folder or not finished, so not covered below: {words}."]
    return lines


def _steps_taken(run: Run) -> list[str]:
    calls = {step.name: [each for each in run.steps if each.name == step.name] for step in run.steps}
    rows = []
    for name, each in calls.items():
        time = duration(sum(step.seconds for step in each)) + (f" in {len(each)} calls" if len(each) > 1 else "")
        ended = "yes" if each[-1].status == 0 else f"no: exit status {each[-1].status}"
        rows.append((name, _STEPS.get(name, ""), time, ended))
    return [
        *table(("step", "what it does", "time", "finished"), rows),
        "The commands, as they were run in this folder:", "", "```sh",
        *filter(None, (each[-1].command for each in calls.values())), "```",
    ]  # fmt: skip


def _seeds(run: Run) -> dict[str, int]:
    seeds = {}
    if run.supervised:
        seeds["supervised training"] = run.supervised.config.seed
    if run.reward:
        seeds["reward predictor"] = run.reward.config.seed
    if run.selfplay:
        seeds["self-play"] = run.selfplay.config.seed
        if run.selfplay.config.evaluation:
            seeds["deals of the measurements during training"] = run.selfplay.config.evaluation.seed
    if run.evaluation:
        seeds["deals before and after"] = run.evaluation.seed
    return seeds


def _places(run: Run) -> list[str]:
    after, before = f"{TRAIN_FOLDER}/{AGENT_FOLDER}/", f"{PRETRAIN_FOLDER}/{AGENT_FOLDER}/"
    weak = "an under-trained copy of it, the opponent in measurements"
    rows = [
        (run.selfplay, after, "the agent after self-play; every command accepts this folder as an agent"),
        (run.selfplay, f"{TRAIN_FOLDER}/games/", "sample games as logs (mjlog)"),
        (run.supervised, before, "the agent before self-play"),
        (run.supervised, f"{PRETRAIN_FOLDER}/{WEAK_FOLDER}/", weak),
        (run.reward, f"{REWARD_FOLDER}/{REWARD_NAME}", "the reward predictor"),
        (run.evaluation, f"{EVALUATE_FOLDER}/{EVALUATION_NAME}", "all numbers of before and after"),
        (run, "*/tensorboard/", "curves; `tensorboard --logdir .` shows all of them"),
    ]
    lines = [f"- `{where}`: {what}" for part, where, what in rows if part]
    return [f"Everything is in `{run.folder.resolve()}`:", "", *lines]


def _next(run: Run) -> list[str]:
    commands = [f"cd {shlex.quote(str(run.folder.resolve()))}"]
    if sys.prefix != sys.base_prefix:
        commands.append(f". {shlex.quote(sys.prefix)}/bin/activate")
    commands += ["tensorboard --logdir .  # all curves, in the browser", *_longer(run)]
    if run.selfplay:
        commands.append(f"suphx bot --agent {TRAIN_FOLDER}/{AGENT_FOLDER}  # as a bot for any host that speaks mjai")
    return [
        "```sh", *commands, "```", "",
        "In the checkout, `scripts/train.sh --logs LOGS` does the same with logs of real games, and "
        "`scripts/train.sh --weights` starts from the included weights.",
    ]  # fmt: skip


def _longer(run: Run) -> list[str]:
    """Return commands that continue training for as long again, and that measure the result more precisely."""
    calls = [step.command for step in run.steps if step.name == "train"]
    lines = []
    if calls and run.selfplay:
        lines.append(f"{calls[-1]} --games {2 * run.selfplay.config.games}  # continues training for as long again")
    if run.evaluation and run.evaluation.differences:
        found, gap = run.evaluation, run.evaluation.differences[0]
        players = [f"--challenger {shlex.quote(name)}" for name in (gap.against, gap.agent)]
        players += [f"--field {shlex.quote(name)}" for name in found.field]
        games = _MORE_GAMES * found.agents[gap.agent].games
        lines.append(
            f"suphx evaluate {' '.join(players)} --games {games} --seed {found.seed} --out longer --plots longer"
            "  # detects a difference half as large"
        )
    return lines
