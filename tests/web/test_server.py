"""The served page: reviews from upload to result, and all that is not let in."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import http.client
import json
import re
import socket
import tarfile
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import pytest
import requests
from fastapi import HTTPException
from reviewed_game import LOG, reviewed
from serving_app import ended, send, serving
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import Response
from starlette.routing import Route

import suphx.web.shelf
from suphx.errors import InputError
from suphx.review.document import Review
from suphx.web.games import GameStore
from suphx.web.guard import MAX_BODY, trusted_hosts
from suphx.web.jobs import FAILED, WAITING, NoReview, Reviewed, ReviewJobs
from suphx.web.serving import listen
from suphx.web.shelf import Shelf
from suphx.web.uploads import games_of_upload


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    logs = tmp_path_factory.mktemp("logs")
    (logs / "2019010100gm-00a9-0000-0123abcd.mjlog").write_bytes(LOG.read_bytes())
    with serving(logs=logs) as address:
        yield address


def wait(address: str, review: str) -> dict:
    return ended(address, review)[-1]


# Reviews.


def test_a_log_that_is_sent_becomes_a_review_with_progress_on_the_way(served):
    told = ended(served, review := send(served, LOG.read_bytes(), "my game.mjlog"))
    shares = [each["share"] for each in told]
    assert shares == sorted(shares) and shares[-1] == 1
    assert told[-1]["state"] == "done"
    found = Review.model_validate_json(requests.get(f"{served}/api/reviews/{review}", timeout=60).text)
    assert found.source == "my game.mjlog"
    assert [each.rating for each in found.seats] == pytest.approx([each.rating for each in reviewed().seats], abs=1)


def test_a_review_can_be_kept_as_a_file_and_forgotten(served):
    review = send(served, gzip.compress(LOG.read_bytes()), 'a/"../b\r\n.mjlog')
    assert wait(served, review)["state"] == "done"
    answer = requests.get(f"{served}/api/reviews/{review}/file", timeout=60)
    assert answer.text.startswith("<!DOCTYPE html>")
    name = answer.headers["content-disposition"].partition("filename=")[2].strip('"')
    assert name.endswith(".html") and not set(name) & set('/\\"\r\n') and not name.startswith(".")
    assert review in {each["id"] for each in requests.get(f"{served}/api/reviews", timeout=60).json()["reviews"]}
    assert requests.delete(f"{served}/api/reviews/{review}", timeout=60).status_code == 204
    assert requests.get(f"{served}/api/reviews/{review}", timeout=60).status_code == 404


def test_a_viewer_address_is_looked_up_where_the_logs_are(served):
    url = "https://tenhou.net/0/?log=2019010100gm-00a9-0000-0123abcd&tw=1"
    review = requests.post(f"{served}/api/reviews", data={"address": url}, timeout=60).json()["id"]
    assert wait(served, review)["state"] == "done"


@pytest.mark.faults
@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("/etc/passwd", "not an address"),
        ("file:///etc/passwd", "not an address"),
        ("https://example.org/", "not an address"),
        ("https://tenhou.net/0/?log=../../../../etc/passwd", "not an address"),
        ("https://tenhou.net/0/?log=2019010100gm-00a9-0000-missing", "no file of the log"),
    ],
)
def test_an_address_opens_no_other_file(served, address, said):
    review = requests.post(f"{served}/api/reviews", data={"address": address}, timeout=60).json()["id"]
    last = wait(served, review)
    assert last["state"] == "failed" and said in last["message"]


@pytest.mark.faults
@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the file is empty"),
        (b"hello", "not a game log"),
        (b"PK\x03\x04" + bytes(100), "bad.mjlog: not a readable zip archive"),
        (b"\x80\x04\x95" + bytes(50), "mjx was expected"),  # a pickle
        (LOG.read_bytes()[:200], "bad.mjlog"),
        (LOG.read_bytes().replace(b"<D33/>", b"<D34/>", 1), "bad.mjlog: East 1, event"),
        (gzip.compress(bytes(200 << 20)), "bad.mjlog: the gzip data unpacks to more than 64 MB"),  # 200 MB in 200 KB
    ],
)
def test_a_file_that_is_no_good_log_is_told_so_with_its_place(served, data, said):
    review = send(served, data, "bad.mjlog")
    last = wait(served, review)
    assert last["state"] == "failed" and said in last["message"]
    assert not re.search(r"b['\"]|/upload", last["message"])
    listed = requests.get(f"{served}/api/reviews", timeout=60).json()["reviews"]
    assert [each for each in listed if each["id"] == review] == [last]
    answer = requests.get(f"{served}/api/reviews/{review}", timeout=60)
    assert answer.status_code == 409 and said in answer.json()["detail"]


@pytest.mark.parametrize("name", ["games.zip", pytest.param("games.TAR.GZ", marks=pytest.mark.full)])
def test_an_archive_is_reviewed_as_the_command_reviews_it(served, tmp_path, name):
    path = tmp_path / name
    if name.endswith(".zip"):
        with zipfile.ZipFile(path, "w") as archive:
            archive.write(LOG, "some/first.mjlog")
    else:
        with tarfile.open(path, "w:gz") as archive:
            archive.add(LOG, "first.mjlog")
    review = send(served, path.read_bytes(), name)
    assert wait(served, review)["state"] == "done"
    assert requests.get(f"{served}/api/reviews/{review}", timeout=60).json()["source"] == name


def test_all_games_of_an_archive_are_reviewed_and_those_that_cannot_be_read_told(served, tmp_path):
    path = tmp_path / "several.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(LOG, "a/first.mjlog")
        archive.writestr("a/second.mjlog", b"hello")
        archive.write(LOG, "a/third.mjlog")
    first = send(served, path.read_bytes(), path.name)
    assert wait(served, first)["state"] == "done"
    reviews = requests.get(f"{served}/api/reviews", timeout=60).json()["reviews"]
    (third,) = (each["id"] for each in reviews if each["source"] == "several.zip/a/third.mjlog")
    assert wait(served, third)["state"] == "done"
    (second,) = (each for each in reviews if each["source"] == "several.zip/a/second.mjlog")
    assert second["state"] == "failed" and "several.zip/a/second.mjlog: not a game log" in second["message"]


def test_of_a_large_archive_it_is_told_that_only_the_first_games_are_reviewed(tmp_path):
    path = tmp_path / "many.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(3):
            archive.write(LOG, f"{number}.mjlog")
    first, others = games_of_upload(path.read_bytes(), "many.zip", 2)
    assert (first.source, others[0].source, len(others)) == ("many.zip", "many.zip/1.mjlog", 2)
    assert str(others[1]) == "many.zip: only the first 2 games are reviewed here; suphx review takes all"
    assert len(games_of_upload(path.read_bytes(), "many.zip", 3)[1]) == 2


def test_a_review_goes_on_when_its_reader_goes_away(served):
    review = send(served, LOG.read_bytes())
    with requests.get(f"{served}/api/reviews/{review}/progress", stream=True, timeout=60) as answer:
        next(answer.iter_lines())
    assert wait(served, review)["state"] == "done"


@pytest.mark.parametrize("path", ["/api/reviews/none", "/api/reviews/none/progress", "/api/reviews/none/file"])
def test_what_is_not_there_is_404_in_words(served, path):
    answer = requests.get(served + path, timeout=60)
    assert answer.status_code == 404 and "no such review" in answer.json()["detail"]


@pytest.mark.faults
def test_a_request_without_a_log_is_told_what_to_send(served):
    assert requests.post(f"{served}/api/reviews", timeout=60).status_code == 422
    assert requests.post(f"{served}/api/reviews", data={"log": "text"}, timeout=60).status_code == 422


# The page's files.


def test_the_page_and_all_its_modules_are_served(served):
    page = requests.get(f"{served}/", timeout=60)
    assert requests.get(f"{served}/review/any", timeout=60).text == page.text
    imports = json.loads(page.text.partition('importmap">')[2].partition("</script>")[0])["imports"]
    assert len(imports) > 10
    for path in [*imports.values(), "/page/style.css"]:
        answer = requests.get(served + path, timeout=60)
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith(("text/javascript", "text/css"))
        assert answer.headers["x-content-type-options"] == "nosniff"


def raw(address: str, path: str, **headers: str) -> http.client.HTTPResponse:
    """Ask for a path as it is written: `requests` would tidy it up."""
    connection = http.client.HTTPConnection(urlsplit(address).netloc, timeout=60)
    connection.putrequest("GET", path, skip_host="host" in headers)
    for name, value in headers.items():
        connection.putheader(name.replace("_", "-"), value)
    connection.endheaders()
    return connection.getresponse()


@pytest.mark.faults
@pytest.mark.parametrize(
    "path",
    [
        "/page/../app.py", "/page/%2e%2e/app.py", "/page/..%2fapp.py", "/page/....//app.py", "/page//etc/passwd",
        "/page/%2fetc%2fpasswd", "/page/app.html", "/page/..\\app.py", "/../../etc/passwd", "/page/style.css%00.py",
    ],
)  # fmt: skip
def test_no_path_leaves_the_page(served, path):
    answer = raw(served, path)
    assert answer.status == 404
    assert not {b"from fastapi", b"root:"} & set(re.findall(rb"from fastapi|root:", answer.read()))


# Who may ask.


@pytest.mark.faults
@pytest.mark.parametrize(
    "host",
    ["example.org", "example.org:80", "127.0.0.1.example.org", "localhost.example.org", "[", "",
             "user@127.0.0.1", "127.0.0.1/x", "127.0.0.1?x", "127.0.0.1#x", "127.0.0.1:x", "[::1", "localhost:1:2"],
)  # fmt: skip
def test_another_host_name_is_refused(served, host):
    answer = raw(served, "/", host=host)
    assert answer.status in (400, 403)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:9", "[::1]:8136"])
def test_loopback_by_any_name_is_let_in(served, host):
    assert raw(served, "/", host=host).status == 200


@pytest.mark.parametrize(
    ("served_at", "hosts", "allowed"),
    [
        ("0.0.0.0", ["192.0.2.7:8136", "0.0.0.0", "localhost"], True),
        ("::", ["192.0.2.7", "[::1]:8136", "127.0.0.1"], True),
        ("2001:db8::7", ["[2001:db8::7]:8136"], True),
        ("0.0.0.0", ["example.org", "192.0.2.7.example.org", "mybox", ""], False),  # DNS rebinding needs a name
        ("MyBox", ["mybox", "MyBox:8136", "MYBOX"], True),
        ("MyBox", ["192.0.2.7", "mybox.example.org"], False),
    ],
)
def test_a_server_answers_to_the_host_it_was_started_with(served_at, hosts, allowed):
    page = Starlette(
        routes=[Route("/", lambda _: Response())],
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=trusted_hosts([served_at]))],
    )

    async def ask(host: str) -> bool:
        async with httpx.AsyncClient(transport=httpx.ASGITransport(page)) as client:
            return (await client.get("http://page/", headers={"Host": host})).is_success

    with ThreadPoolExecutor(1) as pool:  # a thread of its own: the browser's loop may be running in this one
        answers = list(pool.map(lambda host: asyncio.run(ask(host)), hosts))
    assert answers == [allowed] * len(hosts)


@pytest.mark.faults
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://example.org"},
        {"Origin": "null"},
        {"Origin": "http://localhost:1"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"},
    ],
)
def test_another_site_can_start_nothing(served, headers):
    before = requests.get(f"{served}/api/reviews", timeout=60).json()["reviews"]
    answer = requests.post(f"{served}/api/reviews", files={"log": LOG.read_bytes()}, headers=headers, timeout=60)
    assert answer.status_code == 403
    assert requests.get(f"{served}/api/reviews", timeout=60).json()["reviews"] == before


@pytest.mark.faults
def test_another_site_can_read_nothing(served):
    headers = {"Origin": "http://example.org", "Sec-Fetch-Site": "cross-site"}
    assert requests.get(f"{served}/api/reviews", headers=headers, timeout=60).status_code == 403
    asked = {**headers, "Access-Control-Request-Method": "POST"}
    for answer in (
        requests.options(f"{served}/api/reviews", headers=asked, timeout=60),
        requests.get(f"{served}/", headers={"Origin": "http://example.org"}, timeout=60),
    ):
        assert not [name for name in answer.headers if name.lower().startswith("access-control")]
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert "frame-ancestors 'none'" in answer.headers["content-security-policy"]


def test_a_link_from_elsewhere_leads_to_the_page(served):
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Dest": "document"}
    assert requests.get(f"{served}/", headers=headers, timeout=60).status_code == 200


@pytest.mark.faults
def test_a_huge_upload_gets_a_clear_answer_and_leaves_nothing(served):
    before = requests.get(f"{served}/api/reviews", timeout=60).json()["reviews"]
    answer = requests.post(f"{served}/api/reviews", files={"log": bytes(MAX_BODY + 1)}, timeout=60)
    assert answer.status_code == 413
    assert answer.json()["detail"] == "larger than the 8 MB that a log may have"
    head = b'--x\r\nContent-Disposition: form-data; name="log"; filename="a"\r\n\r\n'
    chunks = (part for part in [head, *[bytes(1 << 20)] * 12, b"\r\n--x--\r\n"])  # its length is not said beforehand
    answer = requests.post(
        f"{served}/api/reviews", data=chunks, headers={"Content-Type": "multipart/form-data; boundary=x"}, timeout=60
    )
    assert answer.status_code == 411
    assert requests.get(f"{served}/api/reviews", timeout=60).json()["reviews"] == before


@pytest.mark.faults
def test_an_upload_that_breaks_off_leaves_nothing(served):
    before = requests.get(f"{served}/api/reviews", timeout=60).json()["reviews"]
    where = urlsplit(served)
    with socket.create_connection((where.hostname, where.port)) as connection:
        connection.sendall(
            f"POST /api/reviews HTTP/1.1\r\nHost: {where.netloc}\r\nContent-Length: 100000\r\n"
            'Content-Type: multipart/form-data; boundary=x\r\n\r\n--x\r\nContent-Disposition: form-data; name="log"; '
            'filename="a"\r\n\r\nabc'.encode()
        )
    assert requests.get(f"{served}/api/reviews", timeout=60).json()["reviews"] == before


# Many at once, and those who keep others waiting.


@pytest.mark.faults
def test_two_hundred_requests_at_once_are_all_answered(served):
    with ThreadPoolExecutor(200) as pool:
        ready = threading.Barrier(200)

        def ask(_) -> int:
            ready.wait()
            return requests.get(f"{served}/api/reviews", timeout=120).status_code

        assert list(pool.map(ask, range(200))) == [200] * 200


@pytest.mark.faults
def test_who_sends_rubbish_is_answered_or_cut_off(served):
    where = urlsplit(served)
    for rubbish in (b"\0" * 1000, b"\x16\x03\x01\x02\x00", b"GET " + b"x" * 100_000, b"\r\n" * 1000 + b"HELO\r\n\r\n"):
        with socket.create_connection((where.hostname, where.port)) as connection:
            connection.settimeout(60)
            with contextlib.suppress(ConnectionError):
                connection.sendall(rubbish)
                while connection.recv(1 << 16):
                    pass
    assert requests.get(f"{served}/api/reviews", timeout=60).status_code == 200


# Jobs.


def finish(jobs: ReviewJobs | GameStore) -> None:
    jobs.pool.submit(int).result()


def test_only_so_many_reviews_wait_and_only_so_many_are_kept(monkeypatch):
    monkeypatch.setattr(suphx.web.shelf, "KEPT", 3)
    jobs, held = ReviewJobs(Shelf()), threading.Event()

    def work(progress) -> Reviewed:
        held.wait()
        return Reviewed(b"{}", b"")

    for _ in range(WAITING + 1):
        jobs.start("held", work)
    with pytest.raises(HTTPException, match=r"503: .*try again"):
        jobs.start("too many", work)
    held.set()
    finish(jobs)
    for number in range(6):
        jobs.start(str(number), work)
        finish(jobs)
    assert [each.source for each in jobs.all()] == ["5", "4", "3"]
    jobs.close()


@pytest.mark.faults
def test_only_so_many_failures_are_listed():
    jobs = ReviewJobs(Shelf())
    ids = []
    for number in range(FAILED + WAITING + 2):
        ids.append(jobs.start(str(number), lambda progress: bytes(1 // 0)).id)
        finish(jobs)
    assert [each.id for each in jobs.all()] == ids[:1:-1]
    assert [jobs.status(each).source for each in ids[2:]] == [str(n) for n in range(2, FAILED + WAITING + 2)]
    assert jobs.forget(ids[2]) and [each.id for each in jobs.all()] == ids[:2:-1]
    for each in ids[:2]:
        with pytest.raises(NoReview):
            jobs.status(each)
    jobs.close()


@pytest.mark.faults
def test_a_fault_of_the_program_fails_one_review_and_is_told_without_its_inside(caplog):
    jobs = ReviewJobs(Shelf())
    broken = jobs.start("broken", lambda progress: bytes(1 // 0))
    good = jobs.start("good", lambda progress: Reviewed(reviewed().model_dump_json().encode(), b""))
    finish(jobs)
    status = jobs.status(broken.id)
    assert status.state == "failed" and "because of a bug" in status.message and "division" not in status.message
    assert "ZeroDivisionError" in caplog.text
    assert jobs.result(good.id) == reviewed()
    jobs.close()


@pytest.mark.faults
def test_a_review_that_is_worked_on_is_not_forgotten():
    jobs, held = ReviewJobs(Shelf()), threading.Event()
    status = jobs.start("held", lambda progress: Reviewed(bytes(held.wait()), b""))
    assert not jobs.forget(status.id)
    held.set()
    finish(jobs)
    assert jobs.forget(status.id) and not jobs.forget(status.id)
    jobs.close()


# The command.


@pytest.mark.faults
def test_a_port_that_is_taken_is_named():
    taken, address = listen("127.0.0.1", 0)
    port = urlsplit(address).port
    with pytest.raises(InputError, match=rf"port {port}.*--port chooses another"):
        listen("127.0.0.1", port)
    taken.close()


def test_an_address_that_others_reach_is_warned_of(capsys):
    found, _ = listen("127.0.0.1", 0)
    assert capsys.readouterr().err == ""
    found.close()
    found, _ = listen("0.0.0.0", 0)
    assert "can reach 0.0.0.0" in capsys.readouterr().err
    found.close()
