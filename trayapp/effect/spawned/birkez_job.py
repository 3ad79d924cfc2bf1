"""The job's own file, under the name that the runner loaded it by.

A process that the job's code starts by `multiprocessing` (but by fork) looks for the code's
functions in the module `birkez_job`. The runner hands on where this file lies, by the
import path, and which file is meant, by a variable.
"""

from __future__ import annotations

import importlib.util
import os
import sys

_spec = importlib.util.spec_from_file_location("birkez_job", os.environ["BIRKEZ_JOB_FILE"])
assert _spec is not None
assert _spec.loader is not None
_module = importlib.util.module_from_spec(_spec)
sys.modules["birkez_job"] = _module  # what the import returns, in this module's place
_spec.loader.exec_module(_module)
