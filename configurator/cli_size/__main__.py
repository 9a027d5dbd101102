"""``python -m configurator.cli_size``."""

import sys

from configurator.cli_size import main

sys.exit(main())
