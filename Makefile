# A thin front on the presets of CMakePresets.json and the scripts in tools/.

PREFIX ?= /usr/local
DESTDIR ?=
FUZZ_SECONDS ?= 3600

.DEFAULT_GOAL := release
.PHONY: help release dev dev-clang asan tsan aarch64 cortex-m3 riscv demo workflow test soak bench fuzz format \
        lint install clean

help:
	@echo "make            the optimised build, in build/release"
	@echo "make demo       run the demo firmware in QEMU, decode and show its recording"
	@echo "make workflow   run the rules of a workflow for 200000 orders, show what took the time"
	@echo "make test       everything that CI checks"
	@echo "make soak       the long tests"
	@echo "make bench      the benchmarks; BENCH='a b' for some of them"
	@echo "make fuzz       each fuzz target for FUZZ_SECONDS=$(FUZZ_SECONDS); FUZZ='a b' for some"
	@echo "make format     lay out the C files as .clang-format says"
	@echo "make lint       layout, layers, static analysis"
	@echo "make install    into PREFIX=$(PREFIX), below DESTDIR"
	@echo "make dev        a debug build; likewise dev-clang, asan, tsan, aarch64, cortex-m3, riscv"
	@echo "make clean      remove build/ and demo/"
	@echo "demo, workflow and test install what they need by apt-get; STAVE_INSTALL_DEPS=0 forbids it."

release dev dev-clang asan tsan aarch64 cortex-m3 riscv:
	@tools/build $@

demo:
	@tools/demo

workflow:
	@tools/workflow $(WORKFLOW)

test:
	@tools/test

soak:
	@tools/build dev
	@ctest --test-dir build/dev -L soak --output-on-failure --no-tests=error

bench:
	@tools/build release
	@tools/bench $(BENCH)

fuzz:
	@tools/build fuzz
	@tools/fuzz --seconds $(FUZZ_SECONDS) --keep $(FUZZ)

format:
	@tools/lint --fix

lint:
	@tools/lint

install:
	@tools/build release
	@DESTDIR="$(DESTDIR)" cmake --install build/release --prefix "$(PREFIX)"

clean:
	rm -rf build demo
