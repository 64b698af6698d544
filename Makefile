# `make demo` and `make test` need python3 (3.10 or later, with venv) and a package index, nothing else.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
RUN    := $(VENV)/.installed
DEV    := $(VENV)/.installed-dev

.PHONY: help demo test slow gpu faults lint format docs tables lock install clean
.DEFAULT_GOAL := help

help:  ## this list
	@grep -E '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*##/ —/'

demo: $(RUN)  ## names in unseen text, with and without ELMo, on built-in data
	$(BIN)/python -m bench experiment=demo

test: $(DEV)  ## the fast test suite, a process a core
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest -n auto --maxprocesses 8 --dist loadfile

slow: $(DEV)  ## the tests that take minutes
	$(BIN)/python -m pytest -m slow

gpu: $(DEV)  ## all that wants a GPU: tests, speeds, gpu-report.json (25 minutes at most)
	$(BIN)/python scripts/gpu_report.py

SEED   ?= 1
COUNT  ?= 200
LIMIT  := $(if $(shell command -v timeout 2>/dev/null),timeout 3600)  # which macOS lacks
faults: $(DEV)  ## a campaign: mutated files, hostile archives, kills, full disks (SEED=1 COUNT=200)
	$(LIMIT) $(BIN)/python -m tests.faults.readers --seed $(SEED) --count $(COUNT)
	$(LIMIT) $(BIN)/python -m tests.faults.archives --seed $(SEED) --count $(COUNT)
	$(LIMIT) $(BIN)/python -m tests.faults.kills --seed $(SEED) --count $$(($(COUNT) / 20))
	$(LIMIT) $(BIN)/python -m tests.faults.full_disk --seed $(SEED) --count $$(($(COUNT) / 50))

lint: $(DEV)  ## ruff, formatting, types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(DEV)  ## let ruff mend what it can
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(RUN)  ## the documentation as a site, in build/site
	$(BIN)/python -c 'import material' 2>/dev/null || scripts/install "$(PYTHON)" "$(VENV)" docs
	scripts/docs $(BIN)/python

tables: $(RUN)  ## the tables of README and docs, written anew from results/
	$(BIN)/python -m bench.report.pages $$(grep -l '^<!-- table ' *.md docs/*.md)

lock: $(DEV)  ## write down the versions that are installed, in requirements.lock
	scripts/lock $(BIN)/python > requirements.lock

install: $(DEV)  ## the environment alone

$(RUN): pyproject.toml scripts/install
	scripts/install "$(PYTHON)" "$(VENV)"
	@touch $@

$(DEV): $(RUN)
	scripts/install "$(PYTHON)" "$(VENV)" dev
	@touch $@

clean:  ## remove the environment and caches (runs stay)
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache
