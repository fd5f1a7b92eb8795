# Two commands do everything: `make demo` shows a theft being stopped, `make test` runs every test.
export CGO_ENABLED ?= 0
GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS = -s -w -X mcpproxy/internal/version.linked=$(VERSION)

.PHONY: chart demo page test test-agents clients servers race fuzz vuln build lint bench soak oracle model plans release rename site cast wording

# Ctrl-C is how it ends: that is no error of make's.
demo:
	@test ! -t 2 || echo 'Compiling mcpproxy, which takes some minutes the first time. Each package that is compiled is named.' >&2
	@trap 'stopped=yes' INT; $(GO) run -v ./cmd/mcpproxy demo $(ARGS) || test "$$stopped"

build:
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/...

# What people install, in dist/: see docs/install.md. RELEASES=URL is where the archives will be, KEY=FILE signs the statement of
# their origin, MAINTAINER='NAME <ADDRESS>' stands in the packages. It takes some minutes: six platforms.
release:
	@$(GO) run ./internal/release -version '$(VERSION)' $(if $(RELEASES),-base '$(RELEASES)') \
		$(if $(MAINTAINER),-maintainer '$(MAINTAINER)') $(if $(KEY),-key '$(KEY)')

# The documentation as a website, in dist/site: static, with a search, and with a reference that the program makes. It fails
# where a link leads nowhere.
site: build
	@$(GO) run ./internal/site -program bin/mcpproxy

# docs/demo.svg, the picture of a run of the demo.
cast: build
	@$(GO) run ./internal/site -cast bin/mcpproxy docs/demo.svg

# Gives the Go module another path everywhere: make rename MODULE=example.org/mcpproxy
rename:
	@$(GO) run ./internal/release rename '$(MODULE)'

# The page's build is committed, so that Go alone builds the program. The API's description (web/openapi.json) and the types
# that the page has from it are committed too. CI makes all of them anew and compares.
page:
	$(TEST) -count=1 -run '^TestTheCommittedDocumentIsTheOneThatIsServed$$' ./internal/api -update
	cd web && npm ci --no-audit --no-fund && npm run types && npm run check && npm run build && cp package-lock.json node_modules/.installed-from

# The race detector needs a C compiler; the product does not. It leaves out what machines made from other languages: the
# matcher, the database and the script engine. They start no goroutine, and would take ten to thirty times as long. (-l: else
# copies of the standard library's generic code would be compiled in there, unwatched, and used by all; the other two have
# none.) internal/e2e builds with the same flags.
RACE = -race '-gcflags=github.com/wasilibs/go-re2/internal/wasm=-race=false -l' \
	$(foreach package,modernc.org/sqlite/lib modernc.org/libquickjs,'-gcflags=$(package)=-race=false -d=checkptr=0')

# These compute and start no goroutine, which arch_test.go holds. The detector watches them where others use them; by
# themselves, it watches what uses them from many sides. The module's root, with its words and the tests of the whole, is
# another one.
QUIET = classify/shell detect detect/numbering detect/personal flow/match flow/value report risk scan scan/definition
# These run whole programs, as users get them, and wait for them more than they work: more of them at once than there are processors.
# The first waits most, and is started first. `make race` watches the programs too, and takes three times as long.
WHOLE = e2e adversary e2e/guard e2e/page eval release site
# These start no goroutine either, in rooms that do or whose tests do: they run without the detector, which takes ten times as
# long for them. The two of the daemon load the whole configuration again and again; others of its tests do the same
# under the detector.
ALONE_ROOMS = flow gate gateway ledger/sqlite daemon
ALONE = ABundleInAFolderIsAppliedWithoutARestartAndCannotBeUndone ABundleThatExpiresWhileItsServerIsGone \
	ADocumentThatIsReadUnderManyNamesCountsOnce AKeyMayGoNowhereElse AKeyMayGoToItsOwnProvider ALongLog \
	ALongResultIsReadInPages APageAtAnyOffsetIsAPartOfAScan ASessionEvictsSecretsLast \
	ASessionKeepsNoTextThatItHasCompared AWrittenFileThatStealsIsStoppedWhenItRuns AfterASensitiveReadSendsAreAsked \
	AgentsCannotChangeWhatTheyMayDo CountsAreThoseOfAScan EveryLongKeyIsFound EvictedResultsDoNotGrowASession \
	ExpectationsAreBounded GroupsAreWallsForEveryKindOfRequest HonestFilesRun InitializeKeepsNoLargeRequestInMemory \
	NamesOfRedactedValuesAreBounded NoKindOfKeyLeavesUnreported PlacesOfHomeHaveTheUsersOwnAudience \
	ReadingDestinationsTakesLinearTime SavingTakesLinearTime TheCountedMemoryIsTheMemoryOfASession \
	TheSessionsShareTheirMemory TheTextAroundSecretsIsEvictedBeforeThem VerifyFinds
ALONE_TESTS = ^Test($(shell echo $(ALONE) | tr ' ' '|'))$$
# The day of honest work takes a minute, and needs Claude Code: `make test-agents` runs it. CI runs that too, and with it all
# of e2e/agents once more.
AGENTS = $(if $(CI),,e2e/agents)
# The longest under the detector, which are started first: else the last of them would run alone, with one of two processors.
FIRST = upstream gate gateway codemode ledger/sqlite probe upstream/oauth hook/evaluate api daemon hub
ROOMS = $(FIRST:%=./internal/%) $(shell $(GO) list ./... | grep -vxF -e "$$($(GO) list -m)" \
	$(foreach room,$(QUIET) $(WHOLE) $(FIRST) cli e2e/agents e2e/day,-e mcpproxy/internal/$(room)))
# How often a property is tried under the detector, which takes ten times as long for each. Unlike this, the QUIET rooms' run 100 times.
TRIES = RAPID_CHECKS=30
# Tests under the detector wait for databases, servers and clocks, so that a third package finds a processor.
MANY = -p 3
# `make lint` vets. Else each of the two builds, with and without the detector, would be vetted with all that it imports.
TEST = $(GO) test -vet=off

test:
	@if command -v gcc >/dev/null || command -v clang >/dev/null; then \
		$(TEST) -timeout 15m -parallel 4 $(patsubst %,./internal/%,$(WHOLE) $(AGENTS)) ./internal/cli . $(QUIET:%=./internal/%) && \
		$(TEST) -run '$(ALONE_TESTS)' $(ALONE_ROOMS:%=./internal/%) && \
		CGO_ENABLED=1 $(TRIES) $(TEST) $(MANY) $(RACE) -timeout 15m -skip '$(ALONE_TESTS)' $(ROOMS) && \
		CGO_ENABLED=1 $(TEST) $(RACE) -run AtOnce $(QUIET:%=./internal/%); \
	elif [ -n "$$CI" ]; then echo 'no C compiler for the race detector'; exit 1; \
	else echo 'NO C COMPILER: THE TESTS RUN WITHOUT THE RACE DETECTOR'; $(TEST) -timeout 15m ./...; fi
	@$(MAKE) oracle

race:
	CGO_ENABLED=1 $(GO) test $(RACE) -timeout 60m ./...

# Every fuzz target in turn, each for TIME: `make fuzz TIME=30s`. ROOM=wire takes those of rooms whose path holds the word.
fuzz:
	@TIME=$(or $(TIME),60s) ROOM=$(ROOM) GO=$(GO) .ci/fuzz

# Known weaknesses of the modules that the programs use, from https://vuln.go.dev.
vuln:
	@GO=$(GO) .ci/vuln

# Real agents with the hook installed, against a scripted model on the loopback address. Their clients are pinned and come
# from npm, some 930 MB the first time. A client that cannot be had is named, and the others are still tried; in CI it fails.
# Beside them a day of honest work: 24 sessions with one daemon, real servers from npm, a PostgreSQL and a browser.
test-agents: clients servers
	$(TEST) -count 1 -parallel 2 -timeout 15m -v ./internal/e2e/agents ./internal/e2e/day

# The clients of the real agents. CI fetches them beside other work.
clients:
	@cd internal/e2e/agents/npm && for agent in *; do \
		cmp -s $$agent/package-lock.json $$agent/node_modules/.installed-from && continue; \
		(cd $$agent && npm ci && cp package-lock.json node_modules/.installed-from) && continue; \
		echo "$$agent CANNOT BE INSTALLED HERE: IT IS NOT TESTED"; [ -z "$$CI" ] || exit 1; \
	done

# The servers from npm that the tests use.
servers:
	@cd internal/e2e/npm && { cmp -s package-lock.json node_modules/.installed-from || \
		{ npm ci --no-audit --no-fund && cp package-lock.json node_modules/.installed-from; }; } || [ -z "$$CI" ]

# The first three take seconds. The last two are tools of a module of their own (internal/lint/tools), which type-check
# everything again; bodyclose and golangci-lint took minutes to build, and are left out.
lint:
	@test -z "$$(gofmt -l cmd internal *.go)" || { gofmt -l cmd internal *.go; echo 'run gofmt -w on these'; exit 1; }
	$(GO) vet ./...
	$(GO) run ./internal/lint
	$(GO) tool -modfile=internal/lint/tools/go.mod errcheck -ignoretests -exclude .ci/errcheck.txt ./...
	$(GO) tool -modfile=internal/lint/tools/go.mod staticcheck ./...

# Our secret rules against those of another scanner, in a module of its own: when
# go.mod changes, run `go mod tidy` there too.
oracle:
	cd internal/oracle && $(GO) vet ./... && $(TEST) ./...

# Helm's linter and renderer, the types of Kubernetes and Compose's reader over what packaging/ has for them, in a module of its
# own: two minutes of processor time the first time. When the chart or the compose file changes, run this and commit what it
# writes; a test of internal/release, which takes no time, fails until then.
chart:
	cd internal/chart && $(GO) run .

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./internal/codemode ./internal/detect ./internal/flow ./internal/flow/match ./internal/gate ./internal/hook/evaluate ./internal/ledger/sqlite ./internal/upstream
	$(GO) run ./internal/bench
	cd internal/oracle && $(GO) test -run '^$$' -bench .

# Fifty agents, attacks, faults and restarts for TIME: `make soak TIME=5m AGENTS=10`. Exit code 1 means that something was missed,
# lost or grew. It needs Linux (/proc).
soak:
	$(GO) run ./internal/soak -time $(or $(TIME),30m) -agents $(or $(AGENTS),50)

# The tables of what everybody writes, from the packages in gen/sources.tsv: some
# 600 MB to fetch the first time, minutes, and 3 GB of memory.
model:
	cd internal/flow/model && $(GO) generate

# The model of the wording of definitions. CORPORA names the folder of others' labelled
# definitions; without it only the sum of the project's own data is written.
wording:
	cd internal/scan/learned && $(GO) generate

plans:
	cd internal/detect/numbering && $(GO) generate
