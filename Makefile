# The two commands of a new user are `make demo` and `make test`; each sets up everything it needs.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
DEMO := build/demo

.PHONY: help setup demo quick test lint format bench docs constraints clean

help:
	@echo "make setup        create .venv and install semeai with its development tools"
	@echo "make demo         grow a small Go player by races (about two minutes, and one more to compile)"
	@echo "make quick        run the fast tests: some of every package, in about a minute"
	@echo "make test         run all tests"
	@echo "make lint         check style and types with ruff and mypy"
	@echo "make format       fix style with ruff, as far as it can"
	@echo "make bench        run the benchmarks and write the pages of docs/benchmarks"
	@echo "make docs         build the documentation into site/"
	@echo "make constraints  write the installed versions to constraints.txt"
	@echo "make clean        delete .venv, build and site"
	@echo "A command that needs .venv creates it first."

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: setup
	@rm -rf $(DEMO)
	@$(BIN)/semeai init $(DEMO) --evolve
	@$(BIN)/semeai evolve $(DEMO)/evolve.toml
	@$(BIN)/semeai report --ledger $(DEMO)/semeai.sqlite --output $(DEMO)/report.html
	@echo
	@echo "Next: open $(CURDIR)/$(DEMO)/report.html in a browser, watch a run live with"
	@echo "      $(BIN)/semeai dashboard --ledger $(DEMO)/semeai.sqlite, play with $(BIN)/semeai play, change $(DEMO)/evolve.toml, or race a program of your own:"
	@echo "      $(BIN)/semeai init first-race && $(BIN)/semeai race first-race/race.toml"

quick: setup
	$(BIN)/python -m pytest -n auto -m 'not slow and not statistical'

# Compile the kernels once before the processes start: each of them would compile all for itself.
test: setup
	@SEMEAI_BOUNDSCHECK=1 $(BIN)/semeai warmup
	$(BIN)/python -m pytest -n auto

lint: setup
	$(BIN)/ruff check --no-cache . && $(BIN)/ruff format --check . && $(BIN)/mypy

format: setup
	$(BIN)/ruff check --no-cache --fix --exit-zero . && $(BIN)/ruff format .

bench: setup
	$(BIN)/python benchmarks/run.py

docs: setup
	$(BIN)/python docs/make_reference.py
	$(BIN)/python docs/make_results.py
	$(BIN)/mkdocs build --strict --quiet

constraints: setup
	$(BIN)/python -m pip freeze --exclude-editable > constraints.txt

clean:
	rm -rf $(VENV) build site
