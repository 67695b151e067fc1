# Every target sets up its own virtual environment first, with uv where there is one, else with pip.

VENV ?= .venv
BIN := $(VENV)/bin
# Two more than cores: tests of the daemon and the browser mostly wait.
WORKERS ?= $(shell expr $$(getconf _NPROCESSORS_ONLN) + 2)
export DAGSTER_HOME ?= $(CURDIR)/.dagster
export PYTHONWARNINGS ?= ignore::DeprecationWarning
# Images forbid to keep compiled modules; then each of the many processes compiles all of Dagster.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test long ui lint bench format lock clean

demo: $(VENV)/.ready  ## materialize the sample corpus through Dagster
	$(BIN)/ragctl demo

test: $(VENV)/.ready  ## run the tests
	$(BIN)/python -m pytest --numprocesses $(WORKERS) --dist loadfile --no-loadscope-reorder \
		--durations 25 -m 'not long'

long: $(VENV)/.ready  ## run what takes minutes: many partitions at once, kills in every stage
	$(BIN)/python -m pytest -m long

ui: $(VENV)/.ready  ## open the Dagster UI, with sensor and schedule running
	$(BIN)/ragctl ui

lint: $(VENV)/.ready  ## formatting, style, types, import rules
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

bench: $(VENV)/.ready  ## print the comparison tables
	$(BIN)/python -m tests.bench

format: $(VENV)/.ready
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock:  ## write requirements.lock anew (needs uv)
	uv pip compile --universal --python-version 3.11 --all-extras --group dev --generate-hashes \
		--no-header --no-emit-index-url --output-file requirements.lock pyproject.toml

# The lock names all there is; pip before 23.1 (Debian 12) fails on extras in it unless it trusts that.
$(VENV)/.ready: requirements.lock pyproject.toml
	@if command -v uv >/dev/null 2>&1; then \
		test -d $(VENV) || uv venv --quiet $(VENV); \
		uv pip install --quiet --python $(BIN)/python --require-hashes -r requirements.lock && \
		uv pip install --quiet --python $(BIN)/python --no-deps -e .; \
	else \
		test -d $(VENV) || python3 -m venv $(VENV); \
		$(BIN)/pip install --quiet --no-deps --require-hashes -r requirements.lock && \
		$(BIN)/pip install --quiet --no-deps -e .; \
	fi
	@touch $@

clean:
	rm -rf $(VENV) .dagster data/warehouse
