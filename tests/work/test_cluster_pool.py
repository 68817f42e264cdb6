"""The pool of a cluster without a cluster: an agent that only notes what it is told."""

import math
import pickle
import queue
import time

import pytest

from semeai.errors import ConfigError
from semeai.race.candidate import Candidate
from semeai.race.race import Race
from semeai.race.settings import RaceSettings
from semeai.runs.driver import RaceDriver
from semeai.runs.run import Observer, Run
from semeai.work.cluster import pool as pools
from semeai.work.cluster.agent import Answered, Greeted, Present
from semeai.work.cluster.connect import Connection
from semeai.work.cluster.messages import Answer, Greeting
from semeai.work.evaluators import CallableEvaluator
from semeai.work.jobs import Job
from tests import programs


class Agent:
    connected, gone = True, False

    def __init__(self, client, session):
        self.session, self.events = session, queue.SimpleQueue()
        self.orders, self.only, self.digest = {}, None, ""

    def introduce(self, offer):
        self.digest = offer.digest

    def send(self, orders, workers):
        self.orders |= orders
        self.only = workers

    def cancel(self, tokens):
        for token in tokens:
            del self.orders[token]

    def hold(self, generation):
        pass

    def forget_greetings(self, worker):
        pass

    def close(self):
        pass

    def greet(self, answers):
        self.events.put(Greeted(self.digest, answers))

    def answer(self, token, outcome="done", worker="w", seconds=math.nan):
        tasks = pickle.loads(self.orders.pop(token).tasks)
        results = [task.start for task in tasks] if outcome == "done" else []
        self.events.put(Answered(token, Answer(outcome, results, worker, "host", "why", seconds)))


@pytest.fixture
def make_pool(monkeypatch):
    monkeypatch.setattr(pools, "Agent", Agent)
    asked = []

    def make(threads, n_expected=0, **more):
        connection = Connection(None, "dask://x:1", n_expected=n_expected, demand=asked.append)
        pool = pools.ClusterPool(connection, **more)
        pool.asked = asked
        pool.begin(CallableEvaluator(programs.coin))
        pool._agent.events.put(Present(threads))
        pool._agent.greet(dict.fromkeys(threads, Greeting("host")))
        pool.wait(0)
        return pool

    return make


def submit(pool, n):
    return [pool.submit([Job(CallableEvaluator(programs.coin), "c", {}, 1, i, 1)]) for i in range(n)]


def test_workers_that_come_go_or_do_not_fit_change_what_is_under_way(make_pool):
    pool = make_pool({"a": 1, "b": 2})
    assert pool.slots == 3
    submit(pool, 20)
    assert len(pool._agent.orders) == 6  # two per thread, as nobody knows how short they are
    pool._agent.events.put(Present({"a": 1, "b": 2, "c": 1}))
    pool.wait(0)
    assert pool.slots == 3  # it was not greeted
    pool._agent.greet({"c": Greeting("other", "it is too old")})
    pool.wait(0)
    assert (pool.slots, len(pool._agent.orders)) == (3, 6)
    pool._agent.answer(0, "unknown", "b")
    pool.wait(0)
    assert pool.slots == 1
    pool._agent.events.put(Present({"c": 1}))
    with pytest.raises(ConfigError, match="the worker c on other does not fit: it is too old"):
        pool.wait(0)


def test_a_worker_that_does_not_fit_gets_no_order_and_one_warning(make_pool):
    warnings = []
    pool = make_pool({"a": 1, "b": 1}, warn=warnings.append)
    pool._agent.greet({"b": Greeting("other", "it is too old")})
    pool.wait(0)
    submit(pool, 3)
    assert pool._agent.only == ["a"]
    assert warnings == ["the worker b on other does not fit: it is too old; it is left out"]


def test_a_limit_of_workers_holds_on_a_cluster(make_pool):
    pool = make_pool({"a": 4, "b": 4}, most=3)
    submit(pool, 20)
    assert (pool.slots, len(pool._agent.orders)) == (3, 3)


def test_short_tasks_share_an_order_as_soon_as_it_is_known_that_they_are_short(make_pool):
    pool = make_pool({"a": 1})
    ids = submit(pool, 100)
    pool._agent.answer(0, seconds=0.001)
    assert pool.wait(0) == [(ids[0], [0])]
    sizes = [len(pickle.loads(order.tasks)) for order in pool._agent.orders.values()]
    assert sizes == [1, 49]  # half of the rest, so that another worker would have its share


def test_a_batch_that_began_before_its_workers_came_is_work_for_all_of_them(make_pool):
    pool = make_pool({})
    settings = RaceSettings(mode="plain", batch=275, lookahead=2, width=20)
    race = Race(settings, [Candidate(f"c{i}", {"p": 0.5}) for i in range(10)], 1)
    driver = RaceDriver(race, CallableEvaluator(programs.coin), Run(pool, None, Observer()))
    driver._hand_out()
    workers = {f"w{i}": 1 for i in range(1000)}
    pool._agent.events.put(Present(workers))
    pool._agent.greet(dict.fromkeys(workers, Greeting("host")))
    pool.wait(0)
    assert len(pool._agent.orders) == 2 * 1000
    assert {task.size for order in pool._agent.orders.values() for task in pickle.loads(order.tasks)} == {1}


def test_workers_are_asked_for_as_the_work_needs_them(make_pool, monkeypatch):
    monkeypatch.setattr(pools, "DEMAND_SECONDS", 0)
    pool = make_pool({}, n_expected=8)
    assert pool.workers == 8  # so drivers hand out work for those that may come
    submit(pool, 100)
    pool.wait(0)
    assert pool.asked[-1] == 100  # although none is there, and nothing was sent
    pool._agent.events.put(Present({"a": 1}))
    pool._agent.greet({"a": Greeting("host")})
    pool.wait(0)
    pool._agent.answer(0, seconds=0.01)
    pool.wait(0)
    assert pool.asked[-1] == 5  # a second of work, a fifth for each
    pool.abandon()
    assert pool.asked[-1] == 0


def test_the_cost_of_a_result_does_not_grow_with_the_number_of_workers(make_pool):
    def seconds(n):
        pool = make_pool({f"w{i}": 1 for i in range(n)})
        began = time.process_time()
        submit(pool, 300)
        for token in list(pool._agent.orders):
            pool._agent.answer(token, seconds=1.0)
            pool.wait(0)
        return time.process_time() - began

    few, many = (min(seconds(n) for _ in range(3)) for n in (200, 20_000))  # the least disturbed of three
    assert many < 40 * few
