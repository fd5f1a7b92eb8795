# Two commands do everything: `make demo` shows a theft being stopped, `make test` runs every test.
export CGO_ENABLED ?= 0
GO ?= go
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS = -s -w -X main.version=$(VERSION)

.PHONY: demo test race build lint bench

demo:
	$(GO) run ./cmd/mcpproxy demo $(ARGS)

build:
	$(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/ ./cmd/...

# The race detector needs a C compiler; the product does not.
test: lint
	@if command -v gcc >/dev/null || command -v clang >/dev/null; then \
		CGO_ENABLED=1 $(GO) test -race -timeout 15m ./...; \
	elif [ -n "$$CI" ]; then echo 'no C compiler for the race detector'; exit 1; \
	else echo 'NO C COMPILER: THE TESTS RUN WITHOUT THE RACE DETECTOR'; $(GO) test -timeout 15m ./...; fi

lint:
	@test -z "$$(gofmt -l cmd internal *.go)" || { gofmt -l cmd internal *.go; echo 'run gofmt -w on these'; exit 1; }
	$(GO) vet ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./internal/detect ./internal/gate ./internal/ledger/sqlite
	$(GO) run ./internal/bench
