"""`suphx review`: a game and an agent's view of it, as a page in one file."""

import sys
from pathlib import Path
from typing import Annotated

from typer import Argument, Option

from suphx.agent import DEFAULT_AGENT
from suphx.commands.options import Reviewer


def review(
    log: Annotated[str, Argument(help="A log, or the address of a game at Tenhou.")],
    seat: Annotated[int | None, Option(min=0, max=3, help="Review only this seat, 0 to 3.")] = None,
    player: Annotated[str | None, Option(help="Review only the player of this name.")] = None,
    agent: Reviewer = DEFAULT_AGENT,
    out: Annotated[Path | None, Option(help="The file to write; by default LOG.html in this folder.")] = None,
    game: Annotated[int, Option(min=1, help="Which game, from 1, of a file with several.")] = 1,
    logs: Annotated[Path | None, Option(help="Folder or archive of Tenhou's logs; by default it is fetched.")] = None,
    as_json: Annotated[bool, Option("--json", help="Print the review as JSON; a page needs --out then.")] = False,
) -> None:
    """Write a page about a game: the table, step by step, and an agent's view of every decision.

    The page is a single HTML file that needs no network.
    """
    from simulator.jit import compile_beside

    compile_beside("suphx.review.listing", "compile_features")  # before the imports, which take seconds
    from simulator.files import UniqueNames, write_whole
    from suphx.agent.registry import load_agent
    from suphx.errors import InputError
    from suphx.review.analysis import review_game
    from suphx.review.logs import find_game
    from suphx.web.assets import review_page

    if seat is not None and player is not None:
        raise InputError("--seat and --player both choose whom to review; use one of them")
    if out is not None and out.resolve() == Path(log).resolve():
        raise InputError(f"--out {out}: the page would replace the log")
    game_log, viewer = find_game(log, game, logs)
    for words in filter(None, (game_log.missing, game_log.remark)):
        print(f"{game_log.source}: {words}", file=sys.stderr)
    if player is not None:
        if player not in game_log.names:
            raise InputError(
                f"{game_log.source}: no player {player!r}; there are {', '.join(map(repr, game_log.names))}"
            )
        seat = game_log.names.index(player)
    if seat is None:
        seat = viewer
    reviewed = review_game(game_log, load_agent(agent), agent, range(4) if seat is None else [seat])
    if out is None and not as_json:
        out = Path(UniqueNames(".html").name(reviewed.source))
    if out is not None:
        write_whole(out, review_page(reviewed))
    if as_json:
        print(reviewed.model_dump_json())
        return
    for each in reviewed.seats:
        rating = "no decisions" if each.rating is None else f"rating {each.rating:.1f}"
        print(f"{reviewed.names[each.seat] or f'seat {each.seat}'}: {rating}, agrees in {each.agreed} of {each.count}")
    print(out)
