# SPDX-License-Identifier: Apache-2.0
"""Many more kills of sweeps than the test suite makes: a thousand of four that share a store."""

import sys
import unittest

import batches_test
import sweep_test

if __name__ == "__main__":
    sweep_test.KILLS = 200
    batches_test.KILLS_OF_FOUR = 1000
    loader = unittest.defaultTestLoader
    suite = unittest.TestSuite(loader.loadTestsFromTestCase(case)
                               for case in (sweep_test.Kills, batches_test.KillsOfFour))
    sys.exit(not unittest.TextTestRunner().run(suite).wasSuccessful())
