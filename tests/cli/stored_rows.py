# SPDX-License-Identifier: Apache-2.0
"""Stores changed from outside, with the checksums that docs/sweeps.md describes written anew."""

import contextlib
import sqlite3
import struct

# Without the checksum, in the order in which it covers them.
COLUMNS = {
    "studies": "study, name, hash, points, faultline, simgrid",
    "points": "study, point, hash, scenario_hash, engine, seed, label, parameters, scenario, "
              "failure, log, wanted, failed_replication, runs_checksum",
    "runs": "study, point, replication, metrics, violations, events, wall_s, peak_rss_bytes",
}


def cell_bytes(value):
    if isinstance(value, int):
        return b"i%d;" % value
    if isinstance(value, float):
        return b"r%d;" % struct.unpack("<Q", struct.pack("<d", value))
    text = value.encode()
    return b"t%d:" % len(text) + text


def checksum(cells):
    """FNV-1a of 64 bits, as SQLite's signed number."""
    value = 0xcbf29ce484222325
    for byte in b"".join(map(cell_bytes, cells)):
        value = (value ^ byte) * 0x100000001b3 & 0xffffffffffffffff
    return signed(value)


def signed(value):
    """A whole number modulo 2^64, as SQLite has it."""
    value &= 0xffffffffffffffff
    return value - (value >> 63 << 64)


def sign(database):
    """Makes the checksum of every row fit."""
    for row in database.execute(f"SELECT {COLUMNS['studies']} FROM studies").fetchall():
        database.execute("UPDATE studies SET checksum=? WHERE study=?", (checksum(row), row[0]))
    of_point = {}
    for row in database.execute(f"SELECT {COLUMNS['runs']} FROM runs").fetchall():
        found = checksum(row)
        of_point[row[:2]] = of_point.get(row[:2], 0) + found
        database.execute("UPDATE runs SET checksum=? WHERE study=? AND point=? AND replication=?",
                         (found, *row[:3]))
    for row in database.execute(f"SELECT {COLUMNS['points']} FROM points").fetchall():
        whole = (*row[:-1], signed(of_point.get(row[:2], 0)))
        database.execute("UPDATE points SET runs_checksum=?, checksum=? WHERE study=? AND point=?",
                         (whole[-1], checksum(whole), *row[:2]))


@contextlib.contextmanager
def changing(path):
    """The store as a database; it is whole again at the end of the block."""
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        yield database
        sign(database)
