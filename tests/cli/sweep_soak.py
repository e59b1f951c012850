# SPDX-License-Identifier: Apache-2.0
"""Many more kills of a sweep than the test suite makes."""

import sys
import unittest

import sweep_test

if __name__ == "__main__":
    sweep_test.KILLS = 200
    suite = unittest.defaultTestLoader.loadTestsFromTestCase(sweep_test.Kills)
    sys.exit(not unittest.TextTestRunner().run(suite).wasSuccessful())
