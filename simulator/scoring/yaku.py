"""The yaku: Tenhou's numbers, names and han, and the masks with which the compiled scoring adds up han.

A hand's yaku are one int64, bit y for the yaku with Tenhou's number y.
"""

from typing import NamedTuple

import numpy as np

#: Han of each yakuman in Tenhou's lists.
_YAKUMAN_HAN = 13


class Yaku(NamedTuple):
    """A yaku; `open_han` 0 means that it needs a closed hand, `han` 0 that it is dora or a yakuman."""

    number: int
    name: str
    japanese: str
    han: int
    open_han: int

    @property
    def label(self) -> str:
        """The English name, followed by the Japanese term if that is different."""
        return self.name if self.name == self.japanese else f"{self.name} ({self.japanese})"


MENZEN_TSUMO, RIICHI, IPPATSU, CHANKAN, RINSHAN, HAITEI, HOUTEI, PINFU, TANYAO, IIPEIKO = range(10)
SEAT_WIND, ROUND_WIND, DRAGON = 10, 14, 18  # the first of four, four and three
(
    DOUBLE_RIICHI, SEVEN_PAIRS, CHANTA, ITTSU, SANSHOKU, SANSHOKU_DOUKOU, SANKANTSU, TOITOI, SANANKOU, SHOUSANGEN,
    HONROUTOU, RYANPEIKO, JUNCHAN, HONITSU, CHINITSU, RENHOU, TENHOU, CHIIHOU, DAISANGEN, SUUANKOU, SUUANKOU_TANKI,
    TSUUIISOU, RYUUIISOU, CHINROUTOU, CHUUREN, JUNSEI_CHUUREN, KOKUSHI, KOKUSHI_13, DAISUUSHII, SHOUSUUSHII, SUUKANTSU,
    DORA, URA_DORA, RED_FIVE,
) = range(21, 55)  # fmt: skip

_WINDS = (("east", "ton"), ("south", "nan"), ("west", "shaa"), ("north", "pei"))

#: Every yaku at the index of its number; dora, ura dora and red fives (52-54) are not yaku but listed with them.
YAKU: tuple[Yaku, ...] = (
    Yaku(MENZEN_TSUMO, "fully concealed hand", "menzen tsumo", 1, 0),
    Yaku(RIICHI, "riichi", "riichi", 1, 0),
    Yaku(IPPATSU, "one shot", "ippatsu", 1, 0),
    Yaku(CHANKAN, "robbing a kong", "chankan", 1, 1),
    Yaku(RINSHAN, "after a kong", "rinshan kaihou", 1, 1),
    Yaku(HAITEI, "last tile draw", "haitei", 1, 1),
    Yaku(HOUTEI, "last tile claim", "houtei", 1, 1),
    Yaku(PINFU, "all runs", "pinfu", 1, 0),
    Yaku(TANYAO, "all simples", "tanyao", 1, 1),
    Yaku(IIPEIKO, "twin runs", "iipeiko", 1, 0),
    *(Yaku(SEAT_WIND + i, f"seat wind {name}", f"jikaze {short}", 1, 1) for i, (name, short) in enumerate(_WINDS)),
    *(Yaku(ROUND_WIND + i, f"round wind {name}", f"bakaze {short}", 1, 1) for i, (name, short) in enumerate(_WINDS)),
    Yaku(DRAGON, "white dragon", "haku", 1, 1),
    Yaku(DRAGON + 1, "green dragon", "hatsu", 1, 1),
    Yaku(DRAGON + 2, "red dragon", "chun", 1, 1),
    Yaku(DOUBLE_RIICHI, "double riichi", "double riichi", 2, 0),
    Yaku(SEVEN_PAIRS, "seven pairs", "chiitoitsu", 2, 0),
    Yaku(CHANTA, "mixed outside hand", "chanta", 2, 1),
    Yaku(ITTSU, "full straight", "ittsu", 2, 1),
    Yaku(SANSHOKU, "three-colored runs", "sanshoku doujun", 2, 1),
    Yaku(SANSHOKU_DOUKOU, "three-colored triplets", "sanshoku doukou", 2, 2),
    Yaku(SANKANTSU, "three kongs", "sankantsu", 2, 2),
    Yaku(TOITOI, "all triplets", "toitoi", 2, 2),
    Yaku(SANANKOU, "three concealed triplets", "sanankou", 2, 2),
    Yaku(SHOUSANGEN, "little three dragons", "shousangen", 2, 2),
    Yaku(HONROUTOU, "all terminals and honors", "honroutou", 2, 2),
    Yaku(RYANPEIKO, "double twin runs", "ryanpeiko", 3, 0),
    Yaku(JUNCHAN, "pure outside hand", "junchan", 3, 2),
    Yaku(HONITSU, "half flush", "honitsu", 3, 2),
    Yaku(CHINITSU, "full flush", "chinitsu", 6, 5),
    Yaku(RENHOU, "blessing of man", "renhou", 0, 0),
    Yaku(TENHOU, "blessing of heaven", "tenhou", 0, 0),
    Yaku(CHIIHOU, "blessing of earth", "chiihou", 0, 0),
    Yaku(DAISANGEN, "big three dragons", "daisangen", 0, 0),
    Yaku(SUUANKOU, "four concealed triplets", "suuankou", 0, 0),
    Yaku(SUUANKOU_TANKI, "single-wait four concealed triplets", "suuankou tanki", 0, 0),
    Yaku(TSUUIISOU, "all honors", "tsuuiisou", 0, 0),
    Yaku(RYUUIISOU, "all green", "ryuuiisou", 0, 0),
    Yaku(CHINROUTOU, "all terminals", "chinroutou", 0, 0),
    Yaku(CHUUREN, "nine gates", "chuuren poutou", 0, 0),
    Yaku(JUNSEI_CHUUREN, "pure nine gates", "junsei chuuren poutou", 0, 0),
    Yaku(KOKUSHI, "thirteen orphans", "kokushi musou", 0, 0),
    Yaku(KOKUSHI_13, "thirteen-sided thirteen orphans", "kokushi musou 13", 0, 0),
    Yaku(DAISUUSHII, "big four winds", "daisuushii", 0, 0),
    Yaku(SHOUSUUSHII, "little four winds", "shousuushii", 0, 0),
    Yaku(SUUKANTSU, "four kongs", "suukantsu", 0, 0),
    Yaku(DORA, "dora", "dora", 0, 0),
    Yaku(URA_DORA, "ura dora", "ura dora", 0, 0),
    Yaku(RED_FIVE, "red fives", "akadora", 0, 0),
)


def _han_mask(which: str, bit: int) -> int:
    return sum(1 << yaku.number for yaku in YAKU if getattr(yaku, which) >> bit & 1)


#: Masks of the yaku whose han has bit 0, 1 or 2 set: a hand's han is a weighted sum of three bit counts.
HAN_1, HAN_2, HAN_4 = (_han_mask("han", bit) for bit in range(3))
OPEN_HAN_1, OPEN_HAN_2, OPEN_HAN_4 = (_han_mask("open_han", bit) for bit in range(3))

#: The yakuman that `Rules.double_yakuman` counts twice.
DOUBLE_YAKUMAN = 1 << SUUANKOU_TANKI | 1 << JUNSEI_CHUUREN | 1 << KOKUSHI_13 | 1 << DAISUUSHII


def yaku_of(mask: int) -> list[Yaku]:
    """Return the yaku in a mask, in the order of their numbers."""
    return [yaku for yaku in YAKU if mask >> yaku.number & 1]


def yaku_with_han(win: np.void) -> list[tuple[int, int]]:
    """Return (Tenhou's yaku number, han) for a WIN record as Tenhou lists them, in order of number.

    Each yakuman has 13 han. Other hands also list dora, ura dora (with riichi even if there is none) and red fives.
    """
    yaku_list = yaku_of(int(win["yaku"]))
    if win["yakuman"]:
        return [(yaku.number, _YAKUMAN_HAN) for yaku in yaku_list]
    listed = [(yaku.number, yaku.han if win["closed"] else yaku.open_han) for yaku in yaku_list]
    in_riichi = any(yaku.number in (RIICHI, DOUBLE_RIICHI) for yaku in yaku_list)
    extra = ((DORA, win["dora"], False), (URA_DORA, win["ura"], in_riichi), (RED_FIVE, win["red"], False))
    return listed + [(number, int(count)) for number, count, always in extra if count or always]
