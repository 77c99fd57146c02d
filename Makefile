# Two commands matter: `make demo` runs the main job, `make test` passes the tests. Each installs what it needs.
# A second run rebuilds only what changed, and needs no network.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DELETE_ON_ERROR:
.SUFFIXES:

PYTHON ?= python3
VENV := .venv
PY := $(VENV)/bin/python
STAMPS := build/stamps
PART := tests/tools/part.sh
DEMO_RUN := $(PY) examples/room-desk/demo/run.py

# One interpreter for every build of the binding, or cargo would build it again for each.
export PYO3_PYTHON := $(CURDIR)/$(PY)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
# Warnings are errors: clippy's by flag, rustdoc's here.
export RUSTDOCFLAGS := -D warnings
export PYTHONDONTWRITEBYTECODE := 1

REQUIREMENTS := tests/requirements.txt examples/room-desk/requirements.txt
WHEEL_INPUTS := Cargo.toml Cargo.lock README.md $(shell find core/Cargo.toml core/src bindings-python \
	-type f -not -name '*.so' -not -path '*/__pycache__/*' 2>/dev/null)

# The parts of `make test`, in order. tests/tools/count.py reads what each left in build/log.
PARTS := fmt clippy rust rust-device rust-doc rustdoc vectors reference coverage python types generated json sdks interop client counts size fuzz

.PHONY: help parts build demo test bench soak size clean docs ci $(PARTS:%=part-%) part-demo

help:
	@echo "make demo    books a room end to end and shows every step"
	@echo "make test    runs every check"
	@echo "make build   makes .venv with wireseal in it"
	@echo "make size    what the core costs on a Cortex-M4, and the proof that it cannot panic"
	@echo "make bench   the time of one admit beside the official Rust SDK and serde_json"
	@echo "make soak    keys rolled under load for a minute; writes docs/evidence/rotation.md"
	@echo "make docs    writes the generated pages again"
	@echo "make clean   removes everything that was built"

build: $(STAMPS)/wheel

$(STAMPS)/venv: $(REQUIREMENTS) tests/constraints.txt tests/tools/venv.sh
	@mkdir -p $(STAMPS)
	tests/tools/venv.sh $(PYTHON) $(VENV)
	$(PY) -m pip install -q -c tests/constraints.txt $(REQUIREMENTS:%=-r %)
	@touch $@

$(STAMPS)/wheel: $(STAMPS)/venv $(WHEEL_INPUTS)
	@rm -rf build/wheels
	env -u MAKEFLAGS $(VENV)/bin/maturin build -q --release --locked -m bindings-python/Cargo.toml --out build/wheels
	$(PY) -m pip install -q --no-deps --no-index --force-reinstall build/wheels/*.whl
	@touch $@

demo: build
	$(DEMO_RUN)

test: $(PARTS:%=part-%)
	@echo "every check passed"

part-fmt:
	@$(PART) fmt tests/tools/fmt.sh

part-clippy: $(STAMPS)/venv
	@$(PART) clippy cargo clippy -q --locked --workspace --all-features --all-targets -- -D warnings

# With every feature, as the bindings use the core.
part-rust: $(STAMPS)/venv
	@$(PART) rust tests/tools/rust-tests.sh --workspace --all-features

# Without any, as a device does, and with the primitives that it has.
part-rust-device:
	@$(PART) rust-device tests/tools/rust-device.sh

part-rust-doc: $(STAMPS)/venv
	@$(PART) rust-doc cargo test -q --locked -p wireseal --all-features --doc

part-rustdoc: $(STAMPS)/venv
	@$(PART) rustdoc cargo doc -q --locked --workspace --all-features --no-deps

part-vectors: $(STAMPS)/wheel
	@$(PART) vectors $(PY) tests/vectors/check.py

# The vectors of the sealer are made by the slow reference, never by the code that they test.
part-reference: $(STAMPS)/wheel
	@$(PART) reference $(PY) tests/reference/make_vectors.py --check

part-coverage:
	@$(PART) coverage $(PYTHON) tests/tools/coverage.py docs/coverage.md --check

# With a Redis of its own for what several processes share.
part-python: $(STAMPS)/wheel
	@$(PART) python tests/tools/python-tests.sh $(PY)

part-types: $(STAMPS)/wheel
	@$(PART) types tests/tools/types.sh $(PY)

part-generated: $(STAMPS)/wheel
	@$(PART) generated $(PY) tests/tools/reasons.py docs/reasons.md --check

# The JSON reader beside JSONTestSuite, serde_json and Python's json.
part-json:
	@CARGO_TARGET_DIR=$(CURDIR)/target/json $(PART) json tests/json/run.sh

# The verdicts beside those of the official SDKs.
part-sdks: $(STAMPS)/wheel
	@$(PART) sdks tests/sdks/run.sh $(CURDIR)/$(PY)

# The client's half against servers on the official SDKs.
part-client: $(STAMPS)/wheel
	@$(PART) client tests/client/run.sh $(CURDIR)/$(PY)

# Tokens to and from the codecs of the official SDKs.
part-interop: $(STAMPS)/wheel
	@CARGO_TARGET_DIR=$(CURDIR)/target/interop $(PART) interop tests/interop/run.sh $(CURDIR)/$(PY)

# Instruction counts against the committed ones, and how the worst shapes grow.
part-counts:
	@CARGO_TARGET_DIR=$(CURDIR)/target/counts $(PART) counts tests/counts/run.sh

# Half a minute for each fuzz target.
part-fuzz:
	@CARGO_TARGET_DIR=$(CURDIR)/target/fuzz $(PART) fuzz tests/fuzz/smoke.sh

part-size:
	@$(PART) size tests/tools/bare-metal.sh tests/size/run.sh

size:
	@tests/tools/bare-metal.sh tests/size/run.sh

docs: $(STAMPS)/wheel
	$(PY) tests/tools/reasons.py docs/reasons.md
	$(PY) tests/tools/coverage.py docs/coverage.md
	tests/sdks/run.sh $(CURDIR)/$(PY) --write

bench:
	cargo build -q --release --locked --manifest-path tests/benches/Cargo.toml --target-dir target/benches
	target/benches/release/wireseal-benches

# On demand, with their results written down.
soak: build
	$(PY) tests/soak/rotation.py --seconds 60 --seed 1 --write docs/evidence/rotation.md

# What .ci/run calls: every part and the demo, each counted.
part-demo: $(STAMPS)/wheel
	@DEMO=all $(PART) demo $(DEMO_RUN)

ci: test part-demo

# Their names, for the count.
parts:
	@echo $(PARTS) demo

clean:
	rm -rf build target $(VENV)
