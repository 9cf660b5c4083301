"""`Review`: the contents of a review as a typed document for JSON; `docs/review.md` explains it to players.

Tiles are in notation: `"5m"`, `"0m"` the red five, honors `"1z"` (East) to `"7z"` (red dragon). Kinds, for which a red
five counts as a five, are written in the same way without 0. Seats are 0 to 3; seat 0 is the first dealer.
Probabilities and rates are between 0 and 1.
"""

from typing import Any

from pydantic import BaseModel, ConfigDict

FORMAT_VERSION = 1


class Document(BaseModel):
    """A part of a review."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Target(Document):
    """A group of winning hands within reach that share the tiles given up, yaku, points and distance."""

    after: int | None
    """Index of the candidate taken first, if this is a claim (a chow, a pong or the pass); None on the own turn."""
    hand: list[str]
    """Concealed tiles of the likeliest of these hands, including the winning tile."""
    draws: list[str]
    """Kinds to be drawn for it, each as often as it is needed: their number, 1 to 3, is the distance of the hand."""
    gives: list[str]
    """Kinds to be given up for it: the hand is reached by discarding any of them first."""
    also: list[list[str]]
    """Kinds to be drawn for the other hands of the group instead, likeliest first; at most twelve hands."""
    points: int
    """Points by ron, in riichi if the hand is closed, without ippatsu, ura dora, repeat counters and bets."""
    yaku: list[str]
    """English names of its yaku, dora last."""
    likelihood: float
    """Expected number of ways to draw the missing tiles within the remaining draws, summed over all these hands (the
    likelihood of `suphx.features.lookahead`); near 0 it is about the probability, and it may exceed 1."""


class Safety(Document):
    """The kinds on which another seat cannot win, or is unlikely to, judging by what everyone sees."""

    seat: int
    riichi: bool
    safe: list[str]
    """Kinds it cannot claim a win on: its own discards, and tiles it let pass since its last own discard or riichi."""
    suji: list[str]
    """Kinds that cannot be part of a two-sided wait, given the kinds in `safe`; excludes `safe` itself."""


class Candidate(Document):
    """One of the actions to choose from."""

    type: str
    """`discard`, `riichi`, `chow`, `pong`, `open kong`, `closed kong`, `added kong`, `tsumo`, `ron`,
    `nine terminals` or `pass`."""
    name: str
    """Name of the action, e.g. `discard 5m`."""
    tile: str
    """The tile that is discarded, called, won on or made a kong of; empty for riichi, pass and nine terminals."""
    own: list[str]
    """Own tiles that a call uses."""
    probability: float
    """Probability that the agent takes it, if each answer of its networks is sampled by its probability."""
    shanten: int | None
    """For discards: tiles missing for tenpai afterwards."""
    accepted: int | None
    """For discards: number of unseen tiles that then lower the shanten."""
    danger: list[int]
    """For discards: seats in riichi against which the tile is neither safe nor suji."""
    deals_in: list[float] | None = None
    """For discards: the probability that it deals in at once to each other seat, the next seat first."""
    danger_points: float | None = None
    """For discards: the points that this costs on average, the probability included."""
    points: float | None = None
    """The points that the seat gains from here to the end of the round on average, what may be lost at once included;
    None for wins, nine terminals, and claims that could be a win. Riichi, chow, pong: with the discard that the agent
    prefers."""
    placement: float | None = None
    """The expected placement at the end of the game, 1 to 4, if a discard passes."""


class OutlookDocument(Document):
    """The value of a position to a seat that must discard, from the results of strong players' rounds."""

    win: float
    """Probability that the seat wins this round."""
    deal_in: float
    """... that it deals in."""
    another_draws: float
    """... that another seat wins by tsumo."""
    others: float
    """... that another seat deals in to another."""
    no_winner: float
    points: float
    """Points that it gains to the end of the round on average."""
    placement: float
    """Expected placement at the end of the game, 1 to 4."""


class HeldOut(Document):
    """What mistakes of a kind and class cost in held-out games, in points."""

    points: float
    low: float
    high: float
    """Bounds of its 95 % interval, over games."""


class Decision(Document):
    """One decision of the reviewed seat: a position in which the agent distinguishes at least two actions."""

    round: int
    """Index of the round in `Review.rounds`."""
    frame: int
    """Index of the frame in its round."""
    number: int
    """Number of the decision among those of the seat in the game, from 0."""
    situation: str
    """The first that applies of `win`, `nine terminals`, `call` (a claim), `kong` (own), `riichi` and `discard`."""
    turn: int
    """Number of own discards before it, including called ones."""
    shanten: int
    """Tiles missing for tenpai, before the decision; -1 for a complete hand."""
    against_riichi: bool
    candidates: list[Candidate]
    """All candidates, likeliest first."""
    taken: int
    """Index of the candidate that was taken."""
    preferred: int
    """Index of the candidate that the agent would take, with each of its networks giving its likeliest answer."""
    agrees: bool
    """Whether these two are the same."""
    confidence: float
    """Probability of the candidate that the agent would take."""
    difference: float
    """How much the choice mattered: p ln(p / q) in nats, where p is the probability of the preferred candidate and q
    that of the one taken, at least 0.0001; 0 if they are the same, or if q is greater than p. Between 0 and 9.22."""
    targets: list[Target]
    """The best winning hands within reach, by likelihood times the points of the look-ahead's highest step reached."""
    safety: list[Safety]
    """Safety against the three other seats, the next seat first."""
    outlook: OutlookDocument | None = None
    """Before a discard: what the position is worth."""
    lost: float | None = None
    """Expected points of the agent's choice minus those of the one taken, where held-out games bear it out: between
    discards, where it may be negative, and for what is marked as a mistake."""
    mistake: str = ""
    """`mistake` from 300 points lost, `large` from 1,000; empty for less, and for moves that are not marked."""
    held_out: HeldOut | None = None
    """What such mistakes cost in held-out games; None if it is none, and in older reviews."""


class Note(Document):
    """What a reader noted on a decision; `seat` and `number` are the decision's."""

    seat: int
    number: int
    words: str


class Win(Document):
    """A win at the end of a round."""

    seat: int
    source: int
    """Seat that the winning tile came from; the winner's own for tsumo."""
    tile: str
    yaku: dict[str, int]
    """English name and Japanese term of each yaku -> its han (for yakuman: how many it counts for), dora last."""
    han: int
    fu: int
    limit: str
    points: int
    """Points of the hand, without repeat counters and bets."""
    deltas: list[int]
    ura: list[str]
    """Ura dora indicators, if the winner was in riichi."""


class Result(Document):
    """How a round ended."""

    how: str
    """`tsumo`, `exhaustive draw`, ... (`RESULT_NAMES`), or `unfinished`: the log ends within the round."""
    wins: list[Win]
    tenpai: list[int]
    """Seats in tenpai at an exhaustive draw."""
    deltas: list[int]
    """Points each seat gained at the end of the round, without riichi bets paid earlier."""
    scores: list[int]
    """Score of each seat afterwards."""


class Round(Document):
    """One round of the game."""

    round: int
    """0 = East 1 .. 11 = West 4."""
    name: str
    """`East 1`."""
    repeat_counter: int
    bets: int
    """Riichi bets on the table at its start."""
    dealer: int
    scores: list[int]
    """Scores at the start."""
    frames: list[dict[str, Any]]
    """The table whenever a seat must act, and at the end: the first frame whole, every other as the changes from the
    previous one (`suphx.review.frames`)."""
    result: Result


class Phi(Document):
    """The expected value of the game to each seat as it goes on, by the reward predictor."""

    units: str
    values: list[list[float]]
    """Values by seat, before the first round and after each round. After the last round, if it ended the game, this is
    the actual value: the prize for the rank."""


class Rate(Document):
    """How often a seat agreed with the agent, in one kind of situation."""

    group: str
    """`situation`, `turn`, `shanten` or `riichi`."""
    name: str
    decisions: int
    agreed: int


class Luck(Document):
    """The hands that a seat was dealt and the tiles it drew, against the expectation (`suphx.review.seats`)."""

    rounds: int
    dealt: float
    """Mean shanten of the hands dealt to it."""
    dealt_expected: float
    """The same of random hands."""
    dealt_spread: float
    """Standard deviation of such a mean over as many rounds."""
    draws: int
    helped: int
    """Number of draws that lowered the shanten of the hand, or won."""
    helped_expected: float
    """Expected number, with the hand and what the seat saw at each draw."""
    helped_spread: float
    """Standard deviation of this number."""


class Lost(Document):
    """The expected points that a seat's decisions lost against the agent's."""

    decisions: int
    """Number of decisions between discards."""
    points: float
    """Points lost by them in a round, on average over the game's rounds."""
    low: float | None
    high: float | None
    """Bounds of its 95 % interval, over rounds; None for a single round."""
    mistakes: dict[str, int]
    """Number of mistakes by class, as in `Decision.mistake`, in all decisions."""


class SeatReview(Document):
    """The review of one seat."""

    seat: int
    decisions: list[list[Decision]]
    agreed: int
    """Number of decisions in which it did what the agent would do."""
    count: int
    rating: float | None
    """100 times the mean over all decisions of min(1, q / p), p and q as in `Decision.difference`; 100 for a player who
    always agrees with the agent. None without decisions."""
    difference: float
    """Sum of the differences, in nats."""
    rates: list[Rate]
    lost: Lost | None = None
    """What its decisions lost, if the game has an outlook."""
    absent: int
    """Number of decisions that the server made for it while it was away; they are not counted above."""
    luck: Luck | None = None
    """None in older reviews."""


class DanRating(Document):
    """What players of a dan are rated by the agent, in held-out games at Tenhou."""

    dan: int
    """1 to 10; 11: Tenhoui."""
    players: int
    """Number of ratings, one for each player and game."""
    mean: float
    low: float
    high: float
    """Bounds of the mean's 95 % interval."""
    deviation: float
    """Standard deviation of the ratings: how much one game says."""


class Review(Document):
    """A game reviewed by an agent."""

    format: int = FORMAT_VERSION
    source: str
    """Name of the log file."""
    agent: str
    """Name by which the agent was requested."""
    title: str
    """The agent's own name."""
    names: list[str]
    room: str
    length: str
    """`east` or `east_south`."""
    red_fives: bool
    rounds: list[Round]
    scores: list[int]
    """Scores at the end of the log."""
    ranks: list[int] | None
    """Rank of each seat, 0 for first place; None for an unfinished game."""
    points: list[float] | None
    """Final points in thousands, by the rules; None for an unfinished game."""
    phi: Phi | None
    seats: list[SeatReview]
    remarks: list[str]
    """Remarks for the reader: where the log contradicts the rules, why there is no Phi."""
    dans: list[DanRating] = []
    """What players of each dan are rated by the agent; empty if that was not measured for it, or for such games."""
    notes: list[Note] = []
    """Notes on decisions, made on the page."""
