"""`suphx average`: one agent from several trainings."""

from pathlib import Path
from typing import Annotated

import typer


def average(
    agents: Annotated[
        list[str],
        typer.Argument(metavar="AGENT...", help="Two or more: folders of weights, or names of included ones."),
    ],
    out: Annotated[Path, typer.Option(help="Folder for the average.")],
) -> None:
    """Make one agent of several trainings: its weights are the mean of theirs.

    The trainings must have begun with the same weights, as several seeds of `suphx train` do; the average of others
    is of no use. What chance did to their weights partly cancels in the mean; what all have learned stays.
    """
    if len(agents) < 2:
        raise typer.BadParameter("an average needs two agents or more", param_hint="AGENT")
    from suphx.agent.named_networks import weights_folder
    from suphx.networks.average import average_agents

    average_agents([weights_folder(each) for each in agents], out, ", ".join(agents))
    print(out)
