"""First file of the frozen `birkez`, and on Windows of `birkez-run`, which is the same without a console."""

import sys

from trayapp.frozen_start import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
