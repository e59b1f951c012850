# SPDX-License-Identifier: Apache-2.0
"""Tests that need more than scripts/test installs leave out what they cannot test, and say so in a
line that scripts/test collects:

    not tested: WHAT; needs PACKAGE...

WHAT has no semicolon; PACKAGEs are Debian's, or "root"."""

import importlib.util
import os
import shutil
import sys
import unittest

LEFT_OUT = 77  # ctest counts a test that exits with this as skipped


def leave_out(what, *packages):
    """Says that `what` is not tested for want of these packages."""
    print(f"not tested: {what}; needs {' '.join(packages)}", flush=True)


def skip_all(what, *packages):
    """Ends the whole test as skipped."""
    leave_out(what, *packages)
    sys.exit(LEFT_OUT)


def missing(commands=None, modules=None, root=False):
    """The packages to install: of {command: package} and {Python module: package} those that are
    not there."""
    packages = [package for command, package in (commands or {}).items()
                if shutil.which(command) is None]
    packages += [package for module, package in (modules or {}).items()
                 if importlib.util.find_spec(module) is None]
    if root and os.geteuid() != 0:
        packages.append("root")
    return list(dict.fromkeys(packages))


def need(what, **needed):
    """Skips the whole test where anything that `missing` finds is missing."""
    packages = missing(**needed)
    if packages:
        skip_all(what, *packages)


def tested_with(what, **needed):
    """Decorates a test or a class of tests that is left out where anything is missing."""
    packages = missing(**needed)
    if not packages:
        return lambda test: test
    leave_out(what, *packages)
    return unittest.skip(f"needs {' '.join(packages)}")
