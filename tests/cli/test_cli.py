"""The commands as a user types them."""

import csv
import io
import json
import os
import subprocess
import sys

import pytest

RACE = """
seed = 2
[race]
mode = "plain"
accept_above = 0.51
discard_below = 0.55
[evaluator]
callable = "tests.programs:coin"
[[candidates]]
name = "bad"
p = 0.4
[[candidates]]
name = "good"
p = 0.7
"""


@pytest.fixture
def semeai(tmp_path):
    path = os.pathsep.join([os.getcwd(), os.environ.get("PYTHONPATH", "")])

    def run(*arguments, code=0, columns="120", timeout=300):
        done = subprocess.run(
            [sys.executable, "-m", "semeai", *map(str, arguments)],
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path, "COLUMNS": columns},
            timeout=timeout,
        )
        assert done.returncode == code, done.stderr
        return done

    return run


@pytest.fixture
def race_file(tmp_path):
    path = tmp_path / "race.toml"
    path.write_text(RACE)
    return path


@pytest.mark.slow
def test_race_status_runs_and_export(semeai, race_file):
    done = semeai("race", "race.toml")
    assert "accepted: good" in done.stdout
    assert "discarded: bad" in done.stdout
    assert "at most 5%" in done.stdout

    (run,) = json.loads(semeai("runs", "--json").stdout)
    assert (run["name"], run["state"]) == ("race", "finished")
    assert "race" in semeai("runs").stdout

    status = json.loads(semeai("status", "race", "--json").stdout)
    assert {c["name"]: c["verdict"] for c in status["candidates"]} == {"bad": "discarded", "good": "accepted"}
    assert "accepted" in semeai("status", "race").stdout

    lines = [json.loads(line) for line in semeai("export", "race").stdout.splitlines()]
    rows = list(csv.DictReader(io.StringIO(semeai("export", "race", "--format", "csv").stdout)))
    assert len(lines) == len(rows) > 2
    assert sum(line["size"] for line in lines) == status["evaluations"]
    assert all(sum(line["counts"].values()) == line["size"] for line in lines)
    decisions = semeai("export", "race", "--table", "decisions").stdout.splitlines()
    assert {json.loads(d)["verdict"] for d in decisions} == {"accepted", "discarded"}


@pytest.mark.slow
def test_json_is_all_that_is_printed(semeai, race_file):
    result = json.loads(semeai("race", "race.toml", "--json").stdout)
    assert result["accepted"] == ["good"]
    again = json.loads(semeai("race", "race.toml", "--json", "--name", "again", "--workers", "1").stdout)
    assert again["digest"] == result["digest"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (("seed = 2", "sede = 2"), 2, "race.toml: sede: unknown key; did you mean 'seed'?"),
        (("tests.programs:coin", "tests.programs:broken"), 0, ""),
        (("programs:coin", "programs:none"), 2, "cannot load"),
        (("[race]", "[race]\nrisk = 2"), 2, "race.risk: must be below 1, not 2"),
    ],
)
def test_one_sentence_for_a_mistake(semeai, race_file, change, code, words):
    race_file.write_text(RACE.replace(*change))
    done = semeai("race", "race.toml", code=code)
    assert words in done.stderr
    assert len(done.stderr.splitlines()) <= 1
    assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_a_changed_race_is_refused_with_what_changed(semeai, race_file):
    semeai("race", "race.toml")
    race_file.write_text(RACE.replace("0.55", "0.56"))
    done = semeai("race", "race.toml", code=4)
    assert "race.discard_below was 0.55, is 0.56" in done.stderr
    semeai("race", "race.toml", "--name", "second")


@pytest.mark.slow
def test_names_are_shown_as_they_are(semeai, race_file):
    semeai("race", "race.toml", "--name", "try [red]this[/] one")
    for command in (["runs"], ["status", "try [red]this[/] one"]):
        assert "try [red]this[/] one" in semeai(*command).stdout


@pytest.mark.slow
def test_what_a_program_prints_is_not_our_output(semeai, race_file):
    race_file.write_text(RACE.replace("programs:coin", "programs:prints"))
    assert json.loads(semeai("race", "race.toml", "--json").stdout)["accepted"] == ["good"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("bounds", "--wins", 5, "--losses", 5, "--accept-above", 0.5, "--discard-below", 0.5),
        ("plan", "--efficiency", 0.6, "--risk", 0.5, "--races", 10),
    ],
)
def test_corner_cases_of_the_calculators(semeai, arguments):
    semeai(*arguments)


@pytest.mark.slow
def test_a_race_that_cannot_end_is_not_planned(semeai):
    done = semeai("plan", "--efficiency", 0.5, "--accept-above", 0.5, "--discard-below", 0.5, code=2)
    assert "no race ends" in done.stderr


@pytest.mark.slow
def test_a_bad_reward_is_a_failure_of_its_candidate_or_ends_a_strict_race(semeai, race_file):
    text = RACE.replace("programs:coin", "programs:broken").replace("p = 0.4", 'kind = "nan"')
    race_file.write_text(text)
    done = semeai("race", "race.toml")
    assert "accepted: good" in done.stdout
    assert "failed: bad" in done.stdout
    assert "failure: candidate 'bad', seed" in done.stdout
    race_file.write_text(text.replace("[evaluator]", "[evaluator]\nstrict = true"))
    done = semeai("race", "race.toml", "--name", "strict", code=3)
    assert "candidate 'bad', seed" in done.stderr
    status = semeai("status", "strict").stdout
    assert "error" in status
    assert "failure: candidate 'bad'" in " ".join(status.split())


@pytest.mark.slow
def test_a_command_that_fails_shows_its_stderr_in_the_status(semeai, race_file, tmp_path):
    (tmp_path / "play.py").write_text("import sys\nsys.exit('the reason why')\n")
    command = json.dumps([sys.executable, "play.py", "{p}", "{seed}"])
    race_file.write_text(RACE.replace('callable = "tests.programs:coin"', f"command = {command}"))
    done = semeai("race", "race.toml", code=3)
    assert "every candidate's program failed" in done.stderr
    assert "the reason why" in semeai("status", "race").stdout


@pytest.mark.slow
def test_bounds(semeai):
    result = json.loads(semeai("bounds", "--wins", 520, "--losses", 480, "--candidates", 10, "--json").stdout)
    by_method = {m["method"]: m for m in result["methods"]}
    assert by_method["hoeffding, quadratic (variant 2)"]["lower"] == pytest.approx(0.4455, abs=1e-4)
    assert {m["verdict"] for m in result["methods"]} == {"undecided"}
    assert all(m["more_games"] > 0 for m in result["methods"])
    decided = json.loads(semeai("bounds", "--wins", 5200, "--losses", 4000, "--json").stdout)
    assert {m["verdict"] for m in decided["methods"]} == {"accepted"}
    assert "520" not in semeai("bounds", "--wins", 0, "--losses", 0, code=2).stdout
    assert "risk" in semeai("bounds", "--wins", 1, "--losses", 1, "--risk", 3, code=2).stderr


@pytest.mark.slow
def test_plan(semeai):
    result = json.loads(semeai("plan", "--efficiency", "0.6", "--races", "200", "--json").stdout)
    games = {m["method"]: m["games"] for m in result["methods"]}
    assert result["information_bound"] < games["betting"] < games["variant 2"] < games["variant 1"]


@pytest.mark.slow
def test_reproduce(semeai, tmp_path):
    tables = json.loads(semeai("reproduce", "guarantee", "--races", "50", "--json", "--markdown", "g.md").stdout)
    assert len(tables) > 10
    assert (tmp_path / "g.md").read_text().count("###") == len(tables)
    assert "guarantee" in semeai("reproduce").stdout
    assert "did you mean 'guarantee'" in semeai("reproduce", "garantee", code=2).stderr


@pytest.mark.slow
def test_init_writes_a_race_that_loads(semeai, tmp_path):
    semeai("init", "first")
    from semeai.runs.race_file import load_race_file

    config = load_race_file(tmp_path / "first" / "race.toml")
    assert len(list(config.plan(tmp_path / "first").candidates)) == 10
    assert "exists already" in semeai("init", "first", code=2).stderr


def test_init_writes_an_evolution_that_loads(tmp_path):
    from typer.testing import CliRunner

    from semeai.cli.app import app
    from semeai.evolve.config import load_evolution

    done = CliRunner().invoke(app, ["init", str(tmp_path / "player"), "--evolve"])
    assert f"run: semeai evolve {tmp_path / 'player' / 'evolve.toml'}" in done.stdout.replace("\n", "")
    assert load_evolution(tmp_path / "player" / "evolve.toml").match.size == 7


@pytest.mark.slow
def test_warmup_says_where_kernels_are_kept(semeai):
    assert "kept in" in semeai("warmup", timeout=900).stdout


@pytest.mark.slow
def test_unknown_runs_and_ledgers(semeai, race_file):
    assert "there is no ledger at" in semeai("runs", code=4).stderr
    semeai("race", "race.toml")
    assert "did you mean 'race'" in semeai("status", "rac", code=4).stderr
    assert semeai("status").stdout == semeai("status", "race").stdout  # the latest


def test_version_and_no_arguments(semeai):
    assert semeai("--version").stdout.startswith("semeai 0.")
    assert semeai(code=2).stdout == semeai("--help").stdout
