"""Reads the reports that `reports write DIR` wrote with junitparser and orjson: `python peers.py DIR`.

Needs junitparser and orjson from PyPI.
"""

import sys
import time
from pathlib import Path

import junitparser
import orjson

ROUNDS = 5


def read_junit(path):
    return sum(1 for suite in junitparser.JUnitXml.fromfile(str(path)) for _ in suite)


def read_lines(path):
    """Every event of a `go test -json` stream as a value, and no more."""
    return sum(1 for line in path.read_bytes().splitlines() if orjson.loads(line))


def rate(name, read, path):
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        count = read(path)
        times.append(time.perf_counter() - start)
    time_of = sorted(times)[ROUNDS // 2]
    size = path.stat().st_size / 1e6
    print(f"{name:<14} {size:6.1f} MB  {time_of * 1e3:8.1f} ms  {size / time_of:7.0f} MB/s  {count} read")


folder = Path(sys.argv[1])
rate("junitparser", read_junit, folder / "junit.xml")
rate("orjson", read_lines, folder / "go.json")
