"""Wins scored by the calculators of riichienv (Rust) and of the package mahjong (Python)."""

import importlib
from collections.abc import Callable

from wins import MadeWin

from simulator.record import MELD_ADDED_KONG, MELD_CHOW, MELD_CLOSED_KONG, MELD_OPEN_KONG, MELD_PONG
from simulator.scoring import winning as s


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
    by_draw, last = bool(win.situation & s.TSUMO), bool(win.situation & s.LAST_TILE)
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
    by_draw, last = bool(win.situation & s.TSUMO), bool(win.situation & s.LAST_TILE)
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
