"""Benchmark scored wins per second on one core, against the calculators of riichienv (Rust) and mahjong (Python)."""

import importlib
import time
from collections.abc import Callable

from simulator.record import MELD_ADDED_KONG, MELD_CHOW, MELD_CLOSED_KONG, MELD_OPEN_KONG, MELD_PONG
from simulator.scoring import winning as s
from suphx.bench.wins import MadeWin, as_arrays, make_wins, score_made


def riichienv_scorer(win: MadeWin) -> Callable[[], object]:
    """Return a function that scores the win with riichienv's Rust core, without its Python wrapper.

    The arguments are prepared beforehand.
    """
    peer = importlib.import_module("riichienv._riichienv")
    types = {
        MELD_CHOW: peer.MeldType.Chi, MELD_PONG: peer.MeldType.Pon, MELD_OPEN_KONG: peer.MeldType.Daiminkan,
        MELD_CLOSED_KONG: peer.MeldType.Ankan, MELD_ADDED_KONG: peer.MeldType.Kakan,
    }  # fmt: skip
    melds = [peer.Meld(types[kind], sorted(tiles), kind != MELD_CLOSED_KONG) for kind, tiles in win.melds]
    by_draw, last = bool(win.situation & s.BY_DRAW), bool(win.situation & s.LAST_TILE)
    winds = (peer.Wind.East, peer.Wind.South, peer.Wind.West, peer.Wind.North)
    conditions = peer.Conditions(
        tsumo=by_draw, riichi=bool(win.situation & s.RIICHI), double_riichi=bool(win.situation & s.DOUBLE_RIICHI),
        ippatsu=bool(win.situation & s.IPPATSU), haitei=last and by_draw, houtei=last and not by_draw,
        rinshan=bool(win.situation & s.REPLACEMENT), chankan=bool(win.situation & s.ROBBED_KONG),
        tsumo_first_turn=bool(win.situation & s.FIRST_TURN),
        player_wind=winds[win.seat_wind], round_wind=winds[win.round_wind],
    )  # fmt: skip
    tiles, dora, ura = list(win.tiles), list(win.dora), list(win.ura)
    evaluator = peer.HandEvaluator
    return lambda: evaluator(tiles, melds).calc(tiles[-1], dora, ura, conditions)


def mahjong_scorer(win: MadeWin) -> Callable[[], object]:
    """Return a function that scores the win with the mahjong package, with arguments prepared beforehand."""
    config_module = importlib.import_module("mahjong.hand_calculating.hand_config")
    calculator = importlib.import_module("mahjong.hand_calculating.hand").HandCalculator
    meld_class = importlib.import_module("mahjong.meld").Meld
    types = {
        MELD_CHOW: meld_class.CHI, MELD_PONG: meld_class.PON, MELD_OPEN_KONG: meld_class.KAN,
        MELD_CLOSED_KONG: meld_class.KAN, MELD_ADDED_KONG: meld_class.SHOUMINKAN,
    }  # fmt: skip
    melds = [meld_class(types[kind], sorted(tiles), kind != MELD_CLOSED_KONG) for kind, tiles in win.melds]
    by_draw, last = bool(win.situation & s.BY_DRAW), bool(win.situation & s.LAST_TILE)
    first = bool(win.situation & s.FIRST_TURN)
    config = config_module.HandConfig(
        is_tsumo=by_draw, is_riichi=bool(win.situation & (s.RIICHI | s.DOUBLE_RIICHI)),
        is_daburu_riichi=bool(win.situation & s.DOUBLE_RIICHI), is_ippatsu=bool(win.situation & s.IPPATSU),
        is_rinshan=bool(win.situation & s.REPLACEMENT), is_chankan=bool(win.situation & s.ROBBED_KONG),
        is_haitei=last and by_draw, is_houtei=last and not by_draw,
        is_tenhou=first and win.seat_wind == 0, is_chiihou=first and win.seat_wind != 0,
        player_wind=27 + win.seat_wind, round_wind=27 + win.round_wind,
        options=config_module.OptionalRules(has_open_tanyao=True, has_aka_dora=True, has_double_yakuman=False),
    )  # fmt: skip
    tiles = [*win.tiles, *(tile for _, meld in win.melds for tile in meld)]
    dora, ura = list(win.dora), list(win.ura)
    return lambda: calculator.estimate_hand_value(
        tiles, win.tiles[-1], melds, dora, config, ura_dora_indicators=ura or None
    )


def bench_scoring(seconds: float = 6.0, wins: int = 4000, seed: int = 1) -> dict[str, float]:
    """Return the wins scored per second by us and by both peers, and the ratios; they take turns on the same wins.

    Ours is `score_batch`, including payments. The peers' arguments are prepared beforehand. `compile_s` is the time to
    our first result in this process: several seconds without a cache of compiled code.
    """
    made = list(make_wins(wins, seed))
    arrays = as_arrays(made)
    start = time.perf_counter()
    score_made(arrays)
    compile_s = time.perf_counter() - start
    peers = {
        "riichienv": [riichienv_scorer(win) for win in made],
        "mahjong": [mahjong_scorer(win) for win in made[: max(1, wins // 20)]],
    }
    done = {"ours": 0, "riichienv": 0, "mahjong": 0}
    spent = dict.fromkeys(done, 0.0)
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or not all(done.values()):
        turn = time.perf_counter()
        for _ in range(50):
            score_made(arrays)
        spent["ours"] += time.perf_counter() - turn
        done["ours"] += 50 * wins
        for name, scorers in peers.items():
            turn = time.perf_counter()
            for scorer in scorers:
                scorer()
            spent[name] += time.perf_counter() - turn
            done[name] += len(scorers)
    rates = {name: done[name] / spent[name] for name in done}
    return {
        "wins_per_second": rates["ours"],
        "riichienv_wins_per_second": rates["riichienv"],
        "mahjong_wins_per_second": rates["mahjong"],
        "ratio_riichienv": rates["ours"] / rates["riichienv"],
        "ratio_mahjong": rates["ours"] / rates["mahjong"],
        "compile_s": compile_s,
    }
