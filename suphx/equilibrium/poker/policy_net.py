"""DeepFool's policy network: embeddings of rank, suit and card, a branch for the actions so far, and its weights."""

from pathlib import Path

import numpy as np
import torch
from torch import nn

from simulator.jit import jit
from suphx.equilibrium.poker.cards import CARDS
from suphx.equilibrium.poker.equity import chance
from suphx.equilibrium.poker.holdem import ACTIONS, HISTORY, OVER, SEATS, legal, pot
from suphx.equilibrium.poker.weights import fill, load_weights, save_weights

_MODEL = "poker-policy-2"
_STREET_CARDS = (0, 3, 4, 5)
#: Numbers of a decision beside cards and history: see `inputs`.
NUMBERS = 13
#: Random deals of the chance to win that the network sees.
_DEALS = 32
_WIDTH, _CARD, _ACTION = 256, 32, 8


@jit
def inputs(hands, cards, history, numbers, can):
    """Write what the mover of each undecided hand knows.

    cards: i64[n, 7], the mover's two and the board, 1 + card, 0 for none yet. history: i64[n, 48], as in the record.
    numbers: f32[n, 13]: street (4), chips in the middle, to call, behind (in hundreds of big blinds), seats from the
    button, players left, raises so far, share of the pot to call, 1 if a raise is legal, sampled chance to win, which
    depends on what the mover sees alone. can: bool[n, 6], what is legal.
    """
    deck = np.empty(CARDS, np.int64)
    for k in range(len(hands)):
        hand = hands[k]
        seat = hand["mover"]
        cards[k, 0], cards[k, 1] = 1 + hand["cards"][2 * seat], 1 + hand["cards"][2 * seat + 1]
        for at in range(5):
            seen = at < _STREET_CARDS[min(hand["street"], 3)]
            cards[k, 2 + at] = 1 + hand["cards"][2 * SEATS + at] if seen else 0
        for at in range(HISTORY):
            history[k, at] = hand["history"][at]
        legal(hand, can[k])
        live = 0
        for other in range(hand["seats"]):
            live += hand["folded"][other] == 0
        middle = pot(hand)
        call = min(hand["bet"] - hand["street_put"][seat], hand["stack"][seat])
        numbers[k, :] = 0
        numbers[k, min(hand["street"], 3)] = 1
        numbers[k, 4], numbers[k, 5], numbers[k, 6] = middle / 200, call / 200, hand["stack"][seat] / 200
        numbers[k, 7] = ((seat - hand["button"]) % hand["seats"]) / 5
        numbers[k, 8], numbers[k, 9] = live / 6, hand["raises"] / 4
        numbers[k, 10] = call / (middle + call)
        numbers[k, 11] = can[k, 5]
        numbers[k, 12] = chance(hand, 0, _DEALS, deck)


class PokerPolicyNetwork(nn.Module):
    """Log-probabilities of the six actions. A card's code is 1 + 4 * rank + suit, and 0 is no card."""

    def __init__(self) -> None:
        super().__init__()
        self.rank, self.suit = nn.Embedding(14, _CARD, padding_idx=0), nn.Embedding(5, _CARD, padding_idx=0)
        self.card = nn.Embedding(53, _CARD, padding_idx=0)
        self.action = nn.Embedding(1 + 6 * SEATS, _ACTION, padding_idx=0)
        self.own = nn.Sequential(nn.Linear(_CARD, _WIDTH), nn.ReLU())
        self.board = nn.Sequential(nn.Linear(_CARD, _WIDTH), nn.ReLU())
        self.past = nn.Sequential(nn.Linear(HISTORY * _ACTION, _WIDTH), nn.ReLU())
        self.merged = nn.Sequential(
            nn.Linear(2 * _WIDTH + NUMBERS, _WIDTH), nn.Dropout(0.1), nn.ReLU(), nn.Linear(_WIDTH, _WIDTH), nn.ReLU(),
            nn.Linear(_WIDTH, len(ACTIONS)),
        )  # fmt: skip

    def forward(
        self, cards: torch.Tensor, history: torch.Tensor, numbers: torch.Tensor, can: torch.Tensor
    ) -> torch.Tensor:
        """Return f32[n, 6]; -inf for actions that are not legal. Arguments as `inputs` writes them."""
        there = cards > 0
        rank, suit = torch.where(there, (cards - 1) // 4 + 1, 0), torch.where(there, (cards - 1) % 4 + 1, 0)
        each = self.rank(rank) + self.suit(suit) + self.card(cards)
        seen = self.own(each[:, :2].sum(1)) + self.board(each[:, 2:].sum(1))
        merged = torch.cat([seen, self.past(self.action(history).flatten(1)), numbers], 1)
        return self.merged(merged).masked_fill(~can, -torch.inf).log_softmax(1)


def tensors(hands: np.ndarray) -> tuple[torch.Tensor, ...]:
    """Return the network's inputs for hands that are not over."""
    if (hands["street"] == OVER).any():
        raise ValueError("nobody decides in a hand that is over")
    n = len(hands)
    arrays = (np.empty((n, 7), np.int64), np.empty((n, HISTORY), np.int64), np.empty((n, NUMBERS), np.float32),
              np.empty((n, 6), np.bool_))  # fmt: skip
    inputs(hands, *arrays)
    return tuple(torch.from_numpy(each) for each in arrays)


@torch.no_grad()
def probabilities(network: PokerPolicyNetwork, hands: np.ndarray, batch: int = 4096) -> np.ndarray:
    """Return f32[n, 6], how probable each action of each mover is; the network is put into evaluation mode."""
    network.eval()
    parts = [network(*tensors(hands[at : at + batch])).exp().numpy() for at in range(0, len(hands), batch)]
    return np.concatenate(parts) if parts else np.zeros((0, 6), np.float32)


def divergence(logs: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Return the mean KL divergence of target probabilities f32[n, 6] from log-probabilities."""
    terms = torch.xlogy(target, target) - torch.where(target > 0, target * logs, 0.0)
    return terms.sum(1).mean()


def save_policy(path: Path, network: PokerPolicyNetwork, state: dict) -> None:
    """Write the weights, and the state of the training (JSON values), as safetensors; replaced as a whole or not."""
    save_weights(path, _MODEL, network.state_dict(), state)


def load_policy(path: Path) -> tuple[PokerPolicyNetwork, dict]:
    """Read what `save_policy` wrote; InputError names the file if it is anything else."""
    tensors, state = load_weights(path, _MODEL)
    network = PokerPolicyNetwork()
    fill(path, network, tensors)
    return network, state
