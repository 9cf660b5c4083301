"""What this package adds to the program: commands, benchmarks, a view of the page, configurations, warming up."""

from pathlib import Path

from suphx.plugins import BENCHES, COMMANDS, CONFIGURATIONS, VIEWS, WARMUPS, View, lazy

for name in ("duel", "poker", "solve"):
    COMMANDS.register(name, "Solve games", lazy(f"suphx.equilibrium.commands.{name}", name))
BENCHES.register("solvers", "Commands", lazy("suphx.equilibrium.commands.bench", "solvers"))
for name in ("solve", "duel", "poker"):
    WARMUPS.register(name, "", lazy("suphx.equilibrium.warmup", f"warm_up_{name}"))
VIEWS.register("duel", "", lambda: View(Path(__file__).parent / "page", lazy("suphx.equilibrium.web", "duel_routes")))
for command, name, words in (
    ("samples", "SamplesConfig", "Solved endgames"),
    ("encodings", "EncodingsConfig", "Value networks"),
    ("leaf", "LeafConfig", "A value network in place of the river"),
    ("blueprint", "BlueprintConfig", "A strategy for hold'em"),
    ("train", "DeepFoolConfig", "A policy for hold'em"),
):
    module = "deepfool" if command == "train" else command
    CONFIGURATIONS.register(
        f"`suphx poker {command}`",
        f"{words} ([poker](poker.md)); `configs/poker-{command}.yaml`.",
        lazy(f"suphx.equilibrium.poker.{module}", name),
    )
