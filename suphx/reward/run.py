"""A run of `suphx reward`: from prepared games to weights, results and plots in one folder."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
from pydantic import Field

from simulator.files import write_whole
from suphx.config import StrictModel
from suphx.dataset.prepared import SPLITS, Prepared
from suphx.errors import InputError
from suphx.reward.evaluation import PREDICTOR, RewardEvaluation, baselines, evaluate
from suphx.reward.games import RULES_OF_REWARD, Games
from suphx.reward.plots import plot_calibration, plot_game
from suphx.reward.predictor import Description, RewardPredictor
from suphx.reward.target import ranks
from suphx.reward.training import FORMER, Epoch, RewardConfig, Trainer, select_games

WEIGHTS_NAME = "reward.safetensors"
RESULTS_NAME = "reward.json"
GAME_PLOT_NAME = "reward-game.png"
CALIBRATION_PLOT_NAME = "reward-calibration.png"


class RewardResults(StrictModel):
    """The results of a run; all numbers are in `units` unless stated otherwise."""

    config: RewardConfig
    units: str
    prizes: list[float]
    """By rank, with their mean subtracted."""
    source: str
    games: dict[str, int]
    """By split."""
    start: list[float]
    """Phi_0 by starting seat."""
    parameters: int
    epochs: list[Epoch] = Field(validation_alias=FORMER["epochs"])
    """Losses, in squares of the prizes' standard deviation."""
    best_epoch: int = Field(validation_alias=FORMER["best_epoch"])
    """Counted from 0."""
    evaluation: RewardEvaluation
    """Evaluation on the test split."""


class RewardRun:
    """One run: iterate over `train` to its end, then call `finish`."""

    def __init__(self, config: RewardConfig, prepared: Prepared, folder: Path) -> None:
        """Start the training or resume it; raises InputError for too few games and for another one's checkpoint."""
        self.config, self.folder, self._source = config, folder, prepared.sources()
        self._selection = select_games(prepared, config.games)
        for name in SPLITS:
            if (self._selection.part(name).n_starts < 2).all():
                raise InputError(f"none of {len(self._selection.games):,} games is for {name}; more games are needed")
        folder.mkdir(parents=True, exist_ok=True)
        self.trainer = Trainer(config, self._selection, folder)

    def train(self) -> Iterator[int]:
        """Train, yielding the number of games of each step; curves for TensorBoard go to the folder."""
        from torch.utils.tensorboard import SummaryWriter

        epochs = self.trainer.progress.epochs
        done = len(epochs)
        with SummaryWriter(str(self.folder / "tensorboard"), purge_step=done) as writer:
            for games in self.trainer.run():
                yield games
                for number, each in enumerate(epochs[done:], done):
                    writer.add_scalar("loss/training", each.training_loss, number)
                    writer.add_scalar("loss/validation", each.validation_loss, number)
                done = len(epochs)

    def finish(self) -> RewardResults:
        """Write the predictor, its evaluation on the test games, and plots; return the results."""
        predictor = self._predictor()
        tested = self._selection.part("test")
        phi = predictor.phi(tested)
        results = self._results(predictor, tested, phi)
        predictor.save(self.folder / WEIGHTS_NAME)
        write_whole(self.folder / RESULTS_NAME, results.model_dump_json(indent=2).encode() + b"\n")
        long = np.flatnonzero(tested.n_starts >= min(self.config.plotted_rounds, tested.n_starts.max()))
        plot_game(self.folder / GAME_PLOT_NAME, tested, phi, int(long[0]), results.units)
        plot_calibration(self.folder / CALIBRATION_PLOT_NAME, results.evaluation, results.units)
        return results

    def _predictor(self) -> RewardPredictor:
        network = self.trainer.best_network()
        training = self._selection.part("training")
        start = self.config.prizes[ranks(training.final_scores)].mean(0)
        return RewardPredictor(
            network,
            Description(
                games=self.config.games,
                rules={name: getattr(self._selection.rules, name) for name in RULES_OF_REWARD},
                target=self.config.target,
                scale=self.config.scale,
                start=tuple(start.tolist()),
                shape=network.shape,
                about={"source": self._source, "training games": str(len(training))},
            ),
        )

    def _results(self, predictor: RewardPredictor, tested: Games, phi: np.ndarray) -> RewardResults:
        training = self._selection.part("training")
        prizes, width = self.config.prizes, tested.starts.shape[1]
        predictions = {PREDICTOR: np.nan_to_num(phi[:, 1:width])}
        predictions |= baselines(training, prizes[ranks(training.final_scores)], tested, prizes, self.config.games)
        return RewardResults(
            config=self.config,
            units=self.config.target.units,
            prizes=prizes.tolist(),
            source=self._source,
            games={name: len(self._selection.part(name)) for name in SPLITS},
            start=predictor.start.tolist(),
            parameters=sum(each.numel() for each in predictor.network.parameters()),
            epochs=self.trainer.progress.epochs,
            best_epoch=self.trainer.progress.best_epoch,
            evaluation=evaluate(
                tested, predictor.rewards(tested.final_scores), predictions, self.config.bootstrap, self.config.seed
            ),
        )
