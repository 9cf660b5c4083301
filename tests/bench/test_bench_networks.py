"""The benchmark measures every size and layout, and its command prints them."""

import json

import typer
from typer.testing import CliRunner

from suphx.commands.bench.networks import networks

app = typer.Typer()
app.command()(networks)


def test_the_command_prints_rates_as_json():
    words = ["--sizes", "small", "--device", "cpu", "--threads", "1", "--seconds", "0.1", "--json"]
    result = CliRunner().invoke(app, words)
    assert result.exit_code == 0
    numbers = json.loads(result.stdout)
    assert numbers["threads"] == 1 and "on cpu" in numbers["precision"]
    for dtype in ("bfloat16", "float32"):
        assert set(numbers[f"small {dtype}"]) == {"inference_per_s", "first_layer_share", "training_per_s"}
        assert all(rate > 0 for rate in numbers[f"layouts 64 {dtype}"].values())


def test_the_command_names_the_sizes():
    result = CliRunner().invoke(app, ["--sizes", "huge"])
    assert "there are paper, base, small" in str(result.exception)
