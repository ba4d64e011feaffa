"""Where the program begins: `python -m editblocks`, and the script that pip installs."""

import gc
import signal
import sys

# What is loaded stays until the end, and counting it again and again is a tenth of a short run.
_MADE_BEFORE_GARBAGE = 100_000


def main() -> int:
    """Run the command line; interrupted, even while it is still being loaded, it ends without a word."""
    try:
        _end_as_interrupted()
        gc.set_threshold(_MADE_BEFORE_GARBAGE)
        from editblocks.faces.cli.main import main as command_line

        return command_line()
    except KeyboardInterrupt:
        return 130  # terminal.INTERRUPTED, which may not be loaded yet
    finally:
        gc.freeze()  # Python would look for garbage twice before it ends: 7 % of a short run


def _end_as_interrupted() -> None:
    """Take `kill` and a terminal that is closed for Ctrl-C: what was begun is taken away. `nohup` still counts."""
    for name in ("SIGTERM", "SIGHUP"):  # Windows has one of them
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)


if __name__ == "__main__":
    sys.exit(main())
