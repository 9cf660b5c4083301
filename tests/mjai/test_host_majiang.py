"""majiang-ai at our table, and its adapter; skipped where Node.js or the packages are not installed."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hosted import play
from table import Scene

import suphx.mjai
from simulator.logs.mjai_writer import player_view, start_game
from simulator.views.mjai_events import EventFeed
from suphx.agent.registry import load_agent
from suphx.errors import InputError
from suphx.mjai.host.agent import in_mjai_order

ADAPTER = Path(suphx.mjai.__file__).parent / "majiang"
INSTALLED = (ADAPTER / "node_modules" / "@kobalab" / "majiang-ai").is_dir()
needs_node = pytest.mark.skipif(not shutil.which("node"), reason="Node.js is not installed")
needs_packages = pytest.mark.skipif(
    not (shutil.which("node") and INSTALLED), reason=f"majiang-ai is not installed: run npm ci --prefix {ADAPTER}"
)


@needs_packages
def test_it_plays_without_fault():
    agent = load_agent("majiang")
    (game,) = play(agent, seed=7)
    assert agent.verdict.faults == {} and not any(game.faults)
    assert agent.verdict.decisions > 20


@needs_node
def test_where_the_packages_are_missing_it_is_said_what_to_install(tmp_path):
    with pytest.raises(InputError, match=r"npm install --prefix .* @kobalab/majiang-ai@1\.\d+\.\d+"):
        load_agent(f"majiang:{tmp_path}")


def test_without_node_it_is_said_what_to_install(monkeypatch):
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(InputError, match=r"Node\.js"):
        load_agent("majiang")


def test_versions_are_pinned():
    pinned = json.loads((ADAPTER / "package.json").read_text())["dependencies"]
    locked = json.loads((ADAPTER / "package-lock.json").read_text())["packages"]
    assert pinned == {name.removeprefix("node_modules/"): each["version"] for name, each in locked.items() if name}
    assert not any("resolved" in each for each in locked.values()), "a registry is named"


#: Calls as mjai tells them (seat, from, tile, own tiles), and the words of majiang.
MELDS = [
    (("z1", ["z1", "z1"], "-"), "z111-"),
    (("m5", ["m0", "m5"], "+"), "m505+"),
    (("m0", ["m5", "m5"], "="), "m550="),
    (("s5", ["s5", "s0", "s5"], "-"), "s5505-"),
    (("p3", ["p1", "p2"], "-"), "p123-"),
    (("p2", ["p1", "p3"], "-"), "p12-3"),
    (("p0", ["p4", "p6"], "-"), "p40-6"),
    (("p4", ["p0", "p6"], "-"), "p4-06"),
]


@needs_packages
def test_melds_are_written_as_majiang_writes_them():
    """Held against majiang-core, which knows what is well formed."""
    script = """
      const { calledMeld, closedKong } = require(process.argv[1] + "/words.js");
      const { Shoupai } = require(process.argv[1] + "/node_modules/@kobalab/majiang-core");
      const melds = JSON.parse(process.argv[2]).map(([called, own, source]) => calledMeld(own, called, source));
      melds.push(closedKong(["s0", "s5", "s5", "s5"]));
      console.log(JSON.stringify(melds.map((meld) => [meld, Shoupai.valid_mianzi(meld)])));
    """
    command = ["node", "-e", script, str(ADAPTER), json.dumps([meld for meld, _ in MELDS])]
    written = json.loads(subprocess.run(command, capture_output=True, check=True, timeout=60).stdout)
    expected = [word for _, word in MELDS] + ["s5550"]
    assert written == [[word, word] for word in expected]


def answers(scene: Scene, seat: int, *more: list[dict]) -> list[dict]:
    """What the bot answers, as a seat of a scene, to all that has happened, and then to more events."""
    events = [start_game([""] * 4, False, True), *in_mjai_order(EventFeed().new(scene.game))]
    lines = "".join(json.dumps(each) + "\n" for each in (player_view(events, seat), *more))
    command = ["node", str(ADAPTER / "bot.js")]
    done = subprocess.run(command, input=lines, capture_output=True, check=True, timeout=60, text=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


@needs_packages
def test_it_gives_up_a_hand_of_nine_terminals():
    scene = Scene({0: "19m19p19s123z25p58s"}, {0: "4m"})
    assert answers(scene, 0) == [{"type": "ryukyoku", "actor": 0}]


@needs_packages
def test_it_wins_by_draw_and_by_claim():
    own = Scene({0: "234567m234p2255s"}, {0: "0s"})
    assert answers(own, 0) == [{"type": "hora", "actor": 0, "target": 0, "pai": "5sr"}]
    claimed = Scene({1: "234567m234p2255s"}, {0: "0s"}).play("0 discard 0s")
    assert answers(claimed, 1) == [{"type": "hora", "actor": 1, "target": 0, "pai": "5sr"}]


@needs_packages
def test_it_robs_a_kong():
    scene = Scene({0: "147m26p55s123467z", 1: "234m567p55p2346s7z"}, {0: "- 0s", 1: "- 7s", 2: "5s"})
    scene.play("2 discard 5s", "0 pong", "0 discard 7z", "1 discard 7z", "0 added kong 5s")
    assert answers(scene, 1) == [{"type": "hora", "actor": 1, "target": 0, "pai": "5sr"}]


@needs_packages
def test_it_adds_to_its_pong_with_a_red_five():
    scene = Scene({1: "55p234m678m22s34s1z"}, {0: "5p", 1: "0p"})
    scene.play("0 discard 5p", "1 pong", "1 discard 1z").to_turn(1)
    kong = {"type": "kakan", "actor": 1, "pai": "5pr", "consumed": ["5p", "5p", "5p"]}
    assert answers(scene, 1) == [kong]


@needs_packages
def test_it_makes_a_closed_kong_with_a_red_five():
    scene = Scene({0: "055s23467m11678p"}, {0: "5s"})
    (kong,) = answers(scene, 0)
    assert kong["type"] == "ankan" and sorted(kong["consumed"]) == ["5s", "5s", "5s", "5sr"]


@needs_packages
def test_it_follows_an_open_kong_of_another():
    scene = Scene({1: "111m258p147s1234z"}, {0: "1m"}).play("0 discard 1m", "1 kong", "1 discard drawn").to_turn(2)
    assert answers(scene, 2)[0]["type"] == "dahai"


@needs_packages
def test_a_riichi_is_followed_by_its_discard():
    scene = Scene({0: "234567m234p2245s"}, {0: "9p"})
    first, second = answers(scene, 0, [{"type": "reach", "actor": 0}])
    assert first == {"type": "reach", "actor": 0}
    assert second == {"type": "dahai", "actor": 0, "pai": "9p", "tsumogiri": True}
