"""The parts of a training by roles, each by itself: packed networks, plans, engine, processes that share a step."""

from __future__ import annotations

import asyncio
import multiprocessing
import socket
import sys
import time
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import Pipe

import numpy as np
import psutil
import pytest
import ray
import torch
from role_runs import ray_here
from selfplay_tables import collect, precision, tiny_collector, tiny_networks

from suphx.errors import InputError
from suphx.learning.config import CriticConfig, LearningConfig
from suphx.learning.learner import Learner
from suphx.learning.peers import Peers, TorchPeers, open_store
from suphx.networks.inference import Evaluator
from suphx.networks.models import MODEL_PLANES, OUTPUTS
from suphx.networks.sizes import NetworkSize
from suphx.reward.rounds import PointRewards
from suphx.selfplay.config import TrainConfig
from suphx.selfplay.roles.channel import Answer, RequestChannel
from suphx.selfplay.roles.engine import InferenceEngine
from suphx.selfplay.roles.inference_client import (
    Engines,
    InferenceClient,
    OwnNetworks,
    PlayingNetworks,
    Published,
    seconds_between_requests,
)
from suphx.selfplay.roles.plan import Node, parse_node, plan_of
from suphx.selfplay.roles.role import name_of
from suphx.selfplay.roles.run_inputs import Networks, RunInputs, program
from suphx.selfplay.roles.simulator import _Group

ROLES = {"object_store_gib": 0.1}


def packed(n: int, planes: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 1 << 34, (n, planes), np.uint64)


def test_machines_are_read_from_words():
    assert parse_node("4x64c8g512") == [Node(64, 8, 512 << 30)] * 4
    assert parse_node("1.5c") == [Node(1.5, 0, None)]
    with pytest.raises(InputError, match="names no machines"):
        parse_node("many")


def test_a_plan_that_does_not_fit_names_the_role_that_has_no_room():
    config = TrainConfig.model_validate({"roles": {"engines": {"count": 3, "gpus": 0.5, "cpus": 1}}})
    plan = plan_of(config)
    plan.check([Node(4, 2)])
    with pytest.raises(InputError, match=r"roles.engines: no room for process 3 of 3"):
        plan.check([Node(64, 1)])
    with pytest.raises(InputError, match=r"roles.engines"):  # 0.5 GPUs are free, on two machines
        plan_of(TrainConfig.model_validate({"roles": {"engines": {"count": 1, "gpus": 1}}})).check(
            [Node(4, 0.5), Node(4, 0.5)]
        )
    with pytest.raises(InputError, match=r"some 0\.6 GiB\) beside the others: .*1\.0 GiB in all"):
        plan.check([Node(4, 2, 1 << 30)])
    large = plan_of(TrainConfig.model_validate({"learning": {"replay": {"bytes": 20 << 30}}}))
    large.check([Node(4, 2, 24 << 30), Node(4, 2, 8 << 30)])
    with pytest.raises(InputError, match=r"roles.servers: no room"):  # there is enough, but not on one machine
        large.check([Node(4, 2, 16 << 30)] * 2)


#: The learner's discard network.
LEARNS = (0, "discard")


class Source:
    """Stands in for the parameter server: publishes weights when it is asked to, and goes away for a while."""

    def __init__(self) -> None:
        self._latest, self._is_away = None, False

    def publish(self, published: Published) -> None:
        self._latest = published.version, [ray.put(published)]

    def go_away(self, is_away: bool) -> None:
        self._is_away = is_away

    def latest(self, known):
        if self._is_away:
            raise ray.exceptions.ActorUnavailableError("it is starting again", None)
        return None if self._latest[0] == known else self._latest


def publication(version: int, seed: int, gamma: float = 0.5) -> Published:
    """Return a publication of a fresh discard network."""
    return Published(version, gamma, time.time(), {"discard": tiny_networks(seed)["discard"]})


@pytest.fixture(scope="module")
def engine():
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # other processes cannot import this one
    start, other = (tiny_networks(seed) for seed in (0, 7))
    with ray_here({"name": "parts", "roles": ROLES}):
        config = TrainConfig(roles={"engines": {"count": 1}})
        reference = ray.cloudpickle.dumps(ray.put(Networks(start, {"other": other})))
        inputs = RunInputs(config, program(), reference, ("other",), None)
        source = ray.remote(Source).options(name=name_of("servers", 0), num_cpus=0).remote()
        ray.get(source.publish.remote(publication(0, seed=0)))
        made = ray.remote(InferenceEngine).options(num_cpus=0.5).remote(inputs)
        ray.get(made.pulse.remote())
        yield made, source, inputs


def expected(seed: int, planes: np.ndarray, model: str = "discard") -> np.ndarray:
    return Evaluator(tiny_networks(seed)[model], precision()).logits(planes)


def test_an_engine_answers_for_every_player_and_takes_newer_weights(engine):
    actor, source, _ = engine
    engines = Engines([actor], 0)
    planes = packed(5, MODEL_PLANES["discard"])
    both = {(player, "discard"): planes for player in (0, 1)}
    logits = engines.compute(both)
    assert engines.version == 0
    for player, seed in ((0, 0), (1, 7)):
        assert np.allclose(logits[player, "discard"], expected(seed, planes), atol=0.02)

    ray.get(source.publish.remote(publication(4, seed=9)))
    until = time.monotonic() + 60
    while engines.version != 4:
        assert time.monotonic() < until
        logits = engines.compute(both)
        time.sleep(0.05)
    assert engines.gamma == 0.5
    for player, seed in ((0, 9), (1, 7)):
        assert np.allclose(logits[player, "discard"], expected(seed, planes), atol=0.02)
    assert engines.waiting > 0
    assert Engines([actor], 0).version == 4  # of a simulator that comes up in the middle of a run


def test_a_simulator_of_its_own_networks_answers_as_an_engine_does_and_takes_newer_weights(engine):
    _, source, inputs = engine
    ray.get(source.publish.remote(publication(20, seed=9)))
    networks = PlayingNetworks(inputs, precision(), 1)
    own = OwnNetworks(networks)
    planes = packed(5, MODEL_PLANES["discard"])
    assert (own.version, own.gamma) == (20, 0.5)
    for player, seed in ((0, 9), (1, 7)):
        logits = own.compute({(player, "discard"): planes})[player, "discard"]
        assert np.allclose(logits, expected(seed, planes), atol=1e-5)
    wide = np.concatenate([planes, planes[:, :3]], axis=1)
    assert np.array_equal(own.compute({LEARNS: wide})[LEARNS], own.compute({LEARNS: planes})[LEARNS])

    ray.get(source.publish.remote(publication(21, seed=3)))
    until = time.monotonic() + 60
    while own.version != 21:
        assert time.monotonic() < until
        logits = own.compute({LEARNS: planes})[LEARNS]
    assert np.allclose(logits, expected(3, planes), atol=1e-5)

    ray.get(source.go_away.remote(True))  # the parameter server is restarted; meanwhile the weights play on
    for _ in range(3):
        own.compute({})
        time.sleep(0.3)
    ray.get(source.go_away.remote(False))
    assert own.version == 21
    networks.close()


def test_an_engine_shows_a_network_its_own_planes(engine):
    actor, *_ = engine
    engines, planes, key = Engines([actor], 0), packed(4, MODEL_PLANES["riichi"]), (0, "riichi")
    wide = np.concatenate([planes, packed(4, 3, seed=1)], axis=1)
    assert np.array_equal(engines.compute({key: wide})[key], engines.compute({key: planes})[key])
    short = planes.copy()
    short[:, -2:] = 0
    assert np.array_equal(engines.compute({key: planes[:, :-2]})[key], engines.compute({key: short})[key])


def test_requests_that_meet_at_an_engine_get_each_their_own_answers(engine):
    actor, *_ = engine
    requests = [{(0, "pong"): packed(n, MODEL_PLANES["pong"], seed=n), LEARNS: packed(n, 838)} for n in range(1, 30)]
    clients = [Engines([actor], 0) for _ in requests[::2]]
    for client, request in zip(clients, requests[::2], strict=True):  # some of this machine, some of others
        client.send(request)
    others = ray.get([actor.compute.remote(request) for request in requests[1::2]])
    answers = [client.receive() for client in clients], [answer.logits for answer in others]
    for part, logits in zip((requests[::2], requests[1::2]), answers, strict=True):
        for request, each in zip(part, logits, strict=True):
            assert np.allclose(each[0, "pong"], expected(0, request[0, "pong"], "pong"), atol=0.02)
            assert each[LEARNS].shape == (len(request[LEARNS]), 34)


def test_an_engine_that_cannot_answer_says_so_and_goes_on(engine):
    actor, *_ = engine
    wrong, kong = {(9, "kong"): packed(1, 3)}, {(0, "kong"): packed(1, MODEL_PLANES["kong"])}
    with pytest.raises(InputError, match="no network of player 9"):
        ray.get(actor.compute.remote(wrong))
    engines = Engines([actor], 0)
    with pytest.raises(RuntimeError, match="no network of player 9"):
        engines.compute(wrong)
    assert len(ray.get(actor.compute.remote(kong)).logits[0, "kong"]) == 1
    assert len(engines.compute(kong)[0, "kong"]) == 1


def replied(answer: Answer) -> Future[Answer]:
    future: Future[Answer] = Future()
    future.set_result(answer)
    return future


def test_a_channel_grows_with_its_requests_and_ends_with_either_side():
    here, there = (RequestChannel(each) for each in Pipe())
    for n in (3, 0, 500):
        planes = packed(n, MODEL_PLANES["discard"], seed=n)
        here.send({LEARNS: planes, (0, "critic"): planes[:1, :5]} if n else {})
        while (request := there.request()) is None:
            pass
        assert all(np.array_equal(request[key], planes[:1, :5] if key[1] == "critic" else planes) for key in request)
        logits = {key: np.full((len(each), 4 if key[1] == "critic" else 34), n) for key, each in request.items()}
        there.reply(replied(Answer(logits, n, 0.25)))
        answer = here.answer()
        assert (answer.version, answer.gamma) == (n, 0.25) and answer.logits.keys() == request.keys()
        assert all((each == n).all() and each.shape == logits[key].shape for key, each in answer.logits.items())
    here.send({LEARNS: planes})
    here.connection.close()
    assert len(there.request()[LEARNS]) == 500
    with pytest.raises(EOFError):
        there.request()
    there.reply(replied(Answer({}, 0, 0.0)))  # nobody is there, which is no error


def test_an_engine_waits_for_the_server_rather_than_answer_with_the_start(engine):
    _, source, inputs = engine
    ray.get([source.publish.remote(publication(5, seed=9)), source.go_away.remote(True)])
    planes = packed(5, MODEL_PLANES["discard"])
    again = ray.remote(InferenceEngine).options(num_cpus=0).remote(inputs)
    requests = [again.compute.remote({LEARNS: planes}), again.current.remote()]
    assert not ray.wait(requests, timeout=2)[0]
    ray.get(source.go_away.remote(False))
    answer, current = ray.get(requests, timeout=60)
    assert current[:2] == (answer.version, answer.gamma) == (5, 0.5)
    assert np.allclose(answer.logits[LEARNS], expected(9, planes), atol=0.02)


def test_an_engine_that_cannot_take_newer_weights_says_so_when_it_is_asked_whether_it_is_there(engine, monkeypatch):
    _, source, inputs = engine

    def fail(published: object) -> dict:
        raise RuntimeError("CUDA out of memory")

    async def follow() -> None:
        here = InferenceEngine(inputs)
        assert await here.pulse()
        monkeypatch.setattr(here._networks, "_evaluators_of", fail)
        await source.publish.remote(publication(6, seed=9))
        async with asyncio.timeout(60):
            while True:
                await here.pulse()
                await asyncio.sleep(0.05)

    with ThreadPoolExecutor(1) as pool, pytest.raises(RuntimeError, match="CUDA out of memory"):
        pool.submit(lambda: asyncio.run(follow())).result()  # whatever loop other tests have left in this thread


class _ShowsAll(InferenceClient):
    """Networks that say no, of weights that may be shown all that is hidden."""

    version, gamma = 0, 1.0

    def send(self, request) -> None:
        assert all(planes.shape[1] <= MODEL_PLANES[model] for (_, model), planes in request.items())
        self._logits = {key: np.zeros((len(planes), OUTPUTS[key[1]]), np.float32) for key, planes in request.items()}

    def receive(self):
        return self._logits


def test_a_policy_without_an_oracle_is_shown_nothing_hidden_whatever_engines_say():
    config = TrainConfig(side_by_side=6, sample_games=0, reward={"kind": "round"})
    group = _Group(0, 0, 0, RunInputs(config, "", b"", (), PointRewards(10_000)), _ShowsAll(), None)
    while group.play.collector.counters["rounds"] < 2:
        group.begin()
        group.finish()


def learning() -> LearningConfig:
    critic = CriticConfig(size=NetworkSize(filters=4, blocks=1))
    return LearningConfig(models=["discard", "chow"], batch=32, learning_rate=1e-2, baseline="critic", critic=critic)


def minibatches() -> list[tuple[str, np.ndarray]]:
    """Questions to two models, an odd number each, their advantages and rewards."""
    found, generator = [], np.random.default_rng(3)
    batch = collect(tiny_collector(models=("discard", "chow"), hidden=True), 12)
    for model, each in batch.experience.items():
        rows = each[np.arange((len(each) - 1) | 1)]
        rows["rewards"] = generator.normal(size=(len(rows), 4))
        rows["advantage"] = rows["rewards"][:, 0]
        found.append((model, rows))
    return found


def taught(peers: Peers, rank: int, size: int) -> dict[str, np.ndarray]:
    """Return weights after some steps, each from this process's share of the questions.

    Left out is what is added to all logits alike: it changes nothing, its gradient is rounding, and AdamW blows it up.
    """
    learner = Learner(tiny_networks(), learning(), precision(), 0, peers=peers)
    for _ in range(2):
        for model, minibatch in minibatches():
            learner.learn(model, minibatch[rank::size], 0)
    assert learner.critic is not None
    networks = {**learner.networks, "critic": learner.critic.network}
    return {
        f"{model}.{name}": each.detach().numpy()
        for model, network in networks.items()
        for name, each in network.named_parameters()
        if name != "head.score.bias"
    }


def teach(rank: int, size: int, port: int, answers) -> None:
    weights = taught(TorchPeers(rank, size, "127.0.0.1", port, torch.device("cpu")), rank, size)
    answers.put((rank, weights, listening()))


def listening() -> set[str]:
    """Return the addresses that this process listens on."""
    return {each.laddr.ip for each in psutil.Process().net_connections("inet") if each.status == "LISTEN"}


@pytest.mark.full
def test_two_processes_that_share_each_step_learn_what_one_does_and_listen_on_loopback_alone(monkeypatch):
    outer = [name for _, name in socket.if_nameindex() if not name.startswith("lo")]
    monkeypatch.setenv("GLOO_SOCKET_IFNAME", ",".join(outer[-1:]))  # as for a cluster, or by the machine's name
    store = open_store("127.0.0.1")
    context = multiprocessing.get_context("spawn")
    answers = context.Queue()
    both = [context.Process(target=teach, args=(rank, 2, store.port, answers)) for rank in range(2)]
    for each in both:
        each.start()
    told = [answers.get(timeout=300) for _ in both]
    for each in both:
        each.join(60)
    assert told[0][2] == told[1][2] == {"127.0.0.1"}
    assert listening() <= {"127.0.0.1", "::ffff:127.0.0.1"}  # as Ray says it, which may be here as well
    found, alone = {rank: weights for rank, weights, _ in told}, taught(Peers(), 0, 1)
    for name, one in alone.items():
        assert np.array_equal(found[0][name], found[1][name])
        np.testing.assert_allclose(found[0][name], one, atol=2e-3, err_msg=name)
    for name, before in tiny_networks()["discard"].named_parameters():
        if name.endswith("weight"):
            assert np.abs(alone[f"discard.{name}"] - before.detach().numpy()).max() > 0.005


def test_a_machine_with_another_program_is_named():
    inputs = RunInputs(TrainConfig(), "suphx 0", b"", (), None)
    with pytest.raises(InputError, match=r"the machine .* has suphx .*, the run is of suphx 0"):
        inputs.load_networks()


def test_all_engines_together_ask_for_weights_so_many_times_a_second_at_most():
    assert [seconds_between_requests(engines) for engines in (1, 50)] == [0.2, 0.2]
    assert all(engines / seconds_between_requests(engines) <= 250.001 for engines in range(1, 5000))
