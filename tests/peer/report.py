"""The page that a full comparison writes about itself."""

from __future__ import annotations

from collections import Counter
from importlib.metadata import version
from pathlib import Path

from .side_by_side import Tally

_HEAD = """# Held against riichienv

Our engine and riichienv {version} (Rust, `GameRule.default_tenhou()`) play the same walls with the same answers. At
every decision, forced ones included, they must agree on who is asked, on what each seat may do, and on the dora
indicators shown; at the end of every round on the kind of end, on each win's seats, yaku, han, fu, liability and
points, and on the points, bets, dealer, round and repeat counter that follow. A difference fails the run unless
`tests/peer/differences.py` tells it apart exactly and names its source.

This page is written by the run itself:

```
SUPHX_PEER_REPORT=docs/peer.md pytest tests/peer -m full
```

That the comparison notices a rule that is off is itself a test (`test_the_comparison_notices_another_rule`): with any
one of some thirty rules changed, our engine must fail it.
"""


class Report:
    """Tallies by what was played."""

    def __init__(self) -> None:
        self.parts: dict[str, Tally] = {}

    def write(self, path: Path) -> None:
        """Write the page; parts that were not played are left out."""
        total = Tally()
        for tally in self.parts.values():
            total.add(tally)
        played = [
            [name, *(f"{number:,}" for number in (tally.games, tally.rounds, tally.decisions, tally.wins))]
            for name, tally in [*self.parts.items(), ("all", total)]
        ]
        differences = [[name, f"{count:,}"] for name, count in sorted(total.explained.items())]
        sections = [
            _HEAD.format(version=version("riichienv")),
            "## What was compared\n\n" + _table(["games", "games played", "rounds", "decisions", "wins"], played),
            "## Differences, each explained\n\n"
            + (_table(["difference", "decisions"], differences) if differences else "None.\n"),
            "## Rare situations\n\n" + _counts("situation", total.situations),
            "## How rounds ended\n\n" + _counts("end", total.endings),
            "## Actions taken\n\n" + _counts("action", total.chosen),
        ]
        path.write_text("\n".join(sections), encoding="utf-8")


def _table(head: list[str], rows: list[list[str]]) -> str:
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "".join("| " + " | ".join(row) + " |\n" for row in [head, rule, *rows])


def _counts(what: str, counts: Counter[str]) -> str:
    return _table([what, "times"], [[name, f"{count:,}"] for name, count in sorted(counts.items()) if count])
