"""LiteEFG's `.game` files, read and written: a line for each node, then one for each information set.

    node /C:12 player 1 actions k b
    node /C:12/P1:k/P2:k leaf payoffs 1=-1 2=1
    infoset name nodes /C:12 /C:13

The name of a node is its history; `C:` and `P1:` say who moved. Players count from 1 there, from 0 here.
"""

import re
from pathlib import Path
from typing import Any

from simulator.files import write_whole
from suphx.equilibrium.flat_game import FlatGame
from suphx.equilibrium.game import CHANCE, END
from suphx.errors import InputError

_PLAYERS = re.compile(r"(?:num_)?players:\s*(\d+)")
MOST_PLAYERS = 10


class FileGame:
    """The game of a file; a state is the name of a node."""

    complete_names = True

    def __init__(self, players: int, nodes: dict[str, tuple[int, list]], infosets: dict[str, str]) -> None:
        self.players, self.nodes, self.infosets = players, nodes, infosets

    def root(self) -> str:
        return "/"

    def mover(self, state: str) -> int:
        return self.nodes[state][0]

    def actions(self, state: str) -> list:
        return self.nodes[state][1]

    def next(self, state: str, action: str) -> str:
        return _child(state, self.nodes[state][0], action)

    def seen(self, state: str) -> str:
        return self.infosets.get(state, state)  # a file need not name those of a single node

    def payoffs(self, state: str) -> list[float]:
        return self.nodes[state][1]


def _child(name: str, mover: int, label: str) -> str:
    return f"{name.rstrip('/')}/{'C' if mover == CHANCE else f'P{mover + 1}'}:{label}"


def read(path: Path) -> FileGame:
    """Read a file; InputError names the line that describes no game."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is no text file") from error
    header = next((match for line in lines if line.startswith("#") and (match := _PLAYERS.search(line))), None)
    if header is None or not 1 <= int(header[1]) <= MOST_PLAYERS:
        raise InputError(f"{path}: no `# num_players: N` of 1 to {MOST_PLAYERS} at the beginning")
    game, places = FileGame(int(header[1]), {}, {}), {}
    for number, line in enumerate(lines, 1):
        words = line.split()
        if not words or line.startswith("#"):
            continue
        try:
            _read_line(game, words)
        except (ValueError, IndexError, KeyError) as error:
            raise InputError(f"{path}, line {number}: {error or 'cannot be read'}") from error
        if words[0] == "node":
            places[words[1]] = number
    _check_whole(game, path, places)
    return game


def _read_line(game: FileGame, words: list[str]) -> None:
    if words[0] == "infoset" and words[2] == "nodes":
        for node in words[3:]:
            if node not in game.nodes:
                raise ValueError(f"information set {words[1]} has a node that there is not: {node}")
            game.infosets[node] = words[1]
        return
    if words[0] != "node" or words[1] in game.nodes:
        raise ValueError(f"neither a new node nor an information set: {' '.join(words)[:80]}")
    name, kind = words[1], words[2]
    if kind == "chance" and words[3] == "actions":
        game.nodes[name] = CHANCE, [(action, float(p)) for action, p in (word.rsplit("=", 1) for word in words[4:])]
        total = sum(probability for _, probability in game.nodes[name][1])
        if not abs(total - 1) <= 1e-6:
            raise ValueError(f"the probabilities sum to {total:.9g}, not to 1")
    elif kind == "player" and words[4] == "actions" and words[5:]:
        game.nodes[name] = _player(game, words[3]), words[5:]
    elif kind == "leaf" and words[3] == "payoffs":
        game.nodes[name] = END, _payoffs(game, words[4:])
    else:
        raise ValueError(f"a node is a chance, a player or a leaf, not {' '.join(words[2:])[:80]}")


def _payoffs(game: FileGame, words: list[str]) -> list[float]:
    payoffs = [(_player(game, player), float(value)) for player, value in (word.split("=") for word in words)]
    for player in range(game.players):
        if (count := sum(player == other for other, _ in payoffs)) != 1:
            raise ValueError(f"a leaf has one payoff for each player; player {player + 1} has {count}")
    return [value for _, value in sorted(payoffs)]


def _player(game: FileGame, word: str) -> int:
    if not 1 <= int(word) <= game.players:
        raise ValueError(f"there is no player {word}; the game has 1 to {game.players}")
    return int(word) - 1


def _check_whole(game: FileGame, path: Path, places: dict[str, int]) -> None:
    if "/" not in game.nodes:
        raise InputError(f"{path}: there is no node /, the root")
    for name, (mover, content) in game.nodes.items():
        for action in content if mover != END else []:
            label = action[0] if mover == CHANCE else action
            if game.next(name, label) not in game.nodes:
                raise InputError(f"{path}, line {places[name]}: nothing describes what follows {label} after {name}")
    owners: dict[str, int] = {}
    for node, infoset in game.infosets.items():
        if owners.setdefault(infoset, game.mover(node)) != game.mover(node):
            raise InputError(f"{path}, line {places[node]}: information set {infoset} has nodes of different players")


def write(game: FlatGame, path: Path) -> None:
    """Write a game as a file that LiteEFG reads too; spaces and slashes in names become `_`."""
    lines = [f"# Opt {{\n#     num_players: {game.players},\n# }}\n#"]
    members: dict[int, list[str]] = {}
    protocol = game.game
    stack: list[tuple[Any, str, int]] = [(protocol.root(), "/", 0)]
    while stack:
        state, name, node = stack.pop()
        mover = protocol.mover(state)
        if mover == END:
            won = " ".join(f"{p + 1}={value:.17g}" for p, value in enumerate(protocol.payoffs(state)))
            lines.append(f"node {name} leaf payoffs {won}")
            continue
        actions = list(protocol.actions(state))
        labels = [action for action, _ in actions] if mover == CHANCE else actions
        if mover == CHANCE:
            chances = " ".join(f"{_plain(action)}={probability:.17g}" for action, probability in actions)
            lines.append(f"node {name} chance actions {chances}")
        else:
            lines.append(f"node {name} player {mover + 1} actions {' '.join(map(_plain, labels))}")
            members.setdefault(int(game.tree.kind[node]), []).append(name)
        for at, label in reversed(list(enumerate(labels))):
            child = _child(name, mover, _plain(label))
            stack.append((protocol.next(state, label), child, int(game.tree.child[node]) + at))
    lines += [f"infoset {k}_{_plain(game.names[k])} nodes {' '.join(nodes)}" for k, nodes in sorted(members.items())]
    write_whole(path, ("\n".join(lines) + "\n").encode())


def _plain(label: Any) -> str:
    return re.sub(r"[\s/=]", "_", str(label))
