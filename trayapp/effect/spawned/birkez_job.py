"""The job's own file, under the name that the runner loaded it by.

A process that the job's code starts by `multiprocessing` (but by fork) looks for the code's
functions in the module `birkez_job`. The runner hands on where this file lies, by the
import path, and which file is meant, by a variable.
"""

from __future__ import annotations

import importlib.util
import os
import sys


def _load(path: str) -> None:
    """Load the file at *path* in this module's place, which the import then returns."""
    spec = importlib.util.spec_from_file_location("birkez_job", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["birkez_job"] = module
    spec.loader.exec_module(module)


if __name__ == "birkez_job":
    _load(os.environ["BIRKEZ_JOB_FILE"])
