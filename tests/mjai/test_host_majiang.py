"""majiang-ai at our table, and its adapter; skipped where Node.js or the packages are not installed."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from hosted import play

import suphx.mjai
from suphx.agent.loading import load_agent
from suphx.errors import InputError

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
    assert agent.verdict.faults.counts() == {} and not any(game.faults)
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
