# Bare `make` shows the menu.
.DEFAULT_GOAL := help
SHELL := /bin/bash
GO ?= go

# The browsers that internal/browser knows; any of them will do.
BROWSERS := chromium chromium-browser google-chrome chrome headless-shell

.PHONY: help test test-more unit race mutants live live-all live-docker images determinism soak soak-live chaos fuzz conformance bench bench-live check lint golden generate gallery site build build-live dist cross servers examples consul libraries programs clean

help: ## show this menu
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# The compiler and the tests collect garbage less often, as the program itself does: a sixth of their time.
test test-more check unit mutants: export GOGC ?= 400

# Tests that wait for real servers, and tests that start many processes themselves.
WAITING := /(real|live|conformance)(/|$$)
BUSY := ./cmd/simulate ./internal/browser ./internal/store/sql ./internal/store/redis
packages = $$($(GO) list ./... | sed 's/^lockstep/./' | grep -E $(1))
tested = GO="$(GO)" scripts/test-live -vet=off -tags live,queue -timeout 30m # vetted by check

test: ## everything: install the servers and the browser that are missing, then run all tests
	$(MAKE) --no-print-directory -j2 images compiled # one downloads, the other compiles
	$(MAKE) --no-print-directory -j3 test-real test-waiting test-computing
	$(tested) $(BUSY)

# What computes is nice to what waits for real servers, where a late process is another story.
.PHONY: compiled test-real test-waiting test-computing
compiled:
	$(GO) build -tags live,queue ./internal/...

test-real:
	$(tested) ./internal/real

test-waiting:
	$(tested) -p 1 $(call packages,'$(WAITING)' | grep -vx ./internal/real)
	$(MAKE) --no-print-directory live LIVE="$(LIVE_FIRST)"

test-computing:
	nice -n 19 $(MAKE) --no-print-directory check
	nice -n 19 env $(tested) ./locktest $(call packages,-v '$(WAITING)' | grep -vxF "$$(printf '%s\n' $(BUSY))")
	nice -n 19 scripts/determinism --settings

# One half computes, the other waits for real servers, and Consul is built meanwhile. Its tests, and those that a
# busy machine spoils, come last.
test-more: servers examples ## slow tests, and those that need a server built from source: Consul
	$(MAKE) --no-print-directory -j3 more-computed more-played consul
	$(MAKE) --no-print-directory more-quiet

.PHONY: more-computed more-computing more-played more-quiet
MORE := LOCKSTEP_REQUIRE_MORE=1 GO="$(GO)"

# As root, Chromium would raise its own priority.
more-computed:
	nice -n 19 $$(setpriv --bounding-set=-sys_nice true 2>/dev/null && echo setpriv --bounding-set=-sys_nice) \
		$(MAKE) --no-print-directory more-computing

# Vet without build tags; the price of another lock, verb and property; many lines, seeds and builds.
more-computing:
	$(GO) vet ./cmd/... ./internal/faults/conformance ./locktest
	$(MORE) $(GO) test -timeout 20m -count=1 ./internal/tidy -run ThePrice
	$(MORE) $(GO) test -timeout 40m -count=1 ./internal/logcheck -run LongLog
	$(MORE) $(GO) test -timeout 20m -count=1 ./internal/run ./internal/campaign/explore ./internal/browser ./cmd/simulate -run 'FurtherIsAsIf|TestLessonsMeet|EveryScenarioRepeats|NoFaultNoOverlap|TwelveStories|PlaygroundHasOneCursor|HashesOfTheProgram|EverythingFocusable|PageOfAnotherVersion|FilesOfDeploy|NewAdapter'
	$(MORE) $(GO) test -timeout 40m -count=1 ./locktest -run OneSeedOneHistory
	$(GO) run ./cmd/simulate test ./internal/bubble/libraries -- -timeout 20m -count=1 -run OneSeedOneHistory
	scripts/determinism

# Every verb on real servers; the programs of examples/, and faulty ones; shards in containers; the other lessons of
# the list below; a queue under chaos.
more-played:
	$(MORE) scripts/test-live -tags live,queue -timeout 20m -count=1 -run TheLiveWorldDoesWhatVerbsSay ./internal/faults/conformance
	$(MORE) scripts/test-live -timeout 20m -count=1 -run 'TheExamplesAreLocks|BugsOfPrograms|BlindRelease|LyingProgram' ./internal/real
	$(MORE) scripts/test-live -timeout 20m -count=1 -run NeverHangs ./internal/real/link
	$(MORE) scripts/test-live -timeout 20m -count=1 -run 'RealZooKeeperAgrees$$' ./internal/store/zookeeper/live
	$(MORE) $(GO) test -timeout 20m -count=1 ./examples -run TheLogOfJava
	$(MORE) scripts/test-live -tags live,queue -timeout 20m -count=1 -run 'ContainersPlayTheShards|KilledShards|InYourCI|CtrlCAtARandomTime' ./cmd/simulate
	GO="$(GO)" scripts/live $(filter-out $(LIVE_FIRST) $(LIVE_QUIET),$(LIVE))
	$(MAKE) --no-print-directory chaos

more-quiet: consul
	$(MORE) scripts/test-live -timeout 20m -count=1 -run RealConsul ./internal/store/consul/live -conformance.operations 12000
	$(MORE) scripts/test-live -timeout 20m -count=1 -run ContendOnRealServers ./internal/real/worker
	$(MORE) scripts/test-live -timeout 20m -count=1 -run 'WithoutFaultsOneClient|EachStore|SilentLeader|IdleSession|LeaderOfACluster|AnOperator|Database|AReplicaFollows|NothingIsLeft|ReaperIsKilled|AnotherShards|FrozenPrimaryOfACluster|LibrariesFollowSentinels|SentinelsSplit|MinorityOfSentinels|SentinelsForget|LibrariesLet|LibrariesKeep|ClockOfANodeOfACluster|LinksOnly|NoStorm|BinaryTokens|Consul' ./internal/real
	$(MORE) scripts/test-live -tags live,queue -timeout 20m -count=1 -run LongScripts ./cmd/simulate
	GO="$(GO)" scripts/live $(LIVE_QUIET)
	@out=$$(mktemp -d); trap 'rm -rf $$out' EXIT; play="--lock consul-session --backend process --scale 0.1 --out $$out"; \
	compare() { $$out/simulate dev compare-worlds $$play; }; \
	$(GO) build -tags live,queue -o $$out/simulate ./cmd/simulate && \
	$$out/simulate run lock-delay-covers-the-pause lock-delay-runs-out $$play --quiet && \
	{ compare || { [ $$? -eq 3 ] && echo "PLAYED AGAIN, for real processes may be late" >&2 && compare; }; }

unit: ## the tests that need nothing installed
	$(GO) test ./...
	@command -v $(BROWSERS) >/dev/null || echo "left out, without a browser: the tests that open reports in one (sudo apt-get install -y chromium)"
	@command -v python3 >/dev/null || echo "left out, without Python: the test of the log that it writes (sudo apt-get install -y python3)"

race: ## the simulator and its checkers under the race detector
	$(GO) test -race -short ./internal/sim/... ./internal/run/... ./internal/checker/... ./internal/history/... ./internal/faults/...

mutants: ## seed the bugs of a list one at a time; the tests have to notice each (MUTANTS=regexp: some of them; PART=2/4: the second of every four)
	@$(GO) run ./internal/tidy/mutants $(if $(PART),-part $(PART)) '$(MUTANTS)'

determinism: ## same seed, same hash: over GOMAXPROCS, -race and GOAMD64 builds
	scripts/determinism

soak: ## determinism with 100,000 seeds of the mixed scenario
	SEEDS=100000 scripts/determinism

# Stories with the same outcome each time on real servers, even on a busy machine.
LIVE := crash-before-del failover-forgets-the-lock get-then-del-gap late-acquire-reply lost-acquire-reply \
	lost-release-reply lost-release-request lost-reply-without-expiry lua-closes-the-gap one-command-leaves-no-gap \
	pause-freezes-the-watchdog pause-past-lease setnx-without-expire short-pause-is-harmless slow-task-blind-del \
	stale-write-without-fence watchdog-saves-slow-task hung-worker zombie-watchdog constant-token \
	literal-etcd-key etcd-queue-is-fair libraries-pause-past-lease libraries-lost-release-reply

# A fail-over, a lost request, a pause and the libraries; make test-more plays the others.
LIVE_FIRST := failover-forgets-the-lock lost-release-request pause-past-lease libraries-lost-release-reply

# Stories that wait for a heartbeat or for a library between two moments.
LIVE_QUIET := libraries-pause-past-lease zombie-watchdog

live: servers ## the lessons of the list above on real servers, ten times as fast
	GO="$(GO)" scripts/live $(LIVE)

live-all: servers consul ## every lesson that real servers can play
	@out=$$(mktemp -d); trap 'rm -rf $$out' EXIT; \
	$(GO) run -tags live,queue ./cmd/simulate run scenarios/lessons --backend process --scale 0.1 --playable --quiet --out $$out

# What containers do differently: a wrong clock, sentinels with a fast clock.
LIVE_DOCKER := $(LIVE) seconds-that-are-too-short sentinels-choose-who-knows-most

live-docker: images ## the lessons of the list above, and two more, with the servers in containers
	@out=$$(mktemp -d); trap 'rm -rf $$out' EXIT; \
	$(GO) run -tags live,queue ./cmd/simulate run $(LIVE_DOCKER) --backend docker --scale 0.2 --playable --quiet --out $$out

chaos: ## many rounds of a queue whose workers, coordinators and servers are killed, links cut and disks filled (ROUNDS=200: the number)
	$(MORE) $(GO) test -tags live,queue -v -timeout 60m -count=1 ./cmd/simulate -run Chaos -queue.rounds $(or $(ROUNDS),25)

soak-live: servers ## kill harnesses, servers and workers 100 times and play 400 storms: nothing is left, nothing hangs (SOAK=2: a fifth of it)
	@set -o pipefail; LOCKSTEP_SOAK=$(or $(SOAK),10) LOCKSTEP_REQUIRE_SERVERS=1 $(GO) test -tags live,queue -v -timeout 60m ./internal/real ./internal/real/link ./cmd/simulate \
		-run 'NothingIsLeft|CleansUp|NoStorm|NeverHangs|CtrlC' | grep -v '^=== '

fuzz: ## every fuzz target, one after the other, each for a minute (FUZZ=10m: for ten)
	GO="$(GO)" FUZZ="$(or $(FUZZ),60s)" scripts/fuzz

# make test has the same comparisons, with fewer requests and a fixed seed.
conformance: servers consul ## compare the models of the stores with real servers by 10^6 random commands for Redis, 10^5 for the others (SEED=2: others)
	$(GO) test -count=1 -timeout 60m -v -run 'TestConformance$$' ./internal/store/redis -conformance.operations 1000000 -conformance.seed $(or $(SEED),1)
	$(GO) test -count=1 -timeout 60m -v -run 'TestConformance$$' ./internal/store/sql -conformance.operations 100000 -conformance.seed $(or $(SEED),1)
	$(GO) test -count=1 -timeout 60m -v -run 'TestRealServerAgrees$$' ./internal/store/etcd/live -conformance.operations 100000 -conformance.seed $(or $(SEED),1)
	$(GO) test -count=1 -timeout 60m -v -run 'TestRealZooKeeperAgrees$$' ./internal/store/zookeeper/live -conformance.operations 100000 -conformance.seed $(or $(SEED),1)
	$(GO) test -count=1 -timeout 60m -v -run 'TestRealConsulAgrees$$' ./internal/store/consul/live -conformance.operations 100000 -conformance.seed $(or $(SEED),1)
	$(GO) test -count=1 -timeout 60m -v -run 'TestRealNATSAgrees$$' ./internal/store/nats/live -conformance.operations 100000 -conformance.seed $(or $(SEED),1)

bench: ## the benchmarks, with the program's own GC setting; compare two runs with benchstat
	GOGC=400 $(GO) test -run '^$$' -bench . -benchmem ./internal/...
	cd locktest && LOCKTEST_SPEED=1 $(GO) run ../cmd/simulate test . -- -count=1 -run '^TestSpeed$$' -v

bench-live: ## acquire and release on real servers: our adapter beside redislock, redsync and go-redis, and the stores beside each other
	$(GO) test -run '^$$' -bench Throughput -benchtime 100x ./internal/real/worker

check: ## format and vet
	@unformatted=$$(gofmt -l $$(git ls-files '*.go')); \
	if [ -n "$$unformatted" ]; then echo "not formatted: run gofmt -w on"; echo "$$unformatted"; exit 1; fi
	$(GO) vet -tags live,queue,doors ./... # make test-more vets the same without what the tags add

lint: ## golangci-lint, fetched as a Go module if it is not installed
	@if command -v golangci-lint >/dev/null; then golangci-lint run; \
	else $(GO) run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.5.0 run; fi

LIBRARIES := bsm-redislock etcd-concurrency redsync rueidislock

libraries: ## measure Go libraries in virtual time and on real servers, and the programs of examples/ there: measurements/libraries, measurements/programs
	for name in $(LIBRARIES); do \
		$(GO) run ./cmd/simulate test ./internal/bubble/libraries -- -timeout 60m -count=1 -run TestMeasure -measure $$name && \
		$(GO) test ./internal/bubble/libraries -timeout 60m -count=1 -run TestCompare -compare $$name || exit 1; done
	$(MAKE) --no-print-directory programs

programs: ## measure the programs of examples/ on real servers: measurements/programs (PROGRAMS=redis-rb,kazoo: some of them); continues after an interruption (reports/programs)
	$(GO) test ./internal/real -timeout 240m -count=1 -v -run TestMeasureTheExamples -measure-examples $(or $(PROGRAMS),all)

golden: ## rewrite the golden files of all tests; read the diff before committing it
	$(GO) test $$(git grep -lE 'flag.Bool\("update"|report/reporttest"' -- '*_test.go' | xargs -n 1 dirname | sed 's|^|./|' | sort -u) -update

generate: ## regenerate the schemas and the reference in docs/
	for name in scenario result; do \
		$(GO) run ./cmd/simulate dev schema $$name > schema/$$name.schema.json.new && \
		mv schema/$$name.schema.json.new schema/$$name.schema.json || exit 1; done
	$(GO) run ./cmd/simulate dev docs

gallery: ## the picture of the README
	scripts/gallery

site: ## the static site: playground, reference, matrix, which lock, gallery, tour (SITE=folder, default site/)
	GO="$(GO)" scripts/site $(or $(SITE),site)

build: ## bin/simulate
	$(GO) build -o bin/simulate ./cmd/simulate

build-live: build ## also bin/simulate-live, which it becomes for real servers and for a queue of many machines
	$(GO) build -tags live,queue -o bin/simulate-live ./cmd/simulate

dist: ## dist/: an archive of the program for each system, with completions and checksums (TARGETS=linux/arm64: some)
	GO="$(GO)" $(GO) run ./cmd/dist $(TARGETS)

cross: ## compile the plain program and its unit tests for every system that has an archive
	GO="$(GO)" scripts/cross

images: servers ## build local container images of the servers, if an engine answers
	@scripts/local-images

servers: ## install the packages that the tests need: servers, and a browser
	@scripts/install-servers

examples: ## install the libraries whose locks are in examples/, in five languages
	@scripts/install-examples

consul: ## build the Consul server, which has no package, into your cache (once: five minutes, 3 GB of disk)
	@GO="$(GO)" scripts/build-consul

clean: ## remove what was built and run
	rm -rf bin dist reports/latest
	find reports -mindepth 1 -maxdepth 1 -not -name gallery -exec rm -rf {} +
