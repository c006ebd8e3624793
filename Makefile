# Every target sets up what it needs: a fresh clone needs only Python 3.11 or later
# and the package index. `make PYTHON=python3.13 ...` chooses the interpreter.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -qq
METADATA := pyproject.toml src/widemargin/_version.py
ALL_METADATA := $(METADATA) benchmarks/pyproject.toml

.DEFAULT_GOAL := help
.PHONY: help test test-slow test-all demo lint format wheel binaries docs clean

help:  ## Show this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

# Matrices in tests are small: threads of linear algebra would only wait for each other.
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest -q -n auto \
  --maxprocesses 4

test: $(VENV)/.dev  ## Run the tests and the docstring examples, but not the slow ones
	$(PYTEST) -m "not slow"

test-slow: $(VENV)/.dev  ## Run the slow tests: fuzzing, killed processes, docs, examples
	$(PYTEST) -m slow

test-all: test test-slow  ## Run all tests

demo: $(VENV)/.demo  ## Run the demonstration
	$(BIN)/widemargin demo --force

lint: $(VENV)/.dev  ## Check format, code, layers, spelling, wording and types
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/lint-imports --no-logo
	$(BIN)/codespell
	$(BIN)/python tools/words.py
	$(BIN)/mypy

format: $(VENV)/.dev  ## Format the code and apply the safe fixes
	$(BIN)/ruff format
	$(BIN)/ruff check --fix

wheel: $(VENV)/.dev  ## Build the source distribution, and the wheel from it, into dist/
	rm -rf dist
	$(BIN)/python -m build

# A dry run for the Pythons that are not installed here: pip finds all wheels, or fails.
binaries: $(VENV)/.dev  ## Check that the wheel needs no compiler on Python 3.11 to 3.14
	for version in 3.11 3.12 3.13 3.14; do \
	  $(PIP) install --dry-run --only-binary :all: --python-version $$version \
	    --target build/$$version dist/*.whl || exit 1; \
	done

docs: $(VENV)/.docs  ## Build the documentation into docs/_build/html
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MPLBACKEND=Agg $(BIN)/python -m sphinx \
	  -q -W --keep-going -b html -d docs/_build/doctrees docs docs/_build/html
	@echo The pages start at docs/_build/html/index.html.

clean:  ## Remove the environment and everything built
	rm -rf $(VENV) build dist .pytest_cache .ruff_cache .hypothesis .import_linter_cache .mypy_cache
	rm -rf docs/_build docs/auto_examples docs/api/generated
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; v = sys.version.split()[0]; \
	  sys.exit(f"widemargin needs Python 3.11 to 3.14, $(PYTHON) is {v}: " \
	  "choose another with make PYTHON=...") \
	  if not (3, 11) <= sys.version_info < (3, 15) else None'
	$(PYTHON) -m venv $(VENV)

# The stamps: reinstall when the metadata changes, else start at once. The order-only
# prerequisite creates the environment without caring how old its interpreter is.
$(VENV)/.demo: $(ALL_METADATA) | $(BIN)/pip
	@echo "Installing into $(VENV): about a minute, once."
	$(PIP) install --editable '.[plots]' --editable ./benchmarks
	@touch $@

$(VENV)/.dev: $(ALL_METADATA) | $(BIN)/pip
	$(PIP) install --editable '.[dev]' --editable ./benchmarks
	@touch $(VENV)/.demo $@

$(VENV)/.docs: $(ALL_METADATA) | $(BIN)/pip
	$(PIP) install --editable '.[docs]' --editable ./benchmarks
	@touch $@
