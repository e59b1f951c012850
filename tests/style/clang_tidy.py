"""clang-tidy finds nothing in the C++ files.

Without arguments it checks a sample of SAMPLE_SIZE files, since the whole takes longer than all
other tests together; the sample follows from the files' contents, so that one tree always has the
same sample and every change draws another. With --all it checks every file. What was found clean is
remembered in the build directory under a hash of the file, of all headers of ours that it includes,
of the flags, the checks and the tool.
"""

import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys

from include_graph_test import includes
from source_files import cpp_files, missing_tool, read, report, root

SAMPLE_SIZE = 12
SIMGRID_FILES = ("simgrid_", "_simgrid_test")
KEPT_FLAGS = ("-D", "-I", "-isystem", "-std=")


def content_key(top, path, flags):
    """A hash of all that clang-tidy's answer for `path` depends on within the checkout."""
    seen, waiting = {}, [path]
    while waiting:
        current = waiting.pop()
        name = str(current.relative_to(top))
        if name in seen or not current.is_file():
            continue
        text = read(current)
        seen[name] = text
        waiting += [top / header for _, bracket, header in includes(text) if bracket == '"']
    digest = hashlib.sha256(flags.encode())
    for name in sorted(seen):
        digest.update(f"\0{name}\0{seen[name]}".encode())
    return digest.hexdigest()


def choose_sample(keys, size):
    """The names of the `size` smallest keys."""
    return sorted(sorted(keys, key=lambda name: keys[name])[:size])


def compile_flags(build):
    """{file: flags} from compile_commands.json, without what only GCC understands."""
    database = build / "compile_commands.json"
    if not database.is_file():
        sys.exit(f"{database} does not exist; configure with CMake first")
    flags = {}
    for entry in json.loads(database.read_text()):
        words = shlex.split(entry["command"])
        kept = [word for word in words if word.startswith(KEPT_FLAGS)]
        for index, word in enumerate(words[:-1]):
            if word == "-isystem":
                kept[kept.index("-isystem")] = "-isystem" + words[index + 1]
        flags[entry["file"]] = kept
    return flags


def check_one(tool, path, flags):
    """(clean, output) of one file."""
    result = subprocess.run(
        [tool, "--quiet", str(path), "--", *flags], capture_output=True, text=True, check=False
    )
    return result.returncode == 0, result.stdout + ("" if result.stdout else result.stderr)


def flags_in(top, flags):
    """The flags of a file, the same wherever the checkout lies."""
    return " ".join(flags).replace(str(top), ".")


def keys_of(top, tool, flags):
    """{file: key} of every C++ file of ours that is compiled."""
    version = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    shared = version + read(top / ".clang-tidy")
    return {
        str(path): content_key(top, path, shared + flags_in(top, flags[str(path)]))
        for path in cpp_files(top)
        if path.suffix == ".cpp" and str(path) in flags and path != top / "tests/main.cpp"
    }


def check_files(tool, names, keys, flags, cache):
    """The findings of all `names` that are not known to be clean."""
    findings = []
    waiting = [name for name in names if not (cache / keys[name]).exists()]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        answers = pool.map(lambda name: check_one(tool, name, flags[name]), waiting)
        for name, (clean, output) in zip(waiting, answers):
            if clean:
                (cache / keys[name]).touch()
            else:
                findings.append(f"{name}:\n{output}")
    return findings, len(waiting)


def main():
    tool = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
    if tool is None:
        missing_tool("clang-tidy")
    top = root()
    build = pathlib.Path(os.environ.get("FAULTLINE_BUILD_DIR", top / "build/release"))
    cache = build / "clang-tidy"
    cache.mkdir(parents=True, exist_ok=True)
    flags = compile_flags(build)
    keys = keys_of(top, tool, flags)
    everything = "--all" in sys.argv[1:]
    names = sorted(keys) if everything else choose_sample(keys, SAMPLE_SIZE)
    findings, fresh = check_files(tool, names, keys, flags, cache)
    sample = "all" if everything else f"a sample of {len(names)}"
    return report(findings, f"{sample} of {len(keys)} C++ files, {fresh} of them checked now")


if __name__ == "__main__":
    sys.exit(main())
