"""Leduc hold'em for two players. Source: Southey et al. 2005, "Bayes' bluff"; sizes as in OpenSpiel."""

from suphx.equilibrium.game import CHANCE, END

ANTE, RAISES, MOST_RAISES = 1, (2, 4), 2
CARDS = ("J1", "J2", "Q1", "Q2", "K1", "K2")


class Leduc:
    """Six cards, one each, then one for both; a round of betting before it and one after. f: fold, c: call, r: raise.

    A state is (cards, actions of the two rounds); an information set is named by the own card, the common one and the
    actions: `K1 J2 rc/c`.
    """

    players = 2

    def root(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        return (), ("",)

    @staticmethod
    def _closed(played: str) -> bool:
        return len(played) > 1 and played[-1] == "c"

    def mover(self, state: tuple) -> int:
        cards, rounds = state
        if rounds[-1].endswith("f") or (len(rounds) == 2 and self._closed(rounds[1])):
            return END
        if len(cards) < 2 or len(cards) - 1 < len(rounds):
            return CHANCE
        return len(rounds[-1]) % 2

    def actions(self, state: tuple) -> list:
        cards, rounds = state
        if self.mover(state) == CHANCE:
            left = [card for card in CARDS if card not in cards]
            return [(card, 1 / len(left)) for card in left]
        played = rounds[-1]
        return ["f"] * played.endswith("r") + ["c"] + ["r"] * (played.count("r") < MOST_RAISES)

    def next(self, state: tuple, action: str) -> tuple:
        cards, rounds = state
        if action in CARDS:
            return (*cards, action), rounds
        played = rounds[-1] + action
        return cards, (*rounds[:-1], played, *([""] if self._closed(played) and len(rounds) == 1 else []))

    def seen(self, state: tuple) -> str:
        cards, rounds = state
        return " ".join([cards[self.mover(state)], *cards[2:], "/".join(rounds)])

    def payoffs(self, state: tuple) -> list[float]:
        cards, rounds = state
        paid = [ANTE, ANTE]
        for played, size in zip(rounds, RAISES, strict=False):
            for at, action in enumerate(played):
                if action != "f":
                    paid[at % 2] = max(paid) + size * (action == "r")
        if rounds[-1].endswith("f"):
            winner = len(rounds[-1]) % 2  # who did not fold
        else:
            hands = [(card[0] == cards[2][0], "JQK".index(card[0])) for card in cards[:2]]
            if hands[0] == hands[1]:
                return [0.0, 0.0]
            winner = int(hands[1] > hands[0])
        return [float(paid[1 - winner]) if p == winner else -float(paid[p]) for p in range(2)]
