"""`birkez` and `python -m trayapp`.

`birkez run JOB --trigger schedule` is started thousands of times by the system's
scheduler, so its words are read here without argparse; everything else is `cli`'s. The
interpreter may be started bare (`-I -S`): a third of its start is looking for packages
that a run with nothing to do never uses.
"""

from __future__ import annotations

import os
import sys

if __name__ == "__main__" and not __package__:
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def main() -> int:
    """Run the command line; returns the exit status."""
    words = sys.argv[1:]
    if words[:1] == ["run"] and words[2:] in (["--trigger", "schedule"], ["--trigger", "boot"]) and words[1] != "--all":
        from trayapp.cli.scheduled import run_scheduled  # noqa: PLC0415  # the fast way

        return run_scheduled(words[1], words[3])
    if "site" not in sys.modules:
        import site  # noqa: PLC0415  # the command line uses installed packages

        site.main()
    from trayapp.cli.main import main as cli_main  # noqa: PLC0415

    return cli_main(words)


if __name__ == "__main__":
    sys.exit(main())
