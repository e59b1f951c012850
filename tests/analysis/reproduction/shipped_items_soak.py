# SPDX-License-Identifier: Apache-2.0
"""Every shipped item, with --quick, has the verdicts that its data file expects."""

import sys

from reproduce_verb_test import SOURCE, check_as_expected, failures


def main():
    items = [
        file.relative_to(SOURCE / "scenarios").with_suffix("")
        for paper in ("adoption-2013", "fampi-2015", "fast-message-logging", "rdaemon-2019",
                      "recovery", "robustness", "termination-2022")
        for file in sorted((SOURCE / "scenarios" / paper).glob("*.json"))
    ]
    for item in items:
        check_as_expected(item)
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures or not items else 0


if __name__ == "__main__":
    sys.exit(main())
