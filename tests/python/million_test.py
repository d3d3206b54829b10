"""The test of large DataFrames with as many messages as a run keeps by itself."""

import os
import unittest

os.environ["WEFT_MESSAGES"] = "1000000"

from results_test import Large  # noqa: E402, F401 (the number is read when it is imported)

if __name__ == "__main__":
    unittest.main()
