"""Kuhn poker for two or more players. Source: Kuhn 1950; for more players Abou Risk and Szafron 2010."""

from suphx.equilibrium.game import CHANCE, END
from suphx.errors import InputError


class Kuhn:
    """One card each of players + 1, ante 1, one bet of 1. p: check or fold; b: bet or call.

    A state is (cards, actions); an information set is named by the card and the actions: `Kpb`.
    """

    def __init__(self, players: int = 2) -> None:
        if not 2 <= players <= 9:
            raise InputError(f"Kuhn poker has 2 to 9 players, not {players}")
        self.players = players
        self.cards = "JQKA"[: players + 1] if players < 4 else "0123456789"[: players + 1]

    def root(self) -> tuple[str, str]:
        return "", ""

    def mover(self, state: tuple[str, str]) -> int:
        cards, played = state
        if len(cards) < self.players:
            return CHANCE
        bet = played.find("b")
        over = len(played) == self.players if bet < 0 else len(played) == bet + self.players
        return END if over else len(played) % self.players

    def actions(self, state: tuple[str, str]) -> list:
        left = [card for card in self.cards if card not in state[0]]
        return [(card, 1 / len(left)) for card in left] if len(state[0]) < self.players else ["p", "b"]

    def next(self, state: tuple[str, str], action: str) -> tuple[str, str]:
        cards, played = state
        return (cards + action, "") if len(cards) < self.players else (cards, played + action)

    def seen(self, state: tuple[str, str]) -> str:
        return state[0][len(state[1]) % self.players] + state[1]

    def payoffs(self, state: tuple[str, str]) -> list[float]:
        cards, played = state
        bettors = [at % self.players for at, action in enumerate(played) if action == "b"] or list(range(self.players))
        paid = [1.0 + (p in bettors and "b" in played) for p in range(self.players)]
        winner = max(bettors, key=lambda p: self.cards.index(cards[p]))
        return [(sum(paid) if p == winner else 0.0) - paid[p] for p in range(self.players)]
