# Needs Python >= 3.11 and make; everything else goes into .venv.
#
# PYTHON=python3.12 make ...    another interpreter for a new .venv
# make test PYTEST_ARGS="-k knock -x"

PYTHON ?= python3
PYTEST_ARGS ?=
RUN ?= runs/quick

VENV := .venv
BIN := $(VENV)/bin
PY := $(BIN)/python
STAMP := $(VENV)/.installed
PEERS := .venv-peers
PEERS_STAMP := $(PEERS)/.installed
TOO_OLD := "gin-env needs Python >= 3.11: make PYTHON=python3.12 ... (now $(PYTHON))"

.DEFAULT_GOAL := help
.PHONY: help install quickstart test test-full check lint types imports format docs structure tutorial pictures
.PHONY: coverage bench-peers clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The stamp is touched last, so a failed pip leaves none, and the next make installs again.
$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and $(TOO_OLD))'
	rm -f $@
	$(PYTHON) -m venv $(VENV)
	$(PY) -m pip install --disable-pip-version-check -c constraints.txt -e ".[train,eval,play,export,dev]"
	touch $@

install: $(STAMP) ## make .venv with everything in it

quickstart: $(STAMP) ## train for about three minutes, then play the result against the three levels
	$(PY) -m training configs/train/quick.yaml --run $(RUN) --overwrite
	$(PY) -m eval levels $(RUN)

test: $(STAMP) ## run the tests on two processes
	$(PY) -m pytest -n 2 $(PYTEST_ARGS)

FULL_SCALE := $(addprefix tests/core/test_,melds.py settlement.py properties.py)
FULL_SCALE += tests/bots/test_strength.py

test-full: $(STAMP) ## the comparisons with the reference, and the bots' strength, at full scale
	GIN_TEST_SCALE=20 $(PY) -m pytest -n 2 $(FULL_SCALE) $(PYTEST_ARGS)

check: lint types imports ## all that is checked without running: style, types, import contracts

lint: $(STAMP) ## style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP) ## mypy, strict
	$(BIN)/mypy

imports: $(STAMP) ## who may import whom
	$(BIN)/lint-imports

format: $(STAMP) ## format, and fix what ruff can fix
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: $(STAMP) ## write the generated tables and pictures of docs/ anew
	$(PY) docs/tables.py
	$(PY) docs/pictures.py
	$(PY) docs/structure.py --picture docs/pictures/architecture.png

structure: $(STAMP) ## print figures of the code's structure
	$(PY) docs/structure.py

tutorial: $(STAMP) ## execute docs/tutorial.ipynb anew, and keep what it shows
	$(BIN)/jupyter-execute --inplace docs/tutorial.ipynb

PANEL := --set panel.every=125_000 --set 'panel.opponents=[easy, simple, medium, hard]'
PANEL += --set panel.hands=1000
LADDER := simple greedy easy medium hard quick champion --matches 2000 --seed 1

pictures: $(STAMP) ## play the ladder of docs/ and train its learning curve anew (some ten minutes)
	rm -rf runs/pictures
	mkdir -p docs/pictures
	$(PY) -m eval ladder $(LADDER) --out runs/pictures/ladder
	cp runs/pictures/ladder/ratings.png docs/pictures/ladder.png
	$(PY) -m training configs/train/quick.yaml --run runs/pictures/quick $(PANEL)
	cp runs/pictures/quick/curve.png docs/pictures/learning_curve.png

coverage: $(STAMP) ## coverage of the quick tests, kernels included (they run as plain Python)
	NUMBA_DISABLE_JIT=1 $(BIN)/coverage run -m pytest -m "not slow" $(PYTEST_ARGS)
	$(BIN)/coverage report

$(PEERS_STAMP): benchmarks/peers.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and $(TOO_OLD))'
	rm -f $@
	$(PYTHON) -m venv $(PEERS)
	echo '*' > $(PEERS)/.gitignore
	$(PEERS)/bin/python -m pip install --disable-pip-version-check -r $<
	touch $@

bench-peers: $(PEERS_STAMP) ## make .venv-peers: other environments for `python -m eval benchmark`

clean: ## remove caches and build outputs; .venv and runs/ stay
	rm -rf build dist htmlcov .coverage .coverage.* .hypothesis .import_linter_cache
	rm -rf .mypy_cache .pytest_cache .ruff_cache
	find gin_env training eval benchmarks tests -name __pycache__ -type d -prune -exec rm -rf {} +
