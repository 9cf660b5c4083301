"""The planes of a proposed call, and those that only the oracle sees."""

from suphx.features.layout_groups import BAR, COUNTS, FLAG, ONE, RIVALS, SEATS, SET, group, steps

VALUED_STEPS = steps(1, 2)
# The proposed call, and the hand after it (chow and pong: before the discard; kongs: before the replacement draw).
CALLED_LEFT_STEPS = steps(1, 2)
AFTER_SHANTEN_STEPS = steps(0, 1, 2, 3, 4)
AFTER_TILES_STEPS = steps(1, 4, 8, 12, 16, 24, 32)
AFTER_SAFE_STEPS = steps(1, 2, 4)
FEW = steps(0, 1, 2, 3)
PAIR_STEPS = steps(1, 2, 3, 4, 5)
SURE_HAN_STEPS = steps(1, 2, 3, 4, 5, 6)
MELD_DORA_STEPS = steps(1, 2, 3)
CALL_GROUPS = [
    group("call.what", FLAG, "{what}", "the kind of call that is proposed",
          what=("chow low", "chow middle", "chow high", "pong", "open kong", "closed kong", "added kong")),
    group("call.tile", ONE, "called tile", "the open tile that is called; of an own kong its kind"),
    group("call.red", FLAG, "called tile is red", "the open tile is a red five"),
    group("call.from", FLAG, "called from {seat}", "who has discarded it", seat=RIVALS),
    group("call.left", FLAG, "called kind left >= {n}", "tiles of the called kind that have not been seen",
          n=CALLED_LEFT_STEPS),
    group("call.used", SET, "uses >= {n}", "own concealed tiles that the call uses", n=COUNTS),
    group("call.used_red", ONE, "uses red", "the five whose own red tile it uses"),
    group("call.meld", SET, "meld", "kinds in the meld that comes to be"),
    group("call.spare_red", FLAG, "keeps red back", "the same call could use a red five and does not"),
    group("call.also", FLAG, "also: {what}", "other calls that may be made instead",
          what=("another chow", "pong", "open kong")),
    group("call.opens", FLAG, "opens the hand", "the hand was closed"),
    group("call.open", FLAG, "open melds after >= {n}", "melds that open the hand then", n=COUNTS),
    group("call.breaks", FLAG, "breaks ippatsu", "a rival could win with ippatsu now, and not after it"),
    group("call.last", FLAG, "{seat} draws last then", "who draws the last tile, if nobody calls after this",
          seat=SEATS),
    group("after.count", SET, "own >= {n} after", "kinds held concealed after the call", n=COUNTS),
    group("after.red", SET, "own red fives after", "fives whose red tile is held concealed then"),
    group("after.before", FLAG, "shanten before <= {n}", "shanten without the call", n=AFTER_SHANTEN_STEPS),
    group("after.shanten", FLAG, "shanten after <= {n}", "shanten with it, at best", n=AFTER_SHANTEN_STEPS),
    group("after.change", FLAG, "shanten {what}", "shanten after the call beside before",
          what=("lower", "equal", "higher")),
    group("after.before_tiles", FLAG, "accepted before >= {n}", "unseen tiles that lower the shanten without the call",
          n=AFTER_TILES_STEPS),
    group("after.tiles", FLAG, "accepted after >= {n}", "unseen tiles that lower the shanten after it, with the "
          "discard that leaves most", n=AFTER_TILES_STEPS),
    group("after.accepted", SET, "accepted after", "kinds that lower the shanten after any discard that keeps it"),
    group("after.best", ONE, "best discard after", "the discard that leaves most; of equals the higher kind"),
    group("after.best_accepted", SET, "accepted after best discard", "kinds that lower the shanten then"),
    group("after.keep", SET, "keeps shanten after", "discards that keep the shanten of after the call"),
    group("after.keep_tiles", SET, "keeps shanten after, accepts >= {n}", "... and accept at least {n} tiles",
          n=AFTER_TILES_STEPS),
    group("after.forbidden", SET, "forbidden after", "kinds that may not be discarded then (swap-calling)"),
    group("after.furiten", FLAG, "furiten after", "tenpai with the best discard, on a kind discarded before"),
    group("yaku.valued", FLAG, "valued melds after >= {n}", "han of own melds that are a yaku by themselves",
          n=VALUED_STEPS),
    group("yaku.valued_pairs", SET, "valued pairs after", "kinds held at least twice whose triplet is a yaku"),
    group("yaku.simples", FLAG, "all simples after", "no terminal or honor in the melds, and open tanyao counts"),
    group("yaku.not_simple", FLAG, "terminals and honors after <= {n}", "held concealed then", n=FEW),
    group("yaku.flush", FLAG, "flush of {suit}", "the melds are of this suit and honors alone", suit=("m", "p", "s")),
    group("yaku.off_flush", FLAG, "off the flush <= {n}", "concealed tiles outside of the nearest flush that the "
          "melds allow", n=FEW),
    group("yaku.triplets", FLAG, "all triplets after", "no chow in the melds"),
    group("yaku.pairs", FLAG, "pairs and triplets after >= {n}", "kinds held at least twice then", n=PAIR_STEPS),
    group("yaku.outside", FLAG, "outside hand after", "a terminal or honor in every meld"),
    group("yaku.runs", SET, "runs after", "lowest kinds of chows in the melds, for straights and three-color runs"),
    group("value.meld_dora", FLAG, "dora in the meld >= {n}", "dora and red fives in the proposed meld",
          n=MELD_DORA_STEPS),
    group("value.han", FLAG, "sure han >= {n}", "dora, red fives and valued melds after the call", n=SURE_HAN_STEPS),
    group("value.safe", FLAG, "own safe tiles from {rival} >= {n} after", "concealed tiles that are safe from {rival}",
          rival=RIVALS, n=AFTER_SAFE_STEPS),
]  # fmt: skip

# What the oracle sees in addition: all of it is hidden from the seat.
ORACLE_DRAWS = 36
ORACLE_SHANTEN_STEPS = steps(0, 1, 2, 3, 4, 5)
ORACLE_GROUPS = [
    group("oracle.count", SET, "{rival} >= {n}", "kinds that {rival} holds concealed at least {n} times",
          rival=RIVALS, n=COUNTS),
    group("oracle.red", SET, "{rival} red fives", "fives whose red tile {rival} holds concealed", rival=RIVALS),
    group("oracle.shanten", FLAG, "{rival} shanten <= {n}", "shanten of {rival}", rival=RIVALS,
          n=ORACLE_SHANTEN_STEPS),
    group("oracle.waits", SET, "{rival} waits", "kinds that complete the hand of {rival}", rival=RIVALS),
    group("oracle.furiten", FLAG, "{rival} furiten", "{rival} cannot ron", rival=RIVALS),
    group("oracle.draw", ONE, "draw {n}", "the {n}. tile to be drawn from the live wall",
          n=range(1, ORACLE_DRAWS + 1)),
    group("oracle.draw_red", SET, "red fives to be drawn", "fives whose red tile is among those"),
    group("oracle.rest", SET, "rest of the wall >= {n}", "kinds that lie at least {n} times in the live wall after "
          "those", n=COUNTS),
    group("oracle.replacement", ONE, "replacement {n}", "the tile to be drawn after the {n}. kong from now",
          n=range(1, 5)),
    group("oracle.indicator", ONE, "dora to come {n}", "the kind that the {n}. indicator from now makes dora",
          n=range(1, 5)),
    group("oracle.ura", ONE, "ura {n}", "the kind that the indicator under the {n}. one makes dora", n=range(1, 6)),
    group("oracle.race", BAR, "{seat} soon {what}", "34 less the draws of all until {seat} is {what}, if it knew the "
          "wall and nobody called; 0 if later or never", seat=SEATS,
          what=("1 from tenpai", "tenpai", "complete by any tile", "complete by an own draw")),
]  # fmt: skip
