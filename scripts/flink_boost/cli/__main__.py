"""``python -m flink_boost.cli``: the command as the installed script starts it."""

import sys

from flink_boost.cli.main import main

sys.exit(main())
