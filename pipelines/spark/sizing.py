#!/usr/bin/env python3
"""What a day of very many assertions would take on Spark: a calculation, from costs that were measured.

usage: pipelines/spark/sizing.py [--plot FILE.svg]

Prints, for 1, 10 and 100 billion assertions, the processor hours, the bytes of each shuffle, and the time on
some numbers of cores. The critical path is simulated: tasks of all stages are given to cores as these
become free, keys are as skewed as Zipf's law has it, and a few tasks are slow. The costs at the top are
those of the page "Beyond one machine"; whoever measures others puts them here.
"""

import argparse
import heapq
import random

# Measured, in microseconds of one core for each assertion with its challenge, and in bytes. The times are of
# runs that moved all rows by clientDataHash, which took 6 % more.
MAP = 3.6
KEYS = 1.7
HASHES = 1.8
SPARK = 4.0
"""Of the shuffle by key: rows to Spark, its sort, and back; once more of that by hash, and half as much
of that of reports and for its own work."""
KEY_ROW = 256
"""A row by key, 251, and the place of its clientDataHash."""
HASH_ROW = 0
"""Rows by clientDataHash are few. With a state, or where challenges are required or expire, all are moved:
158 bytes for an assertion, and 56 in either shuffle for a challenge."""
LOG_BYTES = 350
"""An assertion with its challenge in the store, zstd."""
STORE = 60e6
"""Bytes a second that a task reads from an object store: an assumption."""

MAP_TASK = 128 << 20
"""Bytes of a map task's input."""
HOT_SHARE = 0.0002
"""The share of all records that the hottest key has."""
SLOW = (0.02, 3.0)
"""How many tasks are slow, and by how much: an assumption."""


def simulate(tasks, cores):
    """Returns when the last task ends: each goes to the core that is free first, the longest first."""
    free = [0.0] * min(cores, len(tasks))
    for seconds in sorted(tasks, reverse=True):
        heapq.heapreplace(free, free[0] + seconds)
    return max(free)


def slowed(tasks, chance):
    share, factor = SLOW
    return [task * factor if chance.random() < share else task for task in tasks]


def parts(records, number, hot, chance):
    """Divides records among parts: evenly, but for the thousand hottest keys, one by one."""
    shares = [hot / rank for rank in range(1, 1001)]
    sizes = [records * (1 - sum(shares)) / number] * number
    for share in shares:
        sizes[chance.randrange(number)] += records * share
    return sizes


def day(records, cores, number=None, hot=HOT_SHARE, seed=1):
    """Returns the seconds of each stage."""
    chance = random.Random(seed)
    per_task = MAP_TASK / LOG_BYTES
    mapped = (MAP + SPARK) * 1e-6 * per_task + MAP_TASK / STORE
    count = max(1, round(records / per_task))
    number = number or max(cores * 3, round(records * KEY_ROW / (512 << 20)))
    times = [simulate(slowed([mapped] * count, chance), cores)]
    for cost in (KEYS + SPARK, HASHES + SPARK / 2):
        sizes = parts(records, number, hot if cost > KEYS + 1 else 0, chance)
        times.append(simulate(slowed([size * cost * 1e-6 for size in sizes], chance), cores))
    return times


def text(seconds):
    return f"{seconds / 3600:.1f} h" if seconds >= 5400 else f"{seconds / 60:.0f} min"


def table():
    each = MAP + KEYS + HASHES + 2.5 * SPARK
    print(f"{each:.1f} µs of one core for each assertion, Spark's part of it {2.5 * SPARK:.1f}")
    print("| assertions a day | core hours | log | shuffled | cores | time |")
    print("|---|---|---|---|---|---|")
    for billions, sizes in ((1, (16, 64)), (10, (64, 256)), (100, (512, 2048))):
        records = billions * 10**9
        hours = records * each * 1e-6 / 3600 + records * LOG_BYTES / STORE / 3600
        shuffled = records * (KEY_ROW + HASH_ROW) / 1e12
        for cores in sizes:
            seconds = sum(day(records, cores))
            print(
                f"| {billions} billion | {hours:,.1f} | {records * LOG_BYTES / 1e12:.1f} TB "
                f"| {shuffled:.1f} TB | {cores} | {text(seconds)} |")


def plot(path):
    """Draws how the time of 10 billion assertions falls with the cores, and where a hot key ends that."""
    width, height, left, bottom = 640, 380, 60, 50
    cores = [16, 32, 64, 128, 256, 512, 1024, 2048]
    lines = [
        (share, [sum(day(10**10, number, hot=share)) / 60 for number in cores])
        for share in (0, 0.001, 0.01, 0.1)]
    most = max(max(values) for _, values in lines)

    def x(index):
        return left + index * (width - left - 140) / (len(cores) - 1)

    def y(value):
        import math

        return height - bottom - (height - bottom - 30) * math.log(value) / math.log(most)

    parts_ = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        'font-family="sans-serif" font-size="12">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
        f'<text x="{left}" y="18" font-size="14">10 billion assertions: minutes by cores and by the '
        "hottest key's share</text>"]
    for index, number in enumerate(cores):
        parts_.append(
            f'<text x="{x(index):.0f}" y="{height - 28}" text-anchor="middle">{number}</text>')
    value = 1
    while value <= most:
        parts_.append(
            f'<line x1="{left}" x2="{x(len(cores) - 1):.0f}" y1="{y(value):.0f}" '
            f'y2="{y(value):.0f}" stroke="#ddd"/>'
            f'<text x="{left - 6}" y="{y(value) + 4:.0f}" text-anchor="end">{value}</text>')
        value *= 10
    parts_.append(f'<text x="{(width - 140) / 2:.0f}" y="{height - 8}">cores</text>')
    for (share, values), color in zip(lines, ("#1b6", "#06c", "#c70", "#c03")):
        points = " ".join(f"{x(i):.0f},{y(v):.0f}" for i, v in enumerate(values))
        parts_.append(
            f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>'
            f'<text x="{x(len(cores) - 1) + 8:.0f}" y="{y(values[-1]) + 4:.0f}" fill="{color}">'
            f"{share * 100:g} %</text>")
    parts_.append("</svg>\n")
    with open(path, "w", encoding="utf-8") as file:
        file.write("\n".join(parts_))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--plot", metavar="FILE.svg", help="draws the simulation as well")
    chosen = parser.parse_args()
    table()
    if chosen.plot:
        plot(chosen.plot)


if __name__ == "__main__":
    main()
