"""External bots by name: `bot:COMMAND`, `bot-every:COMMAND`, `bot-acting:COMMAND`, `majiang`, `majiang:FOLDER`."""

import json
import shlex
import shutil
from pathlib import Path

from suphx.errors import InputError
from suphx.mjai.host.agent import ExternalAgent
from suphx.mjai.host.connections import BotProcess, Door, TcpConnection
from suphx.mjai.host.limits import Limits
from suphx.mjai.host.seat import STYLES, Style

MAJIANG = "majiang"
#: Seconds for a decision, which takes some 20 ms, but occasionally a second, and several seconds on a busy core.
MAJIANG_DECISION = 60.0
SEAT = "{seat}"
_LONGEST_NAME = 40
_ADAPTER = Path(__file__).parents[1] / "majiang"
_KINDS: dict[str, Style] = {"bot": "array", **{f"bot-{style}": style for style in STYLES}}


def limits_of(name: str, decision: float | None = None, start: float = Limits.start) -> Limits:
    """Return the limits of the bot with a name; decision: by default its usual time."""
    usual = MAJIANG_DECISION if name.partition(":")[0] == MAJIANG else Limits.decision
    return Limits(decision=usual if decision is None else decision, start=start)


def external_agent(name: str, limits: Limits) -> ExternalAgent:
    """Return the external bot of a name.

    name: `bot:COMMAND` (arrays of events), `bot-every:COMMAND`, `bot-acting:COMMAND` (`styles.Style`); `{seat}` in the
    command is replaced by the seat, and such a process plays only one game, while others are reused for further games.
    `majiang`: the player of @kobalab/majiang-ai, with the packages in its adapter's folder, or `majiang:FOLDER`.
    Raises InputError if the command is empty or malformed, or if majiang-ai is not installed.
    """
    kind, _, rest = name.partition(":")
    if kind == MAJIANG:
        return process_agent(_majiang_command(rest), "array", limits, MAJIANG)
    try:
        command = shlex.split(rest)
    except ValueError as error:
        raise InputError(f"bot {rest!r}: {error}") from None
    if not command:
        raise InputError(f"{name!r}: a bot needs a command, as in {kind}:'python bot.py {SEAT}'")
    return process_agent(command, _KINDS[kind], limits)


class TcpAgent(ExternalAgent):
    """A bot that connects by TCP: its first client sets its name, which clients in later games must also have."""

    def __init__(self, door: Door, limits: Limits) -> None:
        """Make an agent; it waits for a client only when a game starts."""
        super().__init__("tcp", self._come, "every", limits)
        self._door = door
        self._has_come = False

    def _come(self, seat: int) -> TcpConnection:
        client = self._door.take(self.name if self._has_come else "")
        self.name, self._has_come = client.name, True
        return client


def process_agent(command: list[str], style: Style, limits: Limits, name: str = "") -> ExternalAgent:
    """Return the agent of a bot that is started by a command; `{seat}` in it is replaced by the seat."""

    def connect(seat: int) -> BotProcess:
        return BotProcess([word.replace(SEAT, str(seat)) for word in command], limits)

    reusable = not any(SEAT in word for word in command)
    name = name or " ".join(Path(word).name or word for word in command)  # without folder names
    name = name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 3] + "..."
    return ExternalAgent(name, connect, style, limits, reusable)


def _majiang_command(folder: str) -> list[str]:
    node = shutil.which("node")
    if node is None:
        raise InputError("majiang needs Node.js 18 or later: there is no `node` on the path")
    packages = Path(folder or _ADAPTER).resolve()
    if not (packages / "node_modules" / "@kobalab" / "majiang-ai").is_dir():
        pinned = json.loads((_ADAPTER / "package.json").read_text())["dependencies"]
        names = " ".join(f"{name}@{version}" for name, version in pinned.items())
        fix = f"npm install --prefix {packages} {names}" if folder else f"npm ci --prefix {packages}"
        raise InputError(f"majiang: @kobalab/majiang-ai is not installed in {packages}: run {fix}")
    return [node, str(_ADAPTER / "bot.js"), str(packages)]
