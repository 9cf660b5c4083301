"""Small hand-made games that have everything a log can have. The moves need not be wise."""

from __future__ import annotations

from simulator.logs.model import Connection, GameLog, RoundLog, WinLog
from simulator.logs.round_builder import RoundBuilder, face_of
from simulator.record import (
    EVENT_CHOW,
    EVENT_DORA,
    EVENT_OPEN_KONG,
    EVENT_PONG,
    RESULT_EXHAUSTIVE,
    RESULT_NINE_TERMINALS,
)
from simulator.rules import Rules
from simulator.tiles import KINDS, parse_kinds

SEED = "mt19937ar-sha512-n288-base64," + "A" * 3328


def faces(text: str) -> list[int]:
    return [KINDS + kind // 9 if red else kind for kind, red in parse_kinds(text)]


def face(text: str) -> int:
    return faces(text)[0]


def start(number: int, hands: list[str], indicator: str, scores: list[int], **fields) -> tuple[RoundBuilder, RoundLog]:
    builder = RoundBuilder("made", "move", red_fives=True)
    builder.deal([faces(hand) for hand in hands])
    round_log = builder.round = RoundLog(
        round=number,
        repeat_counter=fields.pop("repeat_counter", 0),
        bets=fields.pop("bets", 0),
        dealer=number % 4,
        scores=scores,
        hands=[],
        indicator=builder.new_tile(face(indicator)),
        events=builder.events(),
        dice=(2, 5),
    )
    return builder, round_log


def round_of_calls() -> RoundLog:
    """Chow with the red five, pong, each of the three kongs, riichi accepted and not, two winners."""
    hands = ["1111m456p789s123z", "23m46p11222s5556z", "99m77p344588s334z", "406m333p99s41667z"]
    builder, this = start(0, hands, "2m", [25000, 26000, 24000, 25000], repeat_counter=1)
    builder.draw(0, face("5p"))
    builder.closed_kong(0, faces("1111m"))
    builder.show_indicator(face("8s"))
    builder.draw(0, face("9p"))
    builder.discard(0, face("5p"))
    builder.call(EVENT_CHOW, 1, 0, face("5p"), faces("46p"))
    builder.discard(1, face("6z"))
    builder.draw(2, face("6s"))
    builder.discard(2, face("3z"))
    builder.draw(3, face("9s"))
    builder.discard(3, face("7z"))
    builder.draw(0, face("2s"))
    builder.discard(0, None)
    builder.call(EVENT_OPEN_KONG, 1, 0, face("2s"), faces("222s"))
    builder.draw(1, face("9m"))
    builder.show_indicator(face("1z"))
    builder.discard(1, None)
    builder.call(EVENT_PONG, 2, 1, face("9m"), faces("99m"))
    builder.discard(2, face("4z"))
    builder.draw(3, face("7p"))
    builder.discard(3, face("6z"))
    builder.draw(0, face("6m"))
    builder.discard(0, face("1z"))
    builder.draw(1, face("5z"))
    builder.discard(1, face("1s"))
    builder.draw(2, face("9m"))
    builder.added_kong(2, face("9m"))
    builder.draw(2, face("0s"))
    builder.show_indicator(face("4p"))
    builder.discard(2, face("5s"))
    builder.draw(3, face("8m"))
    builder.declare_riichi(3)
    builder.discard(3, face("4z"))
    builder.accept_riichi(3)
    builder.draw(0, face("9p"))
    builder.declare_riichi(0)
    builder.discard(0, face("3z"))
    shown = [this.indicator, *builder.events()["tile"][builder.events()["type"] == EVENT_DORA].tolist()]
    first = WinLog(2, 0, fu=60, points=7700, yaku=[(18, 1), (54, 1), (8, 1)], indicators=shown)
    first.deltas = [-8000, 0, 9000, 0]
    second = WinLog(3, 0, fu=40, points=8000, deltas=[-8000, 0, 0, 8000], indicators=shown)
    second.yaku = [(1, 1), (2, 1), (53, 3)]
    second.ura_indicators = [builder.new_tile(face(tile)) for tile in ("5p", "7s", "2z", "1z")]
    builder.win(first)
    builder.win(second)
    this.deltas = [-16000, 0, 9000, 8000]
    return builder.finish()


PLAIN = ["123456789m1234p", "123456789s1234z", "56789p111222s55z", "123456789m3466z"]


def exhausted_round() -> RoundLog:
    builder, _ = start(1, PLAIN, "9p", [9000, 26000, 33000, 32000])
    builder.draw(1, face("7z"))
    builder.discard(1, None)
    builder.no_winner(RESULT_EXHAUSTIVE, [1500, -1500, -1500, 1500])
    return builder.finish()


def nine_terminals_round() -> RoundLog:
    builder, this = start(2, PLAIN, "9p", [10500, 24500, 31500, 33500], bets=1, repeat_counter=1)
    builder.draw(2, face("7z"))
    this.tenpai = [False, False, True, False]
    builder.no_winner(RESULT_NINE_TERMINALS, [0, 0, 0, 0])
    return builder.finish()


def yakuman_round() -> RoundLog:
    """A tsumo of a yakuman, with liability."""
    builder, this = start(3, PLAIN, "9p", [10500, 24500, 31500, 33500], bets=1, repeat_counter=2)
    builder.draw(3, face("7z"))
    win = WinLog(3, 3, fu=40, points=48000, yaku=[(39, 13)], yakuman=True, liable=1, indicators=[this.indicator])
    win.deltas = [0, -48600, 0, 49600]
    builder.win(win)
    this.deltas = win.deltas
    return builder.finish()


def small_game(rules: Rules | None = None) -> GameLog:
    return GameLog(
        rules=rules or Rules.tenhou(),
        rounds=[round_of_calls(), exhausted_round(), nine_terminals_round(), yakuman_round()],
        names=["甲", "b & <c>", 'd"e', "ⓝ %"],
        source="made",
        seed=SEED,
        room="phoenix",
        dan=[16, 17, 20, 0],
        rates=[2100.5, 1999.25, 2200.0, 1500.0],
        final_scores=[10500, -24100, 31500, 83100],
        final_points=[-29.5, -64.1, 11.5, 82.1],
        connections=[Connection(0, 3, 2, False), Connection(1, 3, 2, True)],
    )


def assert_same_game(first: GameLog, second: GameLog, ignore: tuple[str, ...] = ()) -> None:
    """Compare everything that both games state, but `ignore` and where it stood in the file."""

    def same(one: object, other: object, *skipped: str) -> None:
        for name, value in vars(one).items():
            said = getattr(other, name)
            if name not in (*skipped, *ignore) and value is not None and said is not None:
                assert value == said, name

    for one, other in zip(first.rounds, second.rounds, strict=True):
        assert one.events.tobytes() == other.events.tobytes()
        same(one, other, "events", "places", "wins", "standings")
        for win, read in zip(one.wins, other.wins, strict=True):
            same(win, read)
    same(first, second, "rounds", "source")


def looks(game: GameLog) -> list[list[tuple]]:
    """Return each round's events as they look, since formats without physical tiles choose their own copies."""

    def look(event: tuple) -> tuple:
        kind, seat, tile, source, consumed, drawn = event
        shown = tile if kind == 12 or tile == 255 else face_of(tile, game.rules.red_fives)
        own = sorted(face_of(each, game.rules.red_fives) for each in consumed if each != 255)
        return kind, seat, shown, source, own, drawn

    return [[look(event) for event in this.events.tolist()] for this in game.rounds]
