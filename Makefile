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

# The race detector needs cgo; the product does not.
test: lint
	CGO_ENABLED=1 $(GO) test -race -timeout 15m ./...

lint:
	@test -z "$$(gofmt -l cmd internal *.go)" || { gofmt -l cmd internal *.go; echo 'run gofmt -w on these'; exit 1; }
	$(GO) vet ./...

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./internal/detect ./internal/gate ./internal/ledger/sqlite
	$(GO) run ./internal/bench
