"""From a checkout to a running Birkez with one command: `python3 installer/bootstrap.py demo`.

Any Python can read this file, so that an old one answers with a sentence instead of a
SyntaxError; the work is in `from_checkout.py`.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036  # the very check that makes 3.11 the oldest
    sys.stderr.write(
        "Python 3.11 ya da yenisi gerekli; bu Python {0}.{1}.\n"
        "Python 3.11 or newer is needed; this is Python {0}.{1}.\n".format(*sys.version_info[:2])
    )
    sys.exit(2)

from from_checkout import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
