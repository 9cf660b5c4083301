"""`suphx review`: games and an agent's view of them, each as a page in one file."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typer import Argument, Option

from suphx.agent import DEFAULT_AGENT
from suphx.commands.options import Reviewer

if TYPE_CHECKING:
    from simulator.logs.model import GameLog
    from suphx.review.document import Review


def review(
    logs: Annotated[
        list[str], Argument(metavar="LOG...", help="Logs, folders or archives of logs, ids or addresses at Tenhou.")
    ],
    seat: Annotated[int | None, Option(min=0, max=3, help="Review only this seat, 0 to 3.")] = None,
    player: Annotated[str | None, Option(help="Review only the player of this name.")] = None,
    agent: Reviewer = DEFAULT_AGENT,
    out: Annotated[
        Path | None, Option(help="The file to write, or a folder for several; by default LOG.html in this folder.")
    ] = None,
    game: Annotated[int | None, Option(min=1, help="Only this game of each, from 1; by default all.")] = None,
    logs_at: Annotated[
        Path | None, Option("--logs", help="Folder or archive of Tenhou's logs; by default they are fetched.")
    ] = None,
    as_json: Annotated[bool, Option("--json", help="Print each review as JSON; pages need --out then.")] = False,
) -> None:
    """Write a page about each game: the table, step by step, and an agent's view of every decision.

    A page is a single HTML file that needs no network. What cannot be reviewed is named and left out (exit status 1).
    """
    from simulator.jit import compile_beside

    compile_beside("suphx.review.listing", "compile_features")  # before the imports, which take seconds
    from simulator.files import UniqueNames, write_whole
    from simulator.logs.model import LogError
    from suphx.agent.registry import load_agent
    from suphx.errors import InputError
    from suphx.review.analysis import review_game
    from suphx.review.logs import find_games
    from suphx.web.assets import review_page

    if seat is not None and player is not None:
        raise InputError("--seat and --player both choose whom to review; use one of them")
    if out is not None and out.resolve() in [Path(log).resolve() for log in logs]:
        raise InputError(f"--out {out}: the page would replace the log")
    names = UniqueNames(".html")
    reviewer = None
    pages = failed = 0
    for each in find_games(logs, game, logs_at):
        if isinstance(each, Exception):
            print(each, file=sys.stderr)
            failed += 1
            continue
        log, viewer = each
        reviewer = reviewer or load_agent(agent)
        try:
            chosen = _seat(log, player) if player is not None else viewer if seat is None else seat
            reviewed = review_game(log, reviewer, agent, range(4) if chosen is None else [chosen])
        except (InputError, LogError) as error:
            print(error, file=sys.stderr)
            failed += 1
            continue
        for words in filter(None, (log.missing, log.remark)):
            print(f"{log.source}: {words}", file=sys.stderr)
        page = out
        if (out is None and not as_json) or (out is not None and out.is_dir()):
            page = (out or Path()) / names.name(reviewed.source)
        elif out is not None and pages:
            raise InputError(f"--out {out}: a page holds one game; for several, name a folder")
        if page is not None:
            write_whole(page, review_page(reviewed))
        pages += 1
        _report(reviewed, page, as_json)
    if failed:
        raise typer.Exit(1)


def _seat(log: "GameLog", player: str) -> int:
    from suphx.errors import InputError

    if player not in log.names:
        raise InputError(f"{log.source}: no player {player!r}; there are {', '.join(map(repr, log.names))}")
    return log.names.index(player)


def _report(reviewed: "Review", page: Path | None, as_json: bool) -> None:
    if as_json:
        print(reviewed.model_dump_json())
        return
    for each in reviewed.seats:
        rating = "no decisions" if each.rating is None else f"rating {each.rating:.1f}"
        print(f"{reviewed.names[each.seat] or f'seat {each.seat}'}: {rating}, agrees in {each.agreed} of {each.count}")
    print(page)
