"""Play the games of a plan with Ray tasks; if one dies, the games that it has not sent are given to another."""

from collections.abc import Generator, Iterator, Sequence
from typing import Any, cast

import ray
from ray.exceptions import RayError, RayTaskError

from suphx.cluster import join_or_start
from suphx.errors import InputError
from suphx.evaluation.arena import MatchTerms, play_tables
from suphx.evaluation.protocol import MatchPlan
from suphx.evaluation.results import GameDone

#: Total number of lost workers that a match tolerates.
_LOSSES = 5
#: Most finished games of a worker that may wait for the consumer.
_AHEAD = 64


def play_on_workers(
    plan: MatchPlan, terms: MatchTerms, wanted: Sequence[tuple[int, int]], batch: int, workers: int
) -> Generator[GameDone]:
    """Play games as Ray tasks and yield each when it is over.

    wanted: (deal, table) of the games. batch: games side by side in each worker. Uses the Ray cluster that is already
    connected or named by RAY_ADDRESS, if any. Raises what a worker's agents raise, and InputError if too many die.
    """

    def start(part: list[tuple[int, int]]) -> Any:  # an iterator of references
        task = _play_part.options(_generator_backpressure_num_objects=_AHEAD)
        return task.remote(plan, terms, list(part), batch)

    deals = sorted({deal for deal, _ in wanted})
    part_of = {deal: place % workers for place, deal in enumerate(deals)}
    parts: list[list[tuple[int, int]]] = [[] for _ in range(workers)]
    for deal, table in wanted:
        parts[part_of[deal]].append((deal, table))
    own, losses, running = not ray.is_initialized(), 0, dict[Any, list[tuple[int, int]]]()
    if own:
        join_or_start(None, workers)
    try:
        running |= {start(part): part for part in parts if part}
        while running:
            ready: Any = ray.wait(list(running), num_returns=1)[0][0]
            part = running[ready]
            try:
                game = cast(GameDone, ray.get(next(ready)))
            except StopIteration:
                del running[ready]
                if part:
                    raise InputError(f"a worker ended before playing {len(part)} of its games") from None
                continue
            except RayTaskError as error:
                raise error.cause from None  # the error of an agent there
            except RayError as error:
                losses += 1
                if losses > _LOSSES:
                    raise InputError(f"{losses} workers died, the last one with: {error}") from error
                del running[ready]
                running[start(part)] = part
                continue
            part.remove((int(game.row["deal"]), int(game.row["table"])))
            yield game
    finally:
        for each in running:
            ray.cancel(each, force=True)
        if own:
            ray.shutdown()


@ray.remote(num_cpus=1, max_retries=0, num_returns="streaming")
def _play_part(plan: MatchPlan, terms: MatchTerms, part: list[tuple[int, int]], batch: int) -> Iterator[GameDone]:
    import torch

    torch.set_num_threads(1)
    yield from play_tables(plan, terms, part, batch)
