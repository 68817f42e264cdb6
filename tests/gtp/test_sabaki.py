"""A game through the GTP library of Sabaki. It is fetched from npm; without it, the test is skipped."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "sabaki"
NODE, NPM = shutil.which("node"), shutil.which("npm")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    if not (NODE and NPM):
        pytest.skip("node and npm are not installed")
    folder = tmp_path_factory.mktemp("sabaki")
    for name in ("package.json", "play.cjs"):
        shutil.copy(FOLDER / name, folder)
    command = [NPM, "install", "--no-audit", "--no-fund", "--no-package-lock", "--fetch-retries=0"]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    except subprocess.TimeoutExpired:
        pytest.skip("npm did not answer within a minute")
    if done.returncode:
        pytest.skip(f"npm cannot fetch @sabaki/gtp: {done.stderr.strip().splitlines()[-1:]}")
    return folder


@pytest.mark.slow
def test_sabaki_plays_a_whole_game(folder):
    engine = [sys.executable, "-m", "semeai", "gtp", "--simulations", "300", "--seed", "7"]
    done = subprocess.run(
        [NODE, "play.cjs", *engine], cwd=folder, capture_output=True, text=True, timeout=300, env=os.environ
    )
    assert done.returncode == 0, done.stderr
    game = json.loads(done.stdout)
    assert (game["name"], game["protocol"]) == ("semeai", "2")
    assert len(game["moves"]) >= 20
    assert game["resigned"] or game["moves"][-2:] == ["pass", "pass"]
    assert game["variations"] >= game["analysisLines"] >= len(game["moves"]) // 2
    assert game["stopped"]
    assert game["score"][:2] in ("B+", "W+")
    assert game["stones"] == game["historyLength"] == 3  # taken back to the third move by the library
