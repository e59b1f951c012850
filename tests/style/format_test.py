# SPDX-License-Identifier: Apache-2.0
"""clang-format would change nothing in any C++ file."""

import shutil
import subprocess
import sys

import tools
from source_files import cpp_files, root


def find_clang_format():
    """clang-format 14, as Debian 12 has it; other versions format differently."""
    for name in ("clang-format-14", "clang-format"):
        tool = shutil.which(name)
        if tool and " version 14." in subprocess.run(
                [tool, "--version"], capture_output=True, text=True, check=True).stdout:
            return tool
    return None


def main():
    tool = find_clang_format()
    if tool is None:
        tools.skip_all("the form of the sources", "clang-format-14")
    top = root()
    files = cpp_files(top)
    result = subprocess.run(
        [tool, "--style=file", "--dry-run", "-Werror", *map(str, files)], cwd=top, check=False
    )
    print(f"{len(files)} C++ files; clang-format -i would mend what is named above"
          if result.returncode else f"0 findings in {len(files)} C++ files")
    return 1 if result.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
