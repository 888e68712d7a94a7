# yarnbox: `make help` lists what there is to do.

PYTHON ?= python3
BIN := .venv/bin
CORE = YARNBOX_COMPILED=$(if $(filter-out 0,$(COMPILED)),1,0)
PACKAGES := protos yarn rm nm am client cluster sim testing
BENCHES := $(filter-out check failover livestream nodes pages spark storm taskstream whatif work,$(patsubst bench/%.py,%,$(wildcard bench/[a-z]*.py)))
# Begins a step that one make at a time may do in this folder.
ALONE = set -e; exec 9<.; ! command -v flock >/dev/null \
  || flock -w 1 9 || { echo "setup: waiting for another make in this folder"; flock 9; };

.PHONY: help setup compiled test test-long test-clients test-compiled compare mutants cluster demo-locality paper
.PHONY: bench bench-check bench-clients bench-hadoop failover soak storm lint format pictures release clean
.DEFAULT_GOAL := help

help: ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 16

setup: .venv/installed ## Create .venv, install yarnbox and its tools, generate the stubs
	@$(ALONE) $(BIN)/python protos/build.py --if-stale; \
	test .venv/compiled -nt .venv/installed || echo "setup: compiling"; \
	$(BIN)/python -m compileall -q $(PACKAGES); \
	touch .venv/compiled; \
	test -z "$(filter-out 0,$(COMPILED))" || $(BIN)/python compile_core.py
# compileall, once: where PYTHONDONTWRITEBYTECODE is set, every start would compile

compiled: ## Compile the core to C, some minutes (needs a C compiler); it is used until a source of it changes
	@$(MAKE) --no-print-directory setup COMPILED=1

.venv/installed: pyproject.toml hatch_build.py
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "yarnbox needs Python 3.11 or newer, $(PYTHON) is not: make setup PYTHON=python3.11" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null \
	  || { echo "$(PYTHON) cannot create environments: install its venv package (apt install python3-venv)" >&2; exit 1; }
	@$(ALONE) test $@ -nt pyproject.toml && test $@ -nt hatch_build.py && exit; \
	echo "setup: making the environment .venv"; \
	$(PYTHON) -m venv .venv; \
	echo "setup: installing yarnbox and its tools there, some 60 packages; a minute or two"; \
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'; \
	touch $@

node_modules/.installed: package.json .npmrc
	@npm install --silent --no-audit --no-fund
	@touch $@

test: setup ## Run the tests, format, lint and types among them, without the long ones. COMPILED=1: on the compiled core
test-long: setup ## Run the long tests: jobs on many processes, the pages in a browser, wheels, published experiments, ZooKeeper (needs Java)
test test-long:
	@$(if $(filter test-long,$@),$(BIN)/python -m tests.zookeeper || test $$? -eq 3)
	@PYTHONDONTWRITEBYTECODE= $(CORE) \
	  $(BIN)/pytest -q --dist worksteal $(if $(filter test,$@),-n 3 -m "not long",-n 4 -m long)

test-compiled: ## Compile the core; run all tests, and compare scenarios and loads with Hadoop, on it (needs a C compiler)
	@$(MAKE) --no-print-directory test test-long compare COMPILED=1

test-clients: setup ## Run Hadoop's own commands, MapReduce, NodeManager, Java clients, Spark and Flink on a cluster (needs Java; 1 GB of cache)
	@if $(BIN)/python -m tests.clients.installed; then \
	  twin=tests/hadoop; $(BIN)/python -m tests.hadoop.installed || { test $$? -eq 3 && twin=; } && \
	  $(BIN)/pytest -q -o python_files='check_*.py' --timeout 900 tests/clients $$twin; \
	else test $$? -eq 3; fi

compare: setup ## Play every scenario and four loads on Hadoop's ResourceManager too, and compare (needs Java and Maven). COMPILED=1: on the compiled core
	@if $(BIN)/python -m tests.hadoop.installed; then \
	  $(CORE) $(BIN)/python -m tests.hadoop.compare --workloads $$(find tests/scenarios -name '*.yaml' | sort); \
	else test $$? -eq 3; fi

mutants: setup ## Put small faults into the code, one at a time: the random walks and the comparison with Hadoop must notice them (hours; Java and Maven)
	@$(BIN)/python -m tests.testing.walk.mutation
	@$(BIN)/python -m tests.hadoop.installed && $(BIN)/python -m tests.hadoop.mutation

cluster: setup ## Start a local cluster in the foreground; Ctrl-C ends it
	@exec $(BIN)/yarnbox up

demo-locality: setup ## Three word counts at a time on real processes, without delay scheduling and with it
	@$(BIN)/python examples/locality/locality.py

paper: setup ## Repeat experiments of the literature; writes docs/paper.md and docs/paper (minutes)
	@$(BIN)/yarnbox paper --out docs

bench: setup ## Run the benchmarks, one JSON document each
	@set -e; for bench in $(BENCHES); do $(BIN)/python -m bench.$$bench; done

bench-check: setup ## Count instructions of fixed pieces of work, compare with bench/check.json (needs valgrind; minutes). RECORD=1: record
	@$(BIN)/python -m bench.check $(if $(filter-out 0,$(RECORD)),--record)

failover: setup ## Kill the active one of two ResourceManagers TIMES times (10) under load; nothing may be lost (needs Java)
	@$(BIN)/python -m tests.zookeeper && $(BIN)/python -m bench.failover --times $(or $(TIMES),10)

bench-clients: setup ## Run SparkPi on a cluster and without one (needs Java; installs Spark into a cache)
	@$(BIN)/python -m tests.clients.installed && $(BIN)/python -m bench.spark

soak: setup ## Run random tests of a cluster with faults in virtual time for MINUTES (60)
	@$(BIN)/yarnbox walk --minutes $(or $(MINUTES),60)

storm: setup ## Kill, pause, starve of disk and send noise to real processes for MINUTES (5), and check that nothing is lost
	@$(BIN)/python -m bench.storm --minutes $(or $(MINUTES),5)

bench-hadoop: setup ## Compare the schedulers' speed with that of Hadoop's own, in turns (needs Java and Maven)
	@$(BIN)/python -m bench.hadoop

lint: setup ## Check style and types
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory node_modules/.installed && npm run --silent lint; \
	else echo "npm is not installed: JavaScript and CSS are not checked" >&2; fi

format: setup ## Format the sources
	@$(BIN)/ruff check --quiet --fix-only .
	@$(BIN)/ruff format .
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory node_modules/.installed && npm run --silent format; fi

release: setup ## Check, build and try a release, and list its parts: dist/ (see docs/release.md)
	@$(BIN)/python release.py check
	@$(BIN)/python release.py build
	@$(BIN)/python release.py trial
	@$(BIN)/python release.py sbom

pictures: setup ## Take the pictures of docs/images again (needs Chromium)
	@$(BIN)/python -m tests.pictures

clean: ## Remove what was built, the environment included
	@rm -rf .venv node_modules build dist *.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis test-artifacts bench-results
	@rm -rf src/yarnbox/_compiled src/yarnbox/._compiled-*
	@rm -rf protos/*_pb2*.py protos/*_pb2*.pyi protos/stubs.sha256
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
