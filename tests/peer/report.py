"""The page that a full comparison writes about itself."""

from __future__ import annotations

from collections import Counter
from importlib.metadata import version
from pathlib import Path

from .side_by_side import Tally

_HEAD = """# Checked against riichienv

Our engine and riichienv {version} (Rust, `GameRule.default_tenhou()`) play the same walls with the same answers, and
everything they do is compared. They must agree

- at every decision, forced ones included, on which seats are asked, on what each may do, and on the dora indicators
  shown;
- at the end of every round on how it ended, on each win's seats, yaku, han, fu, liability and points, and on the
  scores, riichi bets, dealer, round and repeat counter that follow.

A difference fails the run unless `tests/peer/differences.py` recognizes it exactly and names its source.

This page is written by the run itself:

```sh
SUPHX_PEER_REPORT=peer.md pytest tests/peer -m full
```

A test makes sure that the comparison notices a wrong rule (`test_the_comparison_notices_another_rule`): it changes some
thirty rules, one at a time, and each time our engine must fail the comparison.

The games are of four kinds. *random*: any legal action. *sensible*: the rule-based player. *real*: logged games of
people. *steered*: players, walls and scores that make rare situations frequent.
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
