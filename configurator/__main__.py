"""`python -m configurator`: opens the window; with a command it is the command line."""

import sys

from configurator.cli import main

if __name__ == "__main__":
    sys.exit(main())
