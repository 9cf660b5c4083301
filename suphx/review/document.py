"""`Review`: what a review says, as a typed document that goes into JSON; `docs/review.md` explains it to players.

Tiles are in notation: `"5m"`, `"0m"` the red five, honours `"1z"` (East) to `"7z"` (red dragon). Kinds, where a red
five counts as a five, are written the same way without 0. Seats are 0 to 3, seat 0 deals first. Probabilities and
rates are between 0 and 1.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

FORMAT_VERSION = 1


class Document(BaseModel):
    """A part of a review."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Target(Document):
    """Winning hands that a position leads to, all with the same tiles given up, yaku, points and distance."""

    after: int | None
    """Index of the candidate that is taken first (a claim: a chow or pong, or the pass); None in the own turn."""
    hand: list[str]
    """Concealed tiles of the likeliest of these hands, the winning tile among them."""
    draws: list[str]
    """Kinds that it draws, each as often as it is drawn: its distance is their number, 1 to 3."""
    gives: list[str]
    """Kinds that it gives up: the hand is reached by discarding any of them first."""
    also: list[list[str]]
    """What the others of these hands draw instead, likeliest first; at most twelve."""
    points: int
    """Points by ron, in riichi where the hand is closed, without ippatsu, ura dora, repeat counters and bets."""
    yaku: list[str]
    """English names of its yaku, dora last."""
    likelihood: float
    """Expected number of ways to draw what is missing within the draws left, all these hands together (the
    likelihood of `suphx.features.lookahead`); near 0 it is about the probability, and it may exceed 1."""


class Safety(Document):
    """What another seat cannot or will hardly win on, by what everyone sees."""

    seat: int
    riichi: bool
    safe: list[str]
    """Kinds it cannot claim a win on: its own discards, and what passed it since its last own discard or riichi."""
    suji: list[str]
    """Kinds that no two-sided wait of it can hold, by the kinds safe from it; without those."""


class Candidate(Document):
    """One thing that can be done."""

    type: str
    """`discard`, `riichi`, `chow`, `pong`, `open kong`, `closed kong`, `added kong`, `win by draw`, `win by claim`,
    `nine terminals` or `pass`."""
    name: str
    """In words, e.g. `discard 5m`."""
    tile: str
    """The tile that is discarded, called, won on or made a kong of; empty for riichi, pass and nine terminals."""
    own: list[str]
    """Own tiles that a call uses."""
    probability: float
    """That the agent takes it, where it draws every answer of its networks by their probability."""
    shanten: int | None
    """Of discards: tiles missing for tenpai after it."""
    accepted: int | None
    """Of discards: unseen tiles that lower the shanten then."""
    danger: list[int]
    """Of discards: seats in riichi from which the tile is neither safe nor suji."""


class Decision(Document):
    """One choice of the seat that is looked at: a position in which the agent tells at least two actions apart."""

    round: int
    """Index of the round in `Review.rounds`."""
    frame: int
    """Index of the frame in its round."""
    number: int
    """Which decision of the seat in the game it is, from 0."""
    situation: str
    """What it was about: the first that applies of `win`, `nine terminals`, `kong` (an own one), `riichi`, `discard`,
    and of claims `call`."""
    turn: int
    """Own discards before it, called ones included."""
    shanten: int
    """Tiles missing for tenpai, before the decision; -1 is complete."""
    against_riichi: bool
    """Another seat is in riichi."""
    candidates: list[Candidate]
    """All there was, likeliest first."""
    taken: int
    """Index of what was done."""
    preferred: int
    """Index of what the agent does, each of its networks giving its likeliest answer."""
    agrees: bool
    """Whether they are the same."""
    confidence: float
    """Probability of what the agent does."""
    difference: float
    """How much the choice mattered: p ln(p / q) in nats, p the probability of what the agent does, q that of what was
    done, at least 0.0001; 0 where both are the same, and where q is more than p. Between 0 and 9.22."""
    targets: list[Target]
    """Winning hands near: the best ones by the points of the look-ahead's highest step times likelihood."""
    safety: list[Safety]
    """Of the three others, next seat first."""


class Win(Document):
    """A win at the end of a round."""

    seat: int
    source: int
    """Seat that the tile came from; the winner's own for a win by draw."""
    tile: str
    yaku: dict[str, int]
    """English name and Japanese term of each yaku and its han (yakuman: how many it counts for), dora last."""
    han: int
    fu: int
    limit: str
    points: int
    """Of the hand, without repeat counters and bets."""
    deltas: list[int]
    ura: list[str]
    """Indicators under the shown ones, where the winner was in riichi."""


class Result(Document):
    """How a round ended."""

    how: str
    wins: list[Win]
    tenpai: list[int]
    """Seats in tenpai at an exhaustive draw."""
    deltas: list[int]
    """Points each seat gained by the end; riichi bets paid before are not in it."""
    scores: list[int]
    """Points of each seat afterwards."""


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
    """Points at the start."""
    frames: list[dict[str, Any]]
    """The table at every moment somebody was asked, and at the end; the first whole, each other one as what has changed
    since the one before it (`suphx.review.frames`)."""
    result: Result


class Phi(Document):
    """What the game is worth to each seat as it goes on, by the reward predictor."""

    units: str
    values: list[list[float]]
    """Before the first round, and after each round, by seat. After the last, where it ended the game, it is what the
    game was worth: the prize of the rank."""


class Rate(Document):
    """How often a seat did what the agent does, in one kind of situation."""

    group: str
    """`situation`, `turn`, `shanten` or `riichi`."""
    name: str
    decisions: int
    agreed: int


class SeatReview(Document):
    """What a review says of one seat."""

    seat: int
    decisions: list[list[Decision]]
    """By round."""
    agreed: int
    """Decisions in which it did what the agent does."""
    count: int
    """Decisions in all."""
    rating: float | None
    """100 times the mean over all decisions of min(1, q / p), p and q as in `Decision.difference`; 100 for one who does
    what the agent does. None without decisions."""
    difference: float
    """Sum of the differences, in nats."""
    rates: list[Rate]
    absent: int
    """Decisions that the server made for it while it was away; they are not among those counted."""


class Review(Document):
    """A game reviewed by an agent."""

    format: int = FORMAT_VERSION
    source: str
    """Name of the file."""
    agent: str
    title: str
    """The agent's own name for itself."""
    names: list[str]
    room: str
    length: str
    """`east` or `east_south`."""
    red_fives: bool
    rounds: list[Round]
    scores: list[int]
    """Points at the end of the log."""
    ranks: list[int] | None
    """Rank of each seat, 0 the first; None for a game that is not over."""
    points: list[float] | None
    """Final points in thousands, by the rules; None for a game that is not over."""
    phi: Phi | None
    seats: list[SeatReview]
    """Of each seat that was asked for."""
    remarks: list[str]
    """What the reader should know: where the log says otherwise than the rules, why there is no Phi."""
