# All the set-up there is: tools/dev.py makes .venv from the hashed lock and starts the program.
PYTHON ?= python3
ARGS ?=

.PHONY: run test test-fast test-postgres test-postgres-half test-hosts lint bench regress torture soak package
run test test-fast test-postgres test-postgres-half test-hosts lint bench regress torture soak package:
	@command -v "$(PYTHON)" >/dev/null 2>&1 || { \
	  echo "FocusWeb needs Python 3.11 or newer, but there is no '$(PYTHON)' here." >&2; \
	  echo "Install it (on Debian: apt-get install python3 python3-venv)," >&2; \
	  echo "or name yours: make $@ PYTHON=/path/to/python3" >&2; \
	  exit 1; }
	@exec "$(PYTHON)" tools/dev.py $@ $(ARGS)
