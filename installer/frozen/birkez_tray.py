"""First file of the frozen `birkez-tray`: the words are those of `birkez tray`."""

import sys

from trayapp.frozen_start import main

if __name__ == "__main__":
    sys.exit(main(["tray", *sys.argv[1:]]))
