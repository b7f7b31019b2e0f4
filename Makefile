# Every target does its own set-up in .venv of this checkout.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
LLVM := /usr/lib/llvm-22/bin

.PHONY: demo demo-models demo-refine test test-long test-models lint setup setup-test bytecode tools plugin clean

demo: setup bytecode
	@echo "== gemm tiled by 16, then unrolled by 8: equivalent"
	$(BIN)/hecv check examples/gemm.mlir examples/gemm.tiled.mlir
	@echo
	@echo "== a loop unrolled by 2 whose clean-up loop runs once too often: not equivalent (exit 1)"
	@$(BIN)/hecv check examples/scale.mlir examples/scale.unrolled.mlir; \
	  status=$$?; test $$status -eq 1 || { echo "expected exit 1, got $$status"; exit 1; }

# A distributed MLP refines its sequential form; one that averages instead of adding has no relation (exit 3).
demo-refine: $(VENV)/.installed-torch bytecode
	$(BIN)/hecv refine examples/refine/mlp.py:sequential examples/refine/mlp.py:ranks --ranks 2,4 -v
	@echo
	@$(BIN)/hecv refine examples/refine/mlp.py:sequential examples/refine/mlp.py:unscaled --ranks 2; \
	  status=$$?; test $$status -eq 3 || { echo "expected exit 3, got $$status"; exit 1; }

# A decoder as a serving library writes it is its reference; a scale that the second layer forgets is located (exit 1).
demo-models: $(VENV)/.installed-torch bytecode
	$(BIN)/hecv models examples/models/decoder.py:reference examples/models/decoder.py:served
	@echo
	@$(BIN)/hecv models examples/models/decoder.py:reference examples/models/decoder.py:scaled; \
	  status=$$?; test $$status -eq 1 || { echo "expected exit 1, got $$status"; exit 1; }

setup: $(VENV)/.installed

$(VENV)/.installed: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e .
	touch $@

# Without it each process compiles every module where the environment keeps Python from writing bytecode: 0.3 s.
bytecode: setup
	@$(BIN)/python -m compileall -q python/hecv

# torch by its version first: an open range may take a build with libraries for GPUs.
$(VENV)/.installed-torch: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check torch==2.13.0
	touch $@

setup-test: $(VENV)/.installed-test

$(VENV)/.installed-test: $(VENV)/.installed-torch
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -e '.[test]'
	touch $@

# mlir-opt, FileCheck and MLIR's C++ files, from Debian's packages where they are missing.
tools:
	@if ! test -x $(LLVM)/mlir-opt || ! test -x $(LLVM)/FileCheck || ! test -d /usr/lib/llvm-22/lib/cmake/mlir \
	    || ! command -v cmake >/dev/null || ! command -v ninja >/dev/null || ! command -v g++ >/dev/null; then \
	  apt-get update -qq && apt-get install -y -qq --no-install-recommends \
	    mlir-22-tools llvm-22-tools libmlir-22-dev llvm-22-dev cmake ninja-build g++; fi

plugin: tools
	cmake -S . -B build -G Ninja -DHECV_CPP=ON >build.log 2>&1 || { cat build.log; exit 1; }
	cmake --build build >>build.log 2>&1 || { cat build.log; exit 1; }

lint: setup-test
	$(BIN)/ruff check python tests benchmarks
	$(BIN)/pyright --warnings python/hecv

# pytest runs in parts, two of them side by side, the longest first; a new folder of tests is in the last. Tests of models
# load JAX, which has threads, and are in no part with tests that fork.
PARTS := models+tensors+refine cli soundness.early verdict soundness.late kernel laws+rule_files+patterns dataflow mlir program+run egraph
FOLDERS := tests/soundness $(addprefix tests/,$(subst +, ,$(filter-out soundness.%,$(PARTS))))
PYTEST := $(BIN)/python -m pytest -m "not long" --durations=12 --durations-min=5

pytest.%:
	$(PYTEST) $(addprefix tests/,$(subst +, ,$*))

# The largest folder, in halves by the names of its files.
pytest.soundness.early:
	$(PYTEST) tests/soundness/test_[a-o]*.py

pytest.soundness.late:
	$(PYTEST) tests/soundness/test_[!a-o]*.py

pytest.rest:
	$(PYTEST) tests $(FOLDERS:%=--ignore=%)

# What lit alone can check: whole processes and their texts. tests/cli/test_pairs.py has the verdicts of the pairs.
lit.texts:
	$(BIN)/lit -j1 -q --filter-out '\.tgt\.mlir' lit_tests

test: setup-test bytecode tools plugin
	$(BIN)/ruff check python tests benchmarks
	$(MAKE) --no-print-directory -k -j2 $(PARTS:%=pytest.%) pytest.rest lit.texts

# All that `make test` leaves out today (tests/rotation.py), and all of lit with each proof replayed.
test-long: setup-test bytecode tools plugin
	@$(BIN)/python -m pytest -m long tests/soundness & first=$$!; \
	  $(BIN)/python -m pytest -m long tests --ignore=tests/soundness; second=$$?; \
	  wait $$first && test $$second -eq 0
	HECV_REPLAY=1 $(BIN)/lit -j2 -q lit_tests

# Third-party models: transformers against litgpt, whose own requirements exclude this transformers, and distributed
# programs of Megatron-core and transformers.
test-models: setup-test
	$(BIN)/python -m pip install --quiet --disable-pip-version-check transformers==5.24.0 lightning==2.6.6 \
	  safetensors==0.8.0 accelerate==1.15.0 megatron-core==0.16.1
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps litgpt==0.5.13
	$(BIN)/python -m pytest tests/models/test_third_party.py tests/refine/test_third_party.py

clean:
	rm -rf build build.log $(VENV)
