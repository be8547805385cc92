# Every target makes the virtual environment it needs and installs into it, once.
#   .venv       the tests' own: package editable, all extras, development tools
#   .venv-demo  the demo's: the built package and its core dependencies only, as a user has it

PYTHON ?= python3
WORKERS ?= 2
PYTEST_ARGS ?=
FUZZ_SECONDS ?= 300
SEED ?=

TEST := .venv/bin
DOCS_TESTS := tests/project/test_documentation.py tests/project/test_site.py \
  tests/cli/test_cli.py::test_help_shows_examples_that_work \
  "tests/reproduction/test_publication.py::test_the_page_is_made_of_the_committed_results[False]"
DEMO := .venv-demo/bin
SOURCES := $(shell find src -name '*.py' -o -name 'py.typed' -o -name '*.html' -o -name '*.css' -o -name '*.js')

# The second is for isolated builds, where newer pips do not look at the first.
export PIP_CONSTRAINT := constraints.txt
export PIP_BUILD_CONSTRAINT := constraints.txt
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# One BLAS thread in each of the parallel test processes.
test test-slow fuzz docs-check catalogue: export OPENBLAS_NUM_THREADS := 1
test test-slow fuzz docs-check catalogue: export OMP_NUM_THREADS := 1
test test-slow fuzz docs-check catalogue: export MKL_NUM_THREADS := 1

define CHECK_PYTHON
@command -v "$(PYTHON)" >/dev/null || { echo "There is no $(PYTHON) here; name a Python 3.11, 3.12 or 3.13: \
make $(firstword $(MAKECMDGOALS)) PYTHON=python3.12"; exit 1; }
@$(PYTHON) tools/python_check.py
endef

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test check screenshots test-slow fuzz docs docs-check lint format types wheel wheel-check bench catalogue lock lock-check clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))
	@echo "Another interpreter: make test PYTHON=python3.12 (after make clean)"

demo: .venv-demo/.installed ## simulate a system, find its symmetries from the file, write demo/report.html
	$(DEMO)/liestonet demo

test: .venv/.installed ## all tests but the slow ones
	$(TEST)/python -m pytest -n $(WORKERS) --dist loadfile $(PYTEST_ARGS)

# CI (.ci/run) calls this target and nothing else. PYTEST_ARGS are for the tests alone.
check: .venv/.installed ## all that CI runs: style, types, site, tests, snippets, the wheel
	$(MAKE) lint
	$(MAKE) types
	$(MAKE) docs
	$(MAKE) test
	$(MAKE) docs-check PYTEST_ARGS=
	$(MAKE) wheel-check

screenshots: .venv/.installed ## pictures of the report's pages in screenshots/ (needs Chromium)
	$(TEST)/python -m pytest tests/render/html/test_browser.py --screenshots screenshots $(PYTEST_ARGS)

test-slow: .venv/.installed ## the slow tests
	$(TEST)/python -m pytest -n $(WORKERS) -m slow $(PYTEST_ARGS)

fuzz: .venv/.installed ## drawn examples anew (SEED=…, FUZZ_SECONDS=300); failures stay in tests/regressions
	@seed=$(or $(SEED),$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')); \
	echo "make fuzz SEED=$$seed FUZZ_SECONDS=$(FUZZ_SECONDS)"; \
	$(TEST)/python -m pytest -n $(WORKERS) --fuzz $(FUZZ_SECONDS) --hypothesis-seed=$$seed $(PYTEST_ARGS)

docs: .venv/.installed ## build the documentation as a site with search: site/index.html
	$(TEST)/python tools/build_site.py site
	$(TEST)/python tools/gallery.py site/gallery
	@echo "Open site/index.html"

docs-check: .venv/.installed ## run the snippets of README, docs and help, follow links, make the pages of studies again
	$(TEST)/python -m pytest $(DOCS_TESTS) -m "slow or not slow" $(PYTEST_ARGS)

lint: .venv/.installed ## ruff: style and layout
	$(TEST)/ruff check
	$(TEST)/ruff format --check

format: .venv/.installed ## ruff: what it can repair by itself
	$(TEST)/ruff check --fix
	$(TEST)/ruff format

types: .venv/.installed ## pyright: types
	$(TEST)/pyright

wheel: .venv/.installed ## build the source distribution and the wheel into dist/
	rm -rf dist
	$(TEST)/python -m build

wheel-check: wheel ## use the wheel in an empty environment, away from the sources
	@scratch="$$(mktemp -d)" && trap 'rm -rf "$$scratch"' EXIT && set -e; \
	$(PYTHON) -m venv "$$scratch/empty"; \
	"$$scratch/empty/bin/python" -m pip install --quiet dist/*.whl; \
	cd "$$scratch"; \
	empty/bin/liestonet --help >/dev/null; \
	empty/bin/liestonet solve "dx = dW" --report report.html; \
	test -s report.html

bench: .venv/.installed ## speed and memory
	@for script in benchmarks/[a-z]*.py; do \
	  if [ -e "$$script" ]; then echo "$$script"; $(TEST)/python "$$script" || exit 1; \
	  else echo "There is no benchmark in benchmarks/ yet."; fi; done

catalogue: ARGS ?= --anew
catalogue: .venv/.installed ## solve the whole catalogue and write docs/catalogue.md (long; ARGS= goes on)
	$(TEST)/python tools/catalogue_page.py $(ARGS)

lock: ## resolve the newest versions into constraints.txt (with Python 3.11)
	$(CHECK_PYTHON)
	$(PYTHON) -m venv --clear .venv-lock
	env -u PIP_CONSTRAINT -u PIP_BUILD_CONSTRAINT .venv-lock/bin/python tools/lock.py
	rm -rf .venv-lock

lock-check: ## ask whether constraints.txt serves another PYTHON
	$(CHECK_PYTHON)
	$(PYTHON) -m venv --clear .venv-lock
	.venv-lock/bin/python tools/lock.py --check
	rm -rf .venv-lock

clean: ## remove the virtual environments and everything built
	rm -rf .venv .venv-demo .venv-lock build dist .pytest_cache .ruff_cache .hypothesis .jax_cache demo site screenshots

.venv/.installed: pyproject.toml constraints.txt
	$(CHECK_PYTHON)
	$(PYTHON) -m venv .venv
	$(TEST)/python -m pip install --quiet --editable '.[all,docs,dev]'
	@touch $@

.venv-demo/.installed: pyproject.toml constraints.txt README.md $(SOURCES)
	$(CHECK_PYTHON)
	$(PYTHON) -m venv .venv-demo
	$(DEMO)/python -m pip install --quiet .
	@touch $@
