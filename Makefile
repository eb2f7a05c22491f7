# The commands of the house. `make` alone lists them.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
LOWEST := .venv-lowest

# The tests start hundreds of processes: Python keeps what it has compiled, whatever the surroundings say.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo test test-rooms test-spark test-lowest lint format docs bench clean
help:            ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:[^#]*##/\t/' | expand -t 14

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "incrowd needs Python 3.11 or newer; say which one: make PYTHON=python3.11 …"; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable .
	@touch $@

$(VENV)/.installed-dev: pyproject.toml | $(BIN)/python
	$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@ $(VENV)/.installed

$(LOWEST)/.installed: pyproject.toml tests/lowest.txt
	$(PYTHON) -m venv $(LOWEST)
	$(LOWEST)/bin/pip install --quiet --editable '.[pandas,polars,files,sign,spark,sql,utility,web]' --constraint tests/lowest.txt \
	  'httpx>=0.28' 'hypothesis>=6.120' 'pytest>=8.3' 'pytest-randomly>=3.16' 'pytest-xdist>=3.6'
	@touch $@

demo: $(VENV)/.installed          ## install into .venv and show what there is on the made-up hospital table
	$(BIN)/incrowd demo

# A database server, a browser and Java for the tests, where we may install them; elsewhere the tests that need them are
# skipped, but never with CI=true.
.PHONY: system
system:
	@{ { ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null; } && \
	  command -v chromium >/dev/null && command -v java >/dev/null; } || \
	  { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null && apt-get update -qq && \
	    DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends postgresql chromium openjdk-17-jre-headless >/dev/null; } || true

test: lint system test-lowest test-rooms test-spark ## install everything, check style and types, run all tests

test-rooms: $(VENV)/.installed-dev   ## all tests but those of Spark
	$(BIN)/pytest -n auto --dist worksteal --ignore tests/spark

test-spark: $(VENV)/.installed-dev   ## the tests of Spark, in two processes: one shares two applications, one starts commands
	$(BIN)/pytest -n 2 --dist loadgroup tests/spark

# numba throws away what another version of it has compiled, so the oldest one keeps it elsewhere.
OLDEST := tests/cli/test_run.py tests/report/test_page.py tests/web/test_app.py tests/web/test_guard.py \
  tests/evidence/test_utility.py tests/release/test_certificate.py tests/spark/test_starting.py::test_the_quiet_hear_nothing_of_java
test-lowest: export NUMBA_CACHE_DIR := $(abspath $(LOWEST))/numba
test-lowest: $(LOWEST)/.installed ## tests with the oldest libraries we allow: of the engines, and some of every other room
	$(LOWEST)/bin/pytest -n auto --dist worksteal -W ignore::DeprecationWarning tests/engines tests/core $(OLDEST)

lint: $(VENV)/.installed-dev      ## style, types, direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.installed-dev    ## let ruff tidy up
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(VENV)/.installed-dev      ## build the documentation into site/
	$(BIN)/mkdocs build --strict

bench: $(VENV)/.installed-dev     ## the benchmarks; each prints ratios of one run
	$(BIN)/python benchmarks/run.py

# Options of a fuzzing run: how long, from which seed, one part, so many cases of each, a planted fault (or all of them).
SECONDS ?= 60
.PHONY: fuzz
fuzz: $(VENV)/.installed-dev      ## random cases against slow definitions: SECONDS=60 SEED=7 ONLY=files CASES=100 FAULT=all
	@cd tests && PYTHONPATH=. ../$(BIN)/python -m fuzz --seconds $(SECONDS) $(if $(SEED),--seed $(SEED)) \
	  $(if $(ONLY),--only $(ONLY)) $(if $(CASES),--cases $(CASES)) $(if $(JOBS),--jobs $(JOBS)) $(if $(FAULT),--fault "$(FAULT)")

.PHONY: coverage
coverage: export COVERAGE_FILE := $(abspath .coverage/data)
coverage: $(VENV)/.installed-dev  ## lines and branches that tests run through, room by room: TESTS=tests/models LINES=yes
	rm -rf .coverage && mkdir .coverage
	$(BIN)/coverage run -m pytest -n auto --dist worksteal $(or $(TESTS),tests --ignore tests/spark)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage json --quiet -o .coverage/coverage.json
	$(BIN)/python benchmarks/covered.py .coverage/coverage.json $(if $(LINES),--lines)

clean:           ## remove what the other commands made
	rm -rf $(VENV) $(LOWEST) .coverage site dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
