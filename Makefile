# yarnbox: `make help` lists what there is to do.

PYTHON ?= python3
BIN := .venv/bin
PACKAGES := protos yarn rm nm am client cluster sim
BENCHES := $(filter-out spark,$(patsubst bench/%.py,%,$(wildcard bench/[a-z]*.py)))

.PHONY: help setup test test-clients compare cluster bench bench-clients lint format clean
.DEFAULT_GOAL := help

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

setup: .venv/installed ## Create .venv, install yarnbox and its tools, generate the stubs
	@$(BIN)/python protos/build.py --if-stale
	@$(BIN)/python -m compileall -q $(PACKAGES)  # once: where PYTHONDONTWRITEBYTECODE is set, every start would

.venv/installed: pyproject.toml hatch_build.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "yarnbox needs Python 3.11 or newer, $(PYTHON) is not: make setup PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "$(PYTHON) cannot create environments: install its venv package (apt install python3-venv)" >&2; exit 1; }
	@$(PYTHON) -m venv .venv
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

test: setup ## Run all tests; format, lint and types are among them
	@$(BIN)/pytest -q -n 3 --dist worksteal

test-clients: setup ## Run Hadoop's own commands, MapReduce, NodeManager, Java clients, Spark and Flink on a cluster (needs Java; 1 GB of cache)
	@if $(BIN)/python -m tests.clients.installed; then \
	  twin=tests/hadoop; $(BIN)/python -m tests.hadoop.installed || { test $$? -eq 3 && twin=; } && \
	  $(BIN)/pytest -q -o python_files='check_*.py' --timeout 300 tests/clients $$twin; \
	else test $$? -eq 3; fi

compare: setup ## Play every scenario by Hadoop's ResourceManager too, and compare (needs Java and Maven)
	@$(BIN)/python -m tests.hadoop.installed && $(BIN)/python -m tests.hadoop.compare $$(find tests/scenarios -name '*.yaml' | sort)

cluster: setup ## Start a local cluster in the foreground; Ctrl-C ends it
	@exec $(BIN)/yarnbox up

bench: setup ## Run the benchmarks, one JSON document each
	@set -e; for bench in $(BENCHES); do $(BIN)/python -m bench.$$bench; done

bench-clients: setup ## Run SparkPi on a cluster and without one (needs Java; installs Spark into a cache)
	@$(BIN)/python -m tests.clients.installed && $(BIN)/python -m bench.spark

lint: setup ## Look for faults of style and type
	@$(BIN)/ruff check .
	@$(BIN)/mypy

format: setup ## Rewrite the sources in the one format
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format .

clean: ## Remove what was built, the environment included
	@rm -rf .venv build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis test-artifacts bench-results
	@rm -rf protos/*_pb2*.py protos/*_pb2*.pyi protos/stubs.sha256
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
