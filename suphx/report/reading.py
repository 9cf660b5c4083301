"""Read the folder of a run part by part: missing parts are None, damaged files raise errors that name them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError

from suphx.errors import InputError
from suphx.networks.models import Model
from suphx.networks.weights import CARD_NAME, load_card
from suphx.report import parts
from suphx.report.curves import Curves, read_curves
from suphx.reward.baselines import BASELINES
from suphx.reward.evaluation import ALL_ROUNDS, PREDICTOR
from suphx.reward.run import RESULTS_NAME, Results
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.folder import AGENT_FOLDER
from suphx.supervised.config import PretrainConfig

#: Subfolder of each training's folder.
_CURVES_FOLDER = "tensorboard"
P = TypeVar("P", bound=BaseModel)


def read_run(folder: Path) -> parts.Run:
    """Read the folder of a run; raises InputError for a damaged file, naming it, and if there is nothing to read."""
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder")
    run = parts.Run(
        folder=folder,
        steps=_read_steps(folder / parts.STEPS_NAME),
        supervised=_read_supervised(folder / parts.PRETRAIN_FOLDER),
        reward=_read_reward(folder / parts.REWARD_FOLDER),
        selfplay=_read_selfplay(folder / parts.TRAIN_FOLDER),
        evaluation=_read_json(folder / parts.EVALUATE_FOLDER / parts.RESULT_NAME, parts.Evaluation),
    )
    if run.missing == list(parts.PARTS):
        raise InputError(
            f"{folder}: nothing to report on; a run leaves its results in "
            f"{', '.join(where for where, _ in parts.PARTS.values())} there"
        )
    return run


def read_trainings(folders: Sequence[Path]) -> dict[str, Curves]:
    """Return the curves of trainings by the names of their folders; raises InputError for a training without curves."""
    names = [folder.resolve().name for folder in folders]
    found = {}
    for name, folder in zip(names, folders, strict=True):
        curves = read_curves(folder / _CURVES_FOLDER)
        if not curves:
            raise InputError(f"{folder}: no curves; `suphx train` leaves them in {_CURVES_FOLDER}/ there")
        found[name if names.count(name) == 1 else str(folder)] = curves
    return found


def _read_steps(path: Path) -> list[parts.Step]:
    """Return the steps in the order in which they ran; none if there is no file."""
    steps = []
    lines = path.read_text("utf-8", errors="replace").splitlines() if path.exists() else []
    for number, line in enumerate(lines, 1):
        try:
            steps.append(parts.Step.model_validate(dict(zip(parts.Step.model_fields, line.split("\t"), strict=True))))
        except ValueError as error:  # from pydantic and from zip
            fields = ", ".join(parts.Step.model_fields)
            raise InputError(f"{path}, line {number}: not a step; a step is {fields}, separated by tabs") from error
    return steps


def _read_json(path: Path, kind: type[P]) -> P | None:
    return _checked(path, path.read_bytes(), kind) if path.exists() else None


def _checked(path: Path, data: bytes | str, kind: type[P]) -> P:
    """Settings that an earlier version knew and this one does not are passed over."""
    try:
        return kind.model_validate_json(data, extra="ignore")
    except ValidationError as error:
        problem = error.errors()[0]
        place = ".".join(map(str, problem["loc"])) or "the whole"
        raise InputError(f"{path}: not in the format that this program writes: {place}: {problem['msg']}") from error


class _PretrainResult(parts.Part):
    """`result.json` of `suphx pretrain`."""

    about: dict[str, str]
    models: dict[Model, parts.Accuracy]


def _read_supervised(folder: Path) -> parts.Supervised | None:
    path = folder / parts.RESULT_NAME
    found = _read_json(path, _PretrainResult)
    if found is None:
        return None
    return parts.Supervised(
        data=_of_about(path, found.about, "data"),
        config=_checked(path, _of_about(path, found.about, "config"), PretrainConfig),
        models=found.models,
        validation={model: read_curves(folder / model / _CURVES_FOLDER) for model in found.models},
    )


def _read_reward(folder: Path) -> Results | None:
    path = folder / RESULTS_NAME
    found = _read_json(path, Results)
    if found and not {PREDICTOR, *BASELINES} <= found.evaluation.errors.get(ALL_ROUNDS, {}).keys():
        raise InputError(f"{path}: evaluation.errors.{ALL_ROUNDS} does not contain all predictors")
    return found


def _read_selfplay(folder: Path) -> parts.SelfPlay | None:
    agent = folder / AGENT_FOLDER
    path = agent / CARD_NAME
    if not path.exists():
        return None
    about = load_card(agent).about
    games = _of_about(path, about, "games").replace(",", "")
    if not games.isdecimal():
        raise InputError(f"{path}: about.games is {games!r}, which is not a number")
    curves = read_curves(folder / _CURVES_FOLDER)
    return parts.SelfPlay(
        config=_checked(path, _of_about(path, about, "config"), TrainConfig),
        games=int(games),
        curves=curves,
        measurements=_measurements(curves),
    )


def _of_about(path: Path, about: Mapping[str, str], name: str) -> str:
    if name not in about:
        raise InputError(f"{path}: about.{name} is missing")
    return about[name]


def _measurements(curves: Curves) -> list[parts.Measurement]:
    """Extract the measurements from the curves; a number and the two ends of its interval are separate curves."""
    ranks, gaps = _numbers(curves, "evaluation/average_rank"), _numbers(curves, "evaluation/less_start")
    return [
        parts.Measurement(games=games, average_rank=ranks[games], less_start=gaps[games])
        for games in sorted(ranks.keys() & gaps.keys())
    ]


def _numbers(curves: Curves, name: str) -> dict[int, parts.Number]:
    """Return the numbers with a name and their intervals, by games."""
    found = [curves.get(name + end) for end in ("", "_low", "_high")]
    values, lows, highs = (dict(zip(each.steps, each.values, strict=True)) if each else {} for each in found)
    return {
        games: parts.Number(value=values[games], interval=(lows[games], highs[games]))
        for games in values.keys() & lows.keys() & highs.keys()
    }
