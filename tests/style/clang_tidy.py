# SPDX-License-Identifier: Apache-2.0
"""clang-tidy finds nothing in the C++ files: clang_tidy.py BUILD [COMMIT], for a configured build
tree. COMMIT is one at which it has found nothing: then only files that have changed since are
checked and, for each changed header that none of them includes, one that does. All are checked
where git does not know it.

What was found clean is remembered in the user's cache directory under a hash of the file, of all
headers of ours that it includes, of the flags, the checks and the tool. The hash has no path in it,
so that one checkout serves another, and only files that differ are checked. scripts/tidy runs this.
"""

import concurrent.futures
import contextlib
import functools
import hashlib
import io
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

from include_graph_test import includes
from source_files import cpp_files, read, report, root

KEPT_FLAGS = ("-D", "-I", "-isystem", "-std=")
PROGRESS_PERIOD_S = 10
FORGOTTEN_AFTER_S = 90 * 24 * 3600


def say(text):
    print(f"clang-tidy: {text}", file=sys.stderr, flush=True)


def compile_flags(build):
    """{file: flags} from compile_commands.json, without what only GCC understands. Of a file that
    is compiled twice, those of the first time: the second is for a test."""
    flags = {}
    for entry in json.loads((build / "compile_commands.json").read_text()):
        kept, words = [], iter(shlex.split(entry["command"]))
        for word in words:
            if word == "-isystem":
                word += next(words)
            if word.startswith(KEPT_FLAGS):
                kept.append(word)
        flags.setdefault(entry["file"], kept)
    return flags


def text_of_header(header, flags):
    """What `#include "header"` stands for, or None: a library's."""
    for folder in (flag[2:] for flag in flags if flag.startswith("-I")):
        path = pathlib.Path(folder, header)
        if path.is_file():
            return read(path)
    return None


@functools.cache
def headers_in(text):
    """The headers that it includes in quotes."""
    return [header for _, bracket, header in includes(text) if bracket == '"']


def sources_of(path, flags):
    """{name: text} of a file, whose name here is "", and of all headers of ours that it needs."""
    seen, waiting = {}, [("", read(path))]
    while waiting:
        name, text = waiting.pop()
        seen[name] = text
        for header in headers_in(text):
            if header not in seen:
                found = text_of_header(header, flags)
                if found is not None:
                    waiting.append((header, found))
    return seen


def content_key(sources, shared):
    """A hash of all of ours that clang-tidy's answer for a file with those sources depends on."""
    digest = hashlib.sha256(shared.encode())
    for name in sorted(sources):
        digest.update(f"\0{name}\0{sources[name]}".encode())
    return digest.hexdigest()


def flags_in(top, build, flags):
    """The flags of a file, the same wherever checkout and build tree lie."""
    return " ".join(flags).replace(str(build), "<build>").replace(str(top), ".")


def version_of(tool):
    answer = subprocess.run([tool, "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"version \S+", answer).group(0)


def cache_directory():
    """Where the keys of clean files are; those that nobody has asked for lately are gone."""
    home = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    cache = pathlib.Path(home) / "faultline/clang-tidy"
    cache.mkdir(parents=True, exist_ok=True)
    for key in cache.iterdir():
        if time.time() - key.stat().st_mtime > FORGOTTEN_AFTER_S:
            key.unlink(missing_ok=True)
    return cache


def known_clean(cache, key):
    try:
        os.utime(cache / key)
        return True
    except FileNotFoundError:
        return False


@contextlib.contextmanager
def checkout_of(top, commit):
    """A folder with what the checkout `top` held at a commit; None where git does not know it."""
    git = shutil.which("git")
    archive = git and subprocess.run([git, "-C", top, "archive", commit], capture_output=True,
                                     check=False)
    if not archive or archive.returncode != 0:
        say(f"git does not know {commit}: every file is checked")
        yield None
        return
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive.stdout)) as files:
            files.extractall(folder)
        yield pathlib.Path(folder)


def changed_since(now, then):
    """Of files with the sources `now`, those to check when all was clean with the sources `then`
    (both: {file: sources_of}). What is wrong in a header is found in any file that includes it."""
    headers_then = {name: text for sources in then.values() for name, text in sources.items()}

    def changed_headers(name):
        return {header for header, text in now[name].items()
                if header and headers_then.get(header) != text}

    chosen = [name for name in sorted(now) if then.get(name, {}).get("") != now[name][""]]
    covered = {header for name in chosen for header in changed_headers(name)}
    for name in sorted(now):
        if not changed_headers(name) <= covered:
            chosen.append(name)
            covered |= changed_headers(name)
    return chosen


def check_one(tool, top, path, flags):
    """(clean, output) of one file."""
    result = subprocess.run([tool, "--quiet", path, "--", *flags], cwd=top, capture_output=True,
                            text=True, check=False)
    return result.returncode == 0, result.stdout + ("" if result.stdout else result.stderr)


def check_files(names, check, remember):
    """The findings in those files, said as they come; `remember` takes the names of clean ones."""
    findings, said = [], time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        waiting = {pool.submit(check, name): name for name in names}
        for number, answer in enumerate(concurrent.futures.as_completed(waiting), 1):
            name, (clean, output) = waiting[answer], answer.result()
            if clean:
                remember(name)
            else:
                say(f"{name} is not clean")
                findings.append(f"{name}:\n{output}")
            if time.monotonic() - said > PROGRESS_PERIOD_S:
                said = time.monotonic()
                say(f"{number} of {len(names)} files")
    return findings


def main():
    tool = shutil.which("clang-tidy-14") or shutil.which("clang-tidy")
    if tool is None:
        sys.exit("clang-tidy is not installed")
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    top, build = root(), pathlib.Path(sys.argv[1]).resolve()
    flags = compile_flags(build)
    version = version_of(tool)

    def sources_in(checkout, name):
        there = [f"-I{checkout}" if flag == f"-I{top}" else flag for flag in flags[str(top / name)]]
        return sources_of(checkout / name, there)

    def key(name, sources):
        return content_key(sources, version + read(top / ".clang-tidy") +
                           flags_in(top, build, flags[str(top / name)]))

    names = [path.relative_to(top) for path in map(pathlib.Path, cpp_files(top))
             if str(path) in flags]
    now = {name: sources_in(top, name) for name in names}
    keys = {name: key(name, now[name]) for name in names}
    waiting = sorted(names)
    if len(sys.argv) == 3:
        with checkout_of(top, sys.argv[2]) as then:
            if then is not None and read(then / ".clang-tidy") == read(top / ".clang-tidy"):
                waiting = changed_since(now, {name: sources_in(then, name) for name in names
                                              if (then / name).is_file()})
    cache = cache_directory()
    waiting = [name for name in waiting if not known_clean(cache, keys[name])]
    say(f"{len(names)} files, {len(waiting)} of them to be checked; they take "
        f"about {len(waiting) * 10 // os.cpu_count() // 60 + 1} minutes")

    def remember(name):
        # Somebody may have edited the file, or a header, while it was checked.
        if key(name, sources_in(top, name)) == keys[name]:
            (cache / keys[name]).touch()

    findings = check_files(
        waiting, lambda name: check_one(tool, top, top / name, flags[str(top / name)]), remember)
    return report(findings, f"{len(names)} C++ files, {len(waiting)} of them checked now")


if __name__ == "__main__":
    sys.exit(main())
