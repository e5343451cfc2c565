# flink-boost: `make help` lists the targets. Each sets up what it needs.

.DEFAULT_GOAL := help
SHELL := /bin/sh

PYTHON ?= python3
# What `make` itself needs to know of lines.toml; each is looked up only where it is used.
LINES = $(shell PYTHON="$(PYTHON)" scripts/lines)
LINE ?= $(shell PYTHON="$(PYTHON)" scripts/lines --default)
# A pinned Maven; a file whose checksum is not in .mvn/checksums stops the build.
MAVEN = PYTHON="$(PYTHON)" scripts/mvn --line $(LINE)

SOURCES := $(shell find weaver flink-patch flink-*-patch benchmarks \
	-path '*/target' -prune -o -type f \( -path '*/src/*' -o -name pom.xml \) -print)
BUILT = build/jars/.built-$(LINE)
# Of make test, test-all and check.
RUN = $(if $(FRESH),--fresh) $(if $(ALL_MODES),--all-modes) $(if $(filter-out file,$(origin LINE)),'$(subst ','\'',$(LINE))')

.PHONY: help
help: ## List the targets
	@awk -F ':.*## ' '/^[a-z][a-z-]*:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile
	@echo
	@echo "LINE=<Flink release> selects one of $(LINES) (default: $(LINE))."

.PHONY: setup
setup: ## Set up .venv from pinned, verified downloads (cached in .cache)
	@scripts/bootstrap-venv

.PHONY: build
build: $(BUILT) ## Build the drop-in jar and the benchmarks for LINE

.PHONY: jars
jars: ## Build them for all lines
	@for line in $(LINES); do $(MAKE) --no-print-directory build LINE=$$line || exit; done

$(BUILT): $(SOURCES) scripts/flink_boost/__init__.py pom.xml lines.toml classes.lock releases.toml LICENSE NOTICE
	@PYTHON="$(PYTHON)" scripts/lines $(LINE) > /dev/null
	@echo "Building the drop-in jar for Flink $(LINE)"
	@mkdir -p build/jars
	@rm -f build/jars/flink-boost-$(LINE)-*.jar
	$(MAVEN) -q package -DskipTests $(MAVEN_OPTIONS)
	@touch $@

.PHONY: wheel
wheel: setup jars ## The self-contained wheel with the jars of all lines, for operators
	@.venv/bin/python -m flink_boost.operate.wheel

.PHONY: dist
dist: setup $(if $(filter-out file,$(origin LINE)),build,jars) ## Whole Flink distributions with our classes, as reproducible tarballs; LINE: one line's
	@.venv/bin/flink-boost dist $(if $(filter-out file,$(origin LINE)),--line $(LINE))

.PHONY: release
release: setup ## Everything that one publishes of this commit, with sums; FLINK_BOOST_GPG_KEY_FILE signs them. A trial: WITHOUT_DISTRIBUTIONS=1 and one LINE
	@cd scripts && ../.venv/bin/python -m release $(if $(filter-out file,$(origin LINE)),--line $(LINE)) \
		$(if $(WITHOUT_DISTRIBUTIONS),--without-distributions)

.PHONY: run
run: setup build ## Quick look: measure stock against patched, publish, print table and URLs
	@.venv/bin/flink-boost run --line $(LINE)

.PHONY: stop
stop: ## Stop the dashboard that `make run` left running
	@if [ -x .venv/bin/flink-boost ]; then .venv/bin/flink-boost stop; else echo "Nothing is set up, nothing runs."; fi

.PHONY: test
test: ## Java, Python, browser, clusters: what changed since it passed, FRESH=1: all. One test: T=Class.method, T=test_name
	@scripts/bootstrap-venv --browser
	@scripts/run-tests $(if $(T),--one '$(subst ','\'',$(T))' $(if $(JDK),--jdk $(JDK)) $(if $(MODE),--mode $(MODE))) $(RUN)

.PHONY: test-all
test-all: ## The same on every line, JDK and mode, and what takes long; goes on where it was. RECORD=1: note in docs/ that it passed
	@scripts/bootstrap-venv --browser
	@scripts/run-tests --all $(if $(RECORD),--record) $(RUN)

.PHONY: check
check: ## Lint, types, rooms and the tests that need nothing built (5 minutes)
	@scripts/bootstrap-venv --browser
	@scripts/run-tests --check $(RUN)

.PHONY: test-cluster
test-cluster: setup jars ## Clusters and installations of measured lines on all their JDKs, a job on the others; `make test` runs a short form
	@cd scripts && ../.venv/bin/python -m pytest -v --all-platforms --test-all tests/cluster tests/operate/test_install_*.py tests/operate/test_verify.py tests/operate/test_dist_*.py

.PHONY: test-nightly
test-nightly: setup build ## Nights with real forks, killed at MOMENTS=100 random moments, with figures (an hour)
	@cd scripts && ../.venv/bin/python -m pytest -v -s --test-all --moments $(or $(MOMENTS),100) tests/service/test_nightly_killed.py tests/service/test_nightly_resumed.py tests/service/test_nightly_steps.py -k 'not double'

.PHONY: test-requests
test-requests: setup build ## Requests for a commit that changes a comment, the whole way, counted: REQUESTS=100 FOLDER=folder (hours)
	@cd scripts/tests && PYTHONPATH=.. ../../.venv/bin/python -m requesting.equal_builds --requests $(or $(REQUESTS),100) --folder $(or $(FOLDER),../../build/equal-builds)

.PHONY: lab
lab: setup build ## A table of the pages made again, into build/lab: TABLE=detection, reverts, real, requests, start-cost or restarts (minutes to hours)
	@cd scripts && ../.venv/bin/python -m lab $(TABLE)

.PHONY: test-releases
test-releases: setup jars ## Our tests on every official release of Flink, what is open (hours): ONLY=1.18.0 MINUTES=60 WORKERS=2; RECORD=1 enters what passed in releases.toml
	@cd scripts && ../.venv/bin/python -m flink_boost.port.everyrelease $(if $(ONLY),--only $(ONLY)) $(if $(MINUTES),--minutes $(MINUTES)) $(if $(WORKERS),--workers $(WORKERS)) $(if $(RECORD),--record)

.PHONY: test-scale
test-scale: setup ## The dashboard's pages with 2,000 nights of 300 benchmarks (minutes, 300 MB): NIGHTS=500 DATA=folder
	@.venv/bin/python codespeed-config/tests/scale.py $(if $(NIGHTS),--nights $(NIGHTS)) $(if $(DATA),--data $(DATA))

.PHONY: fuzz-dashboard
fuzz-dashboard: setup ## Random requests to every address of the dashboard, for minutes: EXAMPLES=5000
	@cd codespeed-config && FLINK_BOOST_FUZZ_EXAMPLES=$(or $(EXAMPLES),5000) ../.venv/bin/python -m pytest -q --timeout 3600 tests/test_fuzz.py

.PHONY: images
images: setup ## Images of the patched Flink (LINE), the dashboard and the nightly runner: BASE_IMAGE=…
	@$(MAKE) --no-print-directory dist LINE=$(LINE)
	@FLINK=flink-$(LINE)-boost docker/build

.PHONY: test-images
test-images: setup ## Build them with buildah and start the services of docker/compose.yaml (root, Debian)
	@$(MAKE) --no-print-directory dist LINE=$$(PYTHON="$(PYTHON)" scripts/lines --default)
	@cd scripts && ../.venv/bin/python -m pytest -v --images tests/cluster/test_images_cluster.py tests/cluster/test_images_night.py

.PHONY: soak
soak: setup build ## Random strings or records through both sides: FAMILY=records CASES=1e7 MODE=opened JDK=17 SEED=1
	@.venv/bin/flink-boost soak --line $(LINE) $(if $(FAMILY),--family $(FAMILY)) $(if $(CASES),--cases $(CASES)) $(if $(MODE),--mode $(MODE)) \
		$(if $(JDK),--jdk $(JDK)) $(if $(SEED),--seed $(SEED)) $(if $(THREADS),--threads $(THREADS))

.PHONY: fuzz
fuzz: ## Jazzer looks for bytes on which patched and stock differ: SECONDS=60; keeps its corpus
	@mkdir -p build/fuzz/$(LINE)/corpus
	$(MAVEN) -q verify -Pfuzz -DskipTests -Dfuzz.seconds=$(or $(SECONDS),60) -pl flink-patch -am

.PHONY: test-flink
test-flink: setup $(if $(filter-out file,$(origin LINE)),build,jars) ## All of Flink's own core and runtime tests with our jar in front (hours, resumable)
	@.venv/bin/flink-boost flink-tests --all $(if $(filter-out file,$(origin LINE)),--line $(LINE)) \
		$(if $(JDK),--jdk $(JDK))

.PHONY: format
format: setup ## Format Java and Python sources in place; write the list of patched classes anew
	$(MAVEN) -q spotless:apply
	@cd scripts && ../.venv/bin/python -m flink_boost.port.class_lists
	.venv/bin/ruff format scripts codespeed-config
	.venv/bin/ruff check --fix scripts codespeed-config

.PHONY: requirements
requirements: ## Resolve scripts/pyproject.toml into scripts/requirements; UPGRADE=1: to the newest
	@scripts/bootstrap-venv --compile $(if $(UPGRADE),--upgrade)

.PHONY: checksums
checksums: ## Record the checksums of all that Maven takes, after a change of a version
	@PYTHON="$(PYTHON)" scripts/record-checksums

.PHONY: clean
clean: stop ## Remove what was built; keeps downloads, results and the dashboard's data
	rm -rf build/jars */target

