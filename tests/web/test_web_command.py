"""`suphx web` from the command line."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from suphx import cli
from suphx.run_folder import RUNS_VARIABLE
from suphx.web.shelf import SHELF_NAME


def test_it_says_where_it_is_answers_and_ends_with_ctrl_c(tmp_path):
    command = [sys.executable, "-m", "suphx", "web", "--port", "0", "--no-open"]
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=os.environ | {RUNS_VARIABLE: str(tmp_path)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # tests in the background have it ignored
    )  # fmt: skip
    try:
        (address,) = re.findall(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
        assert "/page/app.js" in requests.get(address, timeout=60).text
        assert "Review" in requests.get(address + "page/texts.js", timeout=60).text
        game = requests.post(address + "api/play", data={"agent": ["tsumogiri"] * 3}, timeout=60).json()["id"]
        looking = requests.get(f"{address}api/play/{game}/events", stream=True, timeout=60)
        assert next(looking.iter_lines())  # a page that listens does not keep it from ending
    finally:
        process.send_signal(signal.SIGINT)
        _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert (tmp_path / SHELF_NAME).is_file()
    assert "Traceback" not in error


SLOW = """
import time
from suphx.cli import main
from suphx.web.jobs import Reviewer

Reviewer.warm_up = lambda _: time.sleep(300)
main()
"""


@pytest.mark.full
@pytest.mark.faults
def test_ctrl_c_does_not_wait_for_what_compiles(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, "web", "--port", "0", "--no-open"], stdout=subprocess.PIPE, text=True,
        env=os.environ | {RUNS_VARIABLE: str(tmp_path)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    try:
        (address,) = re.findall(r"http://127\.0\.0\.1:\d+/", process.stdout.readline())
        assert requests.get(f"{address}api/reviews", timeout=60).ok
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 130
    finally:
        process.kill()
        process.communicate()


@pytest.mark.faults
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["--agent", "sensible"], "sensible cannot review"),
        (["--agent", "adapted:sl"], "adapted:sl cannot review"),
        (["--agent", "nobody"], "no agent 'nobody'"),
        (["--logs", "nowhere"], "nowhere: no such folder"),
        (["--games", "nowhere"], "nowhere: no such folder"),
        (["--host", "no.such.host.invalid"], "--host no.such.host.invalid"),
        (["--host", "a..b"], "--host a..b: not a valid host name"),
    ],
)
def test_what_cannot_be_served_is_one_line(arguments, error, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["suphx", "web", "--port", "0", "--no-open", *arguments])
    with ThreadPoolExecutor(1) as thread, pytest.raises(SystemExit) as stopped:
        thread.submit(cli.main).result()  # a browser test may have left its event loop running in this thread
    assert stopped.value.code == 1
    assert error in capsys.readouterr().err
