# Each target does its own set-up; running it again is quick. JOBS=n bounds what runs at once (default: all cores).
.PHONY: help demo check bench study matrix lint docs package clean

help:
	@echo 'make demo            one solver on three machines: the best and the worst hand-written exchange, and ADCL'
	@echo 'make check           builds everything and runs the tests, those of the library with two MPI libraries'
	@echo 'make bench NAME=x    runs one bench and writes build/bench/x.json; PRESETS="openmpi openmpi5" names MPI libraries,'
	@echo '                     BENCH_FORM=short takes seconds and shows only whether the bench works; NAME=decisions,'
	@echo '                     scale or tune runs all benches of this folder'
	@echo 'make study           lists the published studies; NAME=x runs one and rewrites its page, QUICK=1 in minutes'
	@echo 'make matrix          the tests on every supported MPI library'
	@echo 'make lint            format, static analysis, layering, words and warnings of the documentation'
	@echo 'make docs            the site, with the interfaces and the sources, as build/site/docs/index.html'
	@echo 'make package         Debian packages for Open MPI and MPICH in build/package, tested with programs'
	@echo 'make clean           removes build; .venv and .venvs stay'

demo:
	@tools/demo.sh

check:
	@tools/check.sh

bench:
	@tools/bench.sh '$(NAME)' $(PRESETS)

study:
	@NAME='$(NAME)' QUICK='$(QUICK)' tools/study.sh

matrix:
	@tools/matrix.sh

lint:
	@tools/lint.sh

docs:
	@tools/docs.sh

package:
	@tools/package.sh

clean:
	rm -rf build
