"""The web server: who may ask, what is answered, and that no request makes it fail."""

import hashlib
import http.client
import json
import random
import re
import time
from contextlib import closing, contextmanager

import pytest

from semeai.errors import ConfigError
from semeai.players.config import PlayerConfig
from semeai.report.reader import LedgerReader
from semeai.ui import dashboard as dashboard_module
from semeai.ui import play as play_module
from semeai.ui.dashboard import changes, dashboard_routes
from semeai.ui.play import ACTIONS, play_routes
from semeai.ui.table import GameChoice
from semeai.ui.thinking import Board, Budget
from semeai.ui.web import HEADERS, MAX_BODY, open_socket, serving
from tests.report.ledgers import recorded_match, recorded_race

SGF = b"(;GM[1]SZ[4]KM[0.5];B[aa];W[bb];B[cc])"


class Client:
    def __init__(self, address):
        self.port = int(address.split(":")[2].split("/")[0])

    def ask(self, path, method="GET", body=None, **headers):
        """Return status, headers and at most 100 kB of the answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        with closing(connection):
            given = {"Host": f"127.0.0.1:{self.port}", **{k.replace("_", "-"): v for k, v in headers.items()}}
            connection.request(method, path, body=body, headers=given)
            answer = connection.getresponse()
            streams = answer.getheader("content-type", "").startswith("text/event-stream")
            return answer.status, dict(answer.getheaders()), answer.readline() if streams else answer.read(100_000)

    def do(self, **action):
        return self.ask("/api/do", "POST", json.dumps(action), content_type="application/json")


@contextmanager
def serve(routes, host="127.0.0.1"):
    with serving(routes, host, 0, 0) as (address, _):
        yield Client(address), address


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("web") / "runs.sqlite"
    recorded_race(place, 12)
    recorded_match(place)
    return place


@pytest.fixture(scope="module")
def dashboard(place):
    with serve(dashboard_routes(LedgerReader(place))) as (client, _):
        yield client


@pytest.fixture(scope="module")
def board():
    def config(game):
        return PlayerConfig(game=game, simulations=20, memory_mb=4)

    with closing(Board(GameChoice("go", 4), config, Budget(simulations=20, analysis=100))) as board:
        yield board


@pytest.fixture(scope="module")
def play(board):
    with serve(play_routes(board)) as (client, _):
        yield client


def test_every_answer_has_the_content_policy(dashboard):
    for path in ("/", "/static/page.css", "/nothing", "/api/run/1/curves?numbers=1", "/api/events", "/static/../x"):
        _, headers, _ = dashboard.ask(path)
        assert {name: headers[name] for name in HEADERS} == HEADERS


def test_a_page_loads_two_files(dashboard):
    body = dashboard.ask("/")[2].decode()
    assert re.findall(r'(?:src|href)="(/[^"]*)"', body) == ["/static/page.css", "/static/page.js"]
    for path, kind in (("page.css", "text/css"), ("page.js", "text/javascript")):
        status, headers, text = dashboard.ask(f"/static/{path}")
        assert (status, headers["content-type"]) == (200, f"{kind}; charset=utf-8")
        assert b"plot" in text[:1000].lower()


def test_other_hosts_and_sites_are_refused(dashboard):
    port = dashboard.port
    assert dashboard.ask("/")[0] == 200
    assert dashboard.ask("/", Host=f"localhost:{port}")[0] == 200
    for host in ("evil.example", f"evil.example:{port}", f"127.0.0.1:{port + 1}", "", f"127.0.0.1.evil.example:{port}"):
        assert dashboard.ask("/", Host=host)[0] == 403, host
    for origin in ("http://evil.example", "null", f"http://localhost:{port + 1}", f"http://localhost:{port}"):
        assert dashboard.ask("/api/events", Origin=origin)[0] == 403, origin
    assert dashboard.ask("/", Origin=f"http://127.0.0.1:{port}")[0] == 200
    assert dashboard.ask("/", Sec_Fetch_Site="cross-site")[0] == 403


def test_another_address_than_loopback_needs_the_token(place):
    with serve(dashboard_routes(LedgerReader(place)), "0.0.0.0") as (client, address):
        token = address.split("?token=")[1]
        assert len(token) >= 30
        for path in ("/", "/api/events", "/?token=", "/?token=x", f"/api/events?token={token}", "/static/page.css"):
            assert client.ask(path)[0] == 401, path
        status, headers, _ = client.ask(f"/?token={token}")
        assert (status, headers["location"]) == (303, "/")
        assert "HttpOnly" in headers["set-cookie"]
        assert "samesite=strict" in headers["set-cookie"].lower()
        assert client.ask("/", Cookie=f"semeai={token}")[0] == 200
        assert client.ask("/", Cookie="semeai=é")[0] == 401
        assert client.ask("/", Host=f"evil.example:{client.port}", Cookie=f"semeai={token}")[0] == 403


def test_the_dashboard_cannot_write(dashboard, place):
    before = hashlib.sha256(place.read_bytes()).hexdigest()
    for method in ("POST", "PUT", "DELETE", "PATCH"):
        for path in ("/", "/api/events", "/api/run/1/curves", "/static/page.css"):
            assert dashboard.ask(path, method, b"{}")[0] == 405
    assert hashlib.sha256(place.read_bytes()).hexdigest() == before


@pytest.mark.slow
def test_a_fuzz_of_every_route_of_the_dashboard(dashboard):
    draw = random.Random(1)
    odd = [
        "",
        "0",
        "-1",
        "1",
        "2",
        "99",
        "1e3",
        "٣",
        "%00",
        "..%2f..%2fetc%2fpasswd",
        "<script>",
        "9" * 5000,
        "%ff",
        "1;2",
    ]
    for _ in range(60):
        key, n = draw.choice(odd).replace("<", "%3C"), draw.choice(odd).replace("<", "%3C")
        path = draw.choice(
            [f"/api/run/{key}/curves?numbers={n}", f"/api/run/{key}/game/{n}", f"/api/run/{key}/params/{n}",
             f"/api/events?run={key}", f"/static/{key}", f"/{key}/{n}"]
        )  # fmt: skip
        path = path.encode("ascii", "ignore").decode()
        status, _, body = dashboard.ask(path)
        assert status in (200, 400, 404, 431), (path, status)
        assert status == 200 or b"Traceback" not in body


def random_value(draw, deep=2):
    kinds = [
        None,
        True,
        -1,
        0,
        3,
        10**30,
        1.5,
        -0.0,
        "",
        "pass",
        "swap",
        "go",
        "havannah",
        "both",
        "x" * 500,
        "\ud800",
        "12",
    ]
    if deep and draw.random() < 0.2:
        return [random_value(draw, deep - 1)] * 3 if draw.random() < 0.5 else {"a": random_value(draw, deep - 1)}
    return draw.choice(kinds)


@pytest.mark.slow
def test_a_fuzz_of_every_action_of_the_board(play):
    draw = random.Random(2)
    names = ("place", "at", "human", "on", "game", "size", "komi", "handicap", "swap", "simulations")
    for _ in range(100):
        action = {name: random_value(draw) for name in names if draw.random() < 0.5}
        action["do"] = draw.choice([*ACTIONS, random_value(draw)])
        if action.get("size") not in (None, 3, "12") and action["do"] == "begin":
            action["size"] = draw.choice([0, 1, 2, 5, 26, -3])
        status, _, body = play.do(**action)
        assert status in (200, 400), (action, body)
        assert status == 200 or json.loads(body)["error"]
    assert play.ask("/api/state")[0] == 200


@pytest.mark.slow
def test_a_fuzz_of_what_is_read_of_the_board(play):
    draw = random.Random(4)
    parts = ["api", "state", "events", "do", "load", "game.sgf", "static", "page.js", "..", "%2e%2e", "%00", "%ff", "",
             "x" * 3000, ";", "%3Cscript>", "%D9%A3"]  # fmt: skip
    for _ in range(80):
        path = "/" + "/".join(draw.choice(parts) for _ in range(draw.randrange(1, 4)))
        path += draw.choice(["", "?", "?x=1", "?token=%00", "?" + "a" * 3000])
        status, headers, body = play.ask(path, draw.choice(["GET", "HEAD"]))
        assert status in (200, 404, 405), (path, status)
        assert headers["content-security-policy"] == HEADERS["content-security-policy"]
        assert b"Traceback" not in body


@pytest.mark.slow
def test_bodies_that_are_no_actions(play):
    def post(body, kind="application/json", path="/api/do"):
        return play.ask(path, "POST", body, content_type=kind)[0]

    assert post(b"{}", "text/plain") == 415  # what another site could send without asking first
    assert [post(body) for body in (b"", b"[]", b"\xff", b'{"do": 1}', b"[" * 10_000)] == [400] * 5
    assert post(b" " * (MAX_BODY + 1)) == 413
    assert post(b" " * (MAX_BODY + 1), path="/api/load") == 413
    draw = random.Random(3)
    for _ in range(30):
        data = bytearray(SGF)
        for _ in range(draw.randrange(1, 6)):
            data[draw.randrange(len(data))] = draw.randrange(256)
        assert post(bytes(data), path="/api/load") in (200, 400)


def test_a_record_is_loaded_stepped_through_and_saved(play):
    assert play.ask("/api/load", "POST", SGF)[0] == 200
    state = json.loads(play.ask("/api/state")[2])["table"]
    assert (state["at"], [m["name"] for m in state["moves"]]) == (0, ["A4", "B3", "C2"])
    assert play.do(do="go", at=2)[0] == 200
    assert json.loads(play.ask("/api/state")[2])["table"]["stones"] == "b....w.........."
    status, headers, body = play.ask("/api/game.sgf")
    assert (status, headers["content-disposition"]) == (200, 'attachment; filename="game.sgf"')
    assert b"B[aa]" in body
    assert b"W[bb]" in body


def test_only_changed_candidates_are_sent_again():
    before = {"data": {"candidates": [[1, "a"], [2, "b"]], "n": 1}}
    after = {"data": {"candidates": [[1, "a"], [2, "c"], [3, "d"]], "n": 2}}
    assert changes(None, after) == after
    assert changes(before, after)["data"] == {"candidates": [[2, "c"], [3, "d"]], "n": 2, "partial": True}


def test_only_changed_parts_of_a_page_are_sent_again():
    before = {"data": {"failures": [1] * 50, "games": [2], "words": ["a"]}}
    after = {"data": {"failures": [1] * 50, "games": [2], "words": ["b"]}}
    assert changes(before, after) == {"data": {"words": ["b"], "partial": True}}


@contextmanager
def streaming(client, path):
    """Open a stream, and read its first line."""
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=20)
    with closing(connection):
        connection.request("GET", path, headers={"Host": f"127.0.0.1:{client.port}"})
        answer = connection.getresponse()
        answer.readline()
        yield answer.status


def test_the_number_of_open_pages_is_limited_and_closed_ones_do_not_count(place, board, monkeypatch):
    monkeypatch.setattr(dashboard_module, "MAX_STREAMS", 2)
    monkeypatch.setattr(play_module, "MAX_STREAMS", 2)
    for routes in (dashboard_routes(LedgerReader(place)), play_routes(board)):
        with serve(routes) as (client, _):
            with streaming(client, "/api/events") as one, streaming(client, "/api/events") as two:
                assert (one, two) == (200, 200)
                status, _, body = client.ask("/api/events")
                assert (status, json.loads(body)) == (503, {"error": "too many pages are open"})
            end = time.monotonic() + 60
            while client.ask("/api/events")[0] != 200:  # the server has noticed that they are closed
                assert time.monotonic() < end
                time.sleep(0.05)


def test_a_port_in_use_is_one_sentence():
    with (
        closing(open_socket("127.0.0.1", 0, 0)) as taken,
        pytest.raises(ConfigError, match=r"cannot listen on 127\.0\.0\.1, port"),
    ):
        open_socket("127.0.0.1", taken.getsockname()[1], 0)
