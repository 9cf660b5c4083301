"""`review_game`: reviews a logged game by an agent and returns a `Review`."""

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import numpy as np

from simulator.actions import legal_mask
from simulator.efficiency import accepted_batch, discards_batch
from simulator.jit import compile_beside
from simulator.logs.model import GameLog
from simulator.record import MELD, SEATS, WIN
from simulator.scoring.hands import score_batch
from simulator.tiles import KINDS
from suphx.agent import DEFAULT_AGENT
from suphx.agent.interface import Agent
from suphx.agent.model_decisions import compile_model_decisions
from suphx.agent.registry import NetworkAgent
from suphx.errors import InputError
from suphx.outlook.predictor import Outlook, included_outlook
from suphx.review.choices import Assessment, DecisionPoint
from suphx.review.document import Decision, Phi, Review, SeatReview
from suphx.review.game import Replayed, replay, round_of, standing_of
from suphx.review.listing import compile_features
from suphx.review.seats import luck_of, seat_review
from suphx.review.yardstick import yardstick_for
from suphx.reward.games import START, Games
from suphx.reward.predictor import RewardPredictor

SHIPPED_PREDICTOR = Path(__file__).parents[1] / "weights" / "reward.safetensors"

#: Maximum length of a text from a log.
MOST_LETTERS = 200

#: Called with the progress of a review: the name of the current step, and the completed share, 0 to 1.
Progress = Callable[[str, float], None]


@cache
def shipped_predictor() -> RewardPredictor:
    """Return the reward predictor that comes with the package."""
    return RewardPredictor.load(SHIPPED_PREDICTOR)


def reviewing(agent: Agent, name: str) -> NetworkAgent:
    """Return the agent if it can review; raises InputError unless it is a single agent of networks."""
    if not isinstance(agent, NetworkAgent):
        raise InputError(
            f"{name} cannot review: only networks give each action a probability; "
            f"name one network agent, such as {DEFAULT_AGENT}"
        )
    return agent


def _compile_the_rest() -> None:
    """Compile the rest of what a review needs while another process compiles the features."""
    compile_model_decisions()
    no_hands, none = np.zeros((0, KINDS), np.uint8), np.zeros(0, np.int64)
    accepted_batch(no_hands)
    discards_batch(no_hands)
    score_batch(no_hands, np.zeros((0, 4), MELD), none, none, none, none, none, np.zeros(0, WIN))


def review_game(
    log: GameLog,
    agent: Agent,
    agent_name: str,
    seats: Sequence[int] = range(SEATS),
    progress: Progress = lambda step, share: None,
) -> Review:
    """Review a game by an agent, for the decisions of some seats.

    agent: a network agent; agent_name: the name by which it was requested. Raises InputError for another kind of agent,
    and LogError, naming file and place, for a log that cannot be played by the rules.
    """
    networks = reviewing(agent, agent_name)
    progress("replaying", 0.0)
    compile_beside(compile_features.__module__, compile_features.__name__)
    game = replay(log)
    progress("drawing the tables", 0.1)
    rounds = [round_of(game, number) for number in range(len(game.rounds))]
    _compile_the_rest()
    remarks = [
        clean(f"{each.place}: {each.what}: {each.expected} by the rules, {each.actual} in the log")
        for each in game.mismatches
    ]
    outlook: Outlook | None = None
    try:
        outlook = included_outlook(log.rules)
    except InputError as error:
        remarks.append(f"No outlook: {error}.")
    reviews = []
    for done, seat in enumerate(seats):
        progress("asking the networks", 0.3 + 0.6 * done / len(seats))
        reviews.append(_seat(game, seat, networks, outlook))
    progress("the reward predictor", 0.9)
    phi: Phi | None = None
    try:
        phi = _phi(game, shipped_predictor())
    except InputError as error:
        remarks.append(f"No Phi: {error}.")
    standing = standing_of(game.ends[-1])
    remarks += [f"The log: {clean(words)}." for words in (log.missing, log.remark) if words]
    if log.cut:
        remarks.append(f"The log ends within {rounds[-1].name}: the round is unfinished, its result is not known.")
    elif standing["points"] is None:
        remarks.append("The log ends before the game does.")
    return Review(
        source=clean(last_part(log.source)),
        agent=clean(last_part(agent_name)),
        title=clean(agent.name),
        names=[clean(name) for name in log.names],
        room=clean(log.room),
        length=log.rules.length,
        red_fives=log.rules.red_fives,
        rounds=rounds,
        **standing,
        phi=phi,
        seats=reviews,
        remarks=remarks,
        dans=yardstick_for(agent_name, log.rules),
    )


def rate_game(log: GameLog, agent: NetworkAgent, seats: Sequence[int]) -> list[float | None]:
    """Return only the ratings of some seats, as in `SeatReview.rating`; raises LogError as `review_game`."""
    game = replay(log)
    return [_seat(game, seat, agent, None).rating for seat in seats]


def _phi(game: Replayed, predictor: RewardPredictor) -> Phi:
    """Return Phi before the first and after each round; raises InputError if the predictor does not fit the game."""
    rounds, finished = game.log.played, len(game.log.rounds)
    predictor.check_rules(game.log.rules)
    if any(each.dealer != each.round % SEATS for each in rounds) or rounds[0].round or rounds[0].repeat_counter:
        raise InputError("the log does not begin with East 1 dealt by seat 0; the reward predictor needs whole games")
    last = game.ends[-1]["result"]
    going_on = not last["game_over"]
    starts = np.zeros((1, finished + going_on), START)
    for number, each in enumerate(rounds):
        starts[0, number] = (each.scores, each.round, each.repeat_counter, each.bets)
    if going_on and not game.log.cut:
        after = game.ends[-1]
        starts[0, -1] = (last["scores"], after["round"], after["repeat_counter"], after["bets"])
    games = Games(starts, np.array([starts.shape[1]]), np.array([not going_on]), last["scores"].astype(np.int32)[None])
    values = predictor.phi(games)[0, : finished + 1]
    return Phi(units=predictor.description.target.units, values=np.round(values, 3).tolist())


def clean(text: str) -> str:
    """Return a text from a file in a form safe to show: printable characters only, at most `MOST_LETTERS` of them."""
    shown = "".join(letter for letter in text if letter.isprintable())
    return shown if len(shown) <= MOST_LETTERS else shown[: MOST_LETTERS - 1] + "…"


def last_part(path: str) -> str:
    """Return the last part of a path: what is shown to others should not reveal the folders on this machine."""
    return path.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


def _seat(game: Replayed, seat: int, agent: NetworkAgent, outlook: Outlook | None) -> SeatReview:
    """Return the review of one seat."""
    decision_points: list[DecisionPoint] = []
    absent = 0
    for number, moments in enumerate(game.rounds):
        for frame, moment in enumerate(moments):
            action, mask = dict(moment.answers).get(seat), legal_mask(game.records[moment.record], seat)
            if action is None or mask.sum() < 2:
                continue
            if seat in moment.absent:
                absent += 1
                continue
            decision_points.append(DecisionPoint(moment.record, number, frame, seat, action, mask))
    by_round: list[list[Decision]] = [[] for _ in game.rounds]
    for decision in Assessment(game.records, decision_points, agent, game.log.rules, outlook).decisions():
        by_round[decision.round].append(decision)
    return seat_review(seat, by_round, absent, luck_of(game.records, game.rounds, seat))
