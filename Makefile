# The two commands of a new user are `make demo` and `make test`; each sets up everything it needs.
VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= python3
DEMO := build/demo

.PHONY: help setup demo test lint bench docs constraints clean

help:
	@echo "make demo   set up, and grow a small Go player by races (about two minutes, and one more to compile)"
	@echo "make test   set up, and run the tests"
	@echo "make lint   ruff and mypy"
	@echo "make bench  measure, and write the tables of docs/benchmarks"
	@echo "make docs   build the documentation into site/"

setup: $(VENV)/.ready

$(VENV)/.ready: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@

demo: setup
	@rm -rf $(DEMO)
	@$(BIN)/semeai init $(DEMO) --evolve
	@$(BIN)/semeai evolve $(DEMO)/evolve.toml
	@echo
	@echo "Next: read $(DEMO)/grown/report.md, change $(DEMO)/evolve.toml, or race a program of your own:"
	@echo "      $(BIN)/semeai init first-race && $(BIN)/semeai race first-race/race.toml"

test: setup
	$(BIN)/python -m pytest -n auto

lint: setup
	$(BIN)/ruff check --no-cache . && $(BIN)/ruff format --check . && $(BIN)/mypy

bench: setup
	$(BIN)/python benchmarks/run.py

docs: setup
	$(BIN)/python docs/make_reference.py
	$(BIN)/mkdocs build --strict --quiet

constraints: setup
	$(BIN)/python -m pip freeze --exclude-editable > constraints.txt

clean:
	rm -rf $(VENV) build site
