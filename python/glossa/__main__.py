"""The command `glossa`: the compiled program in this package."""

import os
import signal
import sys
from pathlib import Path


def main() -> None:
    """Replaces this process by the program, with the same arguments."""
    program = Path(__file__).parent / "bin" / "glossa"
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and the program would inherit this
        signal.signal(number, signal.SIG_DFL)
    os.execv(program, ["glossa", *sys.argv[1:]])


if __name__ == "__main__":
    main()
