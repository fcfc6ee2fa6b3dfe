"""The command `glossa`: the compiled program in this package."""

import os
import signal
import sys
from pathlib import Path


def main() -> None:
    """Becomes the program, with the arguments of this process."""
    program = Path(__file__).parent / "bin" / "glossa"
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # ignored by Python, and so by what it becomes
        signal.signal(number, signal.SIG_DFL)
    os.execv(program, ["glossa", *sys.argv[1:]])


if __name__ == "__main__":
    main()
