# Everything here sets up what it needs: Python 3.11+ and git are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: test journeys demo lint format types check clean corpus

$(STAMP): pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[acp,dask,dev,languages,mcp,quality,web]'
	$(BIN)/python -m compileall -q tdd_orchestrator  # as pip does for whoever installs it, also where nothing else may
	touch $(STAMP)

test: $(STAMP)  ## the usual tests, in under five minutes on two cores
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m 'not slow and not journey'

journeys: $(STAMP)  ## whole cycles: recovery, crashes, cheating agents (samples of the sweeps); EVERY=4 PART=2: the second quarter of each file
	EVERY=$(EVERY) PART=$(PART) $(BIN)/python -m pytest -q -n 2 --dist worksteal -m 'journey and not slow'

$(VENV)/demo/.installed: pyproject.toml  # what a user has: no extra; the kata's tests are unittest's
	@printf 'Installing the dependencies of tdd into $(VENV)/demo '
	@rm -rf $(VENV)/demo; $(PYTHON) -m pip --version > /dev/null 2>&1 && $(PYTHON) -m venv --without-pip $(VENV)/demo \
	  || $(PYTHON) -m venv $(VENV)/demo  # a pip of its own takes as long as all that follows, so only where there is no other
	@$(PYTHON) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["dependencies"], sep="\n")' \
	  > $(VENV)/demo/requirements.txt
	@pip="$(VENV)/demo/bin/python -m pip"; $$pip --version > /dev/null 2>&1 || pip="$(PYTHON) -m pip --python $(VENV)/demo/bin/python"; \
	  $$pip install --disable-pip-version-check --no-compile -r $(VENV)/demo/requirements.txt > $(VENV)/demo/pip.log 2>&1 & \
	  while kill -0 $$! 2>/dev/null; do printf .; sleep 1; done; wait $$! || { tail -n 20 $(VENV)/demo/pip.log; exit 1; }
	@echo; touch $@

demo: $(VENV)/demo/.installed  ## three behaviours through RED, GREEN and REFACTOR, without a model or a key
	@$(VENV)/demo/bin/python -m tdd_orchestrator demo

lint: $(STAMP)
	$(BIN)/ruff check .

format: $(STAMP)
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

check: lint format types test

clean:
	rm -rf $(VENV) build dist

corpus: $(STAMP)  ## how well test runs are read: the corpus of real outputs, through the public command
	$(BIN)/python benchmarks/corpus.py --errors 20
	$(BIN)/python -m pytest -q -n 2 -m slow tests/testlog

.PHONY: wheel
wheel: $(STAMP)  ## what is shipped works from an installed wheel
	$(BIN)/python -m pytest -q tests/test_wheel.py

.PHONY: bench
bench: $(STAMP)  ## ratios against plain git and plain test runs, measured in the same run
	$(BIN)/python -m compileall -q tdd_orchestrator
	$(BIN)/python benchmarks/run.py $(BENCH)

agents: $(STAMP)  ## real agent command lines, installed once into a cache folder, before a scripted model
	$(BIN)/python -m pytest -q -rs tests/journeys/real_agents
.PHONY: agents

.PHONY: fleet
fleet: $(STAMP)  ## faults of a cluster: a worker, the scheduler or the coordinator is killed
	$(BIN)/python -m pytest -q tests/fleet -m slow

.PHONY: crash
crash: $(STAMP)  ## kills at every git call and write and at 200 random times; a table of what was found
	$(BIN)/python -m pytest -q tests/crash --ignore=tests/crash/test_faults.py

.PHONY: faults
faults: $(STAMP)  ## EIO, ENOSPC and EMFILE at calls of a cycle, of its git and of a fix: 90 s a row, under an hour; SECONDS=0: each call
	FAULT_SECONDS=$(or $(SECONDS),90) $(BIN)/python -m pytest -q tests/crash/test_faults.py

browser: $(STAMP)  ## the dashboard, and a bug of each kind in a page of ours, in Debian's Chromium; Playwright in a cache folder
	$(BIN)/python -m pytest -q -rs tests/journeys/browser
.PHONY: browser

pictures: $(STAMP)  ## the pictures of the dashboard in docs/images, at three widths and in both themes
	$(BIN)/python docs/record_dashboard.py
.PHONY: pictures

$(VENV)/api/bin/st:  # by itself: its plug-in for pytest would make each run of pytest in $(VENV) ten times as long
	$(PYTHON) -m venv $(VENV)/api
	$(VENV)/api/bin/python -m pip install --quiet --disable-pip-version-check 'schemathesis>=4,<5'

api: $(STAMP) $(VENV)/api/bin/st  ## the dashboard's API against its own OpenAPI document, by schemathesis
	$(BIN)/python -m pytest -q -rs tests/web/test_schema.py
.PHONY: api

hostile: $(STAMP)  ## agents that cheat, break git, hang and leak; and honest ones that must not be refused
	$(BIN)/python -m pytest -q -n 2 -m "slow or not slow" tests/hostile
.PHONY: hostile

katas: $(STAMP)  ## the counterfactual questions with each real runner that is here: honest tests, odd ones, known cheats
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "slow or not slow" tests/languages/test_katas.py
.PHONY: katas

ordinary: $(STAMP)  ## small ordinary situations as whole cycles: what must never land, and what must go through at once
	$(BIN)/python -m pytest -q -n 2 --dist worksteal -m "slow or not slow" tests/ordinary
.PHONY: ordinary

recording: $(STAMP)  ## the picture of a terminal in README.md, from a run of the demo
	$(BIN)/python -m pip install --quiet --disable-pip-version-check pyte
	$(BIN)/python docs/record_demo.py
.PHONY: recording

SITE := $(or $(TDD_SITE_DIR),$(HOME)/.cache/tdd-site)
export NO_MKDOCS_2_WARNING := 1
site:  ## the documents as pages in $(SITE)/site, every link checked; MkDocs in a cache folder
	test -x $(SITE)/venv/bin/mkdocs || { $(PYTHON) -m venv $(SITE)/venv && \
	  $(SITE)/venv/bin/python -m pip install --quiet --disable-pip-version-check 'mkdocs>=1.6,<2' 'mkdocs-material>=9,<10'; }
	rm -rf $(SITE)/docs && cp -r docs $(SITE)/docs && cp SECURITY.md CHANGELOG.md LICENSE $(SITE)/docs
	sed 's#(docs/#(#g' README.md > $(SITE)/docs/index.md
	sed -i.bak 's#(\.\./\(SECURITY\|CHANGELOG\)#(\1#g' $(SITE)/docs/*.md && rm $(SITE)/docs/*.bak
	TDD_SITE_DOCS=$(SITE)/docs $(SITE)/venv/bin/mkdocs build --strict --quiet --site-dir $(SITE)/site
.PHONY: site
