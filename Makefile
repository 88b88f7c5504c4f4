# What one does with this project. `make help` lists it; everything brought from outside goes into .cache/.
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

NVIM_VERSIONS ?= 0.10 0.11 0.12
CLAUDE_VERSION := 2.1.332
CACHE := $(CURDIR)/.cache
TOOLS := $(CACHE)/tools
NVIM = $(CACHE)/nvim/$(1)/bin/nvim
# Drives the tests and the linters; the Neovims under test are its children.
RUNNER := $(call NVIM,0.12)
STYLUA := $(TOOLS)/node/node_modules/.bin/stylua
LIBRARY_NAME := libclaudecode_native.$(if $(filter Darwin,$(shell uname -s)),dylib,so)
LIBRARY := $(CURDIR)/target/release/$(LIBRARY_NAME)
FAULTS := $(CURDIR)/target/faults/$(LIBRARY_NAME)
LUA_FILES = $(shell git ls-files --cached --others --exclude-standard '*.lua')

export CLAUDECODE_NATIVE = $(LIBRARY)
export CLAUDECODE_NATIVE_FAULTS = $(FAULTS)

.PHONY: help
help: ## list these targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: build
build: ## build the native library (target/release)
	sh scripts/build.sh --release

.PHONY: demo
demo: build ## try it: Neovim on a sample project with Claude beside it; AUTO=1 plays it unattended
	python3 demo/run.py $(if $(AUTO),--auto)

# --- tests --------------------------------------------------------------------------------------------------------

.PHONY: test
test: test-rust test-lua ## all tests that need no claude, on every Neovim

.PHONY: test-rust
test-rust: build faults nvim
	cargo test --locked --quiet --no-default-features --lib
	@failed=; for version in $(NVIM_VERSIONS); do \
	  echo "with Neovim $$version:"; \
	  NVIM_BIN=$(CACHE)/nvim/$$version/bin/nvim \
	    cargo test --locked --quiet --no-default-features --test rust || failed=1; \
	done; test -z "$$failed"

.PHONY: test-lua
test-lua: build faults nvim tools-lua
	@failed=; for version in $(NVIM_VERSIONS); do \
	  NVIM_BIN=$(CACHE)/nvim/$$version/bin/nvim $(RUNNER) -l tests/lua/run.lua $(ARGS) || failed=1; \
	done; test -z "$$failed"

.PHONY: test-selection
test-selection: build nvim tools-lua ## compare selections with what `y` takes; CASES=20000 SEED=1 set how many and which
	@failed=; for version in $(NVIM_VERSIONS); do \
	  CASES=$(or $(CASES),20000) SEED=$(or $(SEED),$(shell date +%s)) NVIM_BIN=$(CACHE)/nvim/$$version/bin/nvim \
	    $(RUNNER) -l tests/lua/run.lua tests/lua/context/differential_spec.lua || failed=1; \
	done; test -z "$$failed"

# The library with switches that make it panic, for the tests that show what a panic does.
.PHONY: faults
faults:
	cargo build --locked --quiet --features fault-injection
	@mkdir -p $(dir $(FAULTS))
	@install -m 755 target/debug/$(LIBRARY_NAME) $(FAULTS).new && mv -f $(FAULTS).new $(FAULTS)

.PHONY: e2e-claude
e2e-claude: build nvim claude ## the real Claude Code CLI against every Neovim, offline
	tests/e2e/run $(foreach version,$(NVIM_VERSIONS),--nvim $(call NVIM,$(version))) $(ARGS)

.PHONY: bench
bench: build nvim ## measure what the native module costs and saves
	NVIM_BIN=$(RUNNER) cargo bench --locked --no-default-features --bench bridge $(if $(ARGS),-- $(ARGS))

# --- style --------------------------------------------------------------------------------------------------------

.PHONY: lint
lint: lint-rust lint-lua types ## format, lints and types, changing nothing

.PHONY: lint-rust
lint-rust:
	cargo fmt --check
	cargo clippy --locked --quiet --all-targets -- -D warnings
	cargo clippy --locked --quiet --all-targets --no-default-features -- -D warnings

.PHONY: lint-lua
lint-lua: nvim tools-lua tools-stylua
	@$(STYLUA) --check $(LUA_FILES)
	@$(RUNNER) -l scripts/luacheck.lua --quiet --no-color $(LUA_FILES)

.PHONY: types
types: nvim tools-emmylua
	VIMRUNTIME=$$($(RUNNER) --clean --headless '+lua io.stdout:write(vim.env.VIMRUNTIME)' +q) \
	  $(TOOLS)/bin/emmylua_check --warnings-as-errors .

.PHONY: fmt
fmt: tools-stylua ## format Rust and Lua
	cargo fmt
	@$(STYLUA) $(LUA_FILES)

.PHONY: doc
doc: nvim ## write the generated parts of the help file
	$(RUNNER) -l doc/gen.lua

.PHONY: doc-check
doc-check: nvim
	$(RUNNER) -l doc/gen.lua --check
	$(RUNNER) --clean --headless -c 'try | helptags doc | catch | cquit | endtry' -c 'qall'

# --- all of it ----------------------------------------------------------------------------------------------------

.PHONY: check
check: lint doc-check test e2e-claude ## everything that CI does

.PHONY: clean
clean: ## remove what was built; what was brought into .cache/ stays
	cargo clean

# --- what is brought from outside ---------------------------------------------------------------------------------

.PHONY: nvim
nvim: ## bring the Neovims to test on
	@sh scripts/install-nvim.sh $(CACHE)/nvim $(sort 0.12 $(NVIM_VERSIONS))

.PHONY: tools
tools: tools-lua tools-stylua tools-emmylua ## bring the test runner and the linters

.PHONY: tools-lua tools-stylua tools-emmylua
tools-lua tools-stylua tools-emmylua: tools-%:
	@sh scripts/install-tools.sh $(TOOLS) $*

.PHONY: claude
claude:
	@sh scripts/install-claude.sh $(CACHE)/claude $(CLAUDE_VERSION)
