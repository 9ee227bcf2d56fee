#!/usr/bin/env python3
"""Measure what a database of recipes is worth for programs that it does not have.

A database is seeded with what strategy `auto` finds for the first thirty kernels as they are written here (`farkas db add`), or is
the one of --db. Then `farkas opt --db` is asked for three groups of programs:

    variants  the same kernels under random legal recipes, as variants.py makes them, printed as plain C
    everyday  the programs of everyday/
    unseen    the other kernels of this folder

For each program it is told whether a recipe was found for the same nest or for near ones, whether a form of it was taken, and how long the look-ups
took. What `auto` makes with the database and without runs in turns, and the least time of each counts, where the code is another one. What it
makes must print what the program prints, bit by bit.

With `--check` nothing is timed: for each program it is told which recipes were found, and whether it prints the same with them.

    kernels/transfer.py --farkas target/release/farkas
    kernels/transfer.py --farkas target/debug/farkas --check --db seed
    kernels/transfer.py --farkas target/release/farkas --groups unseen --db seed --threads 2

The status is 1 where a program fails or prints something else.
"""

import argparse
import math
import os
import re
import sys
import tempfile
from pathlib import Path

from forms import Failure, code, run
from variants import HERE, KERNELS, NoVariant, Ours

# Products and sums are contracted in one program and not in the other, unless that is forbidden.
FLAGS = ["-O3", "-march=native", "-fopenmp", "-w", "-DWARM_UP_S=0.02", "-ffp-contract=off"]
# Runs are told apart from noise from here on.
NOISE = 0.05


def programs(chosen, group, folder):
    """The programs of a group: (name, source, how Farkas reads it). What cannot be made is told."""
    if group == "everyday":
        return [(path.stem, path, ["--auto"]) for path in sorted((HERE / "everyday").glob("*.c"))]
    if group == "unseen":
        others = [path for path in sorted(HERE.glob("*.c")) if path.stem not in KERNELS]
        return [(path.stem, path, []) for path in others]
    made = []
    for name in KERNELS:
        try:
            kernel = Ours(chosen, name, folder)
        except (NoVariant, Failure) as failure:
            print(f"variants  {name:18} none: {failure}", flush=True)
            continue
        scope = ["--auto", "--region", kernel.region["function"]]
        made += [(f"{name} {label}", source, scope) for label, source in kernel.sources.items() if label != "a"]
    return made


class Made:
    """A program as `auto` makes it."""

    def __init__(self, chosen, source, scope, more, path):
        scope = scope or ["--strategy", "auto"]
        command = [chosen.farkas, "opt", *scope, *more, "--report", "--time-passes", "--color", "never"]
        _, report = run([*command, "-I", HERE, "-o", path, source])
        self.text = path.read_text()
        self.taken = re.findall(r"^  taken from (.*)$", report, re.MULTILINE)
        self.is_chosen = bool(re.search(r"^  \* .* taken from ", report, re.MULTILINE))
        self.milliseconds = sum(look_ups(report))
        self.program = path.with_suffix("")
        run([chosen.cc, *FLAGS, "-I", HERE, path, "-o", self.program, "-lm"])

    def seconds(self, threads):
        """The time of a run and what it prints."""
        printed, messages = run([self.program], threads, 120)
        return max(float(re.search(r"^time_s (\S+)$", messages, re.MULTILINE).group(1)), 1e-6), printed


def look_ups(report):
    """Milliseconds of the passes that ask the database."""
    for milliseconds in re.findall(r"^ *([\d.]+) ms .* (?:describe|look-up)$", report, re.MULTILINE):
        yield float(milliseconds)


def compare(chosen, name, source, scope, folder):
    """The line of a program: (how it was found, whether it was chosen, milliseconds, gain over auto)."""
    known = Made(chosen, source, scope, ["--db", chosen.db], folder / "with.c")
    near = [text for text in known.taken if "(distance " in text]
    found = "same" if len(near) < len(known.taken) else "near" if near else "none"
    expected = original(chosen, source, folder / "original")
    if known.seconds(chosen.threads)[1] != expected:
        raise Failure("prints something else with recipes of the database")
    if chosen.check:
        for text in known.taken:
            print(f"    taken from {text}", flush=True)
        return found, known.is_chosen, known.milliseconds, 1.0
    without = Made(chosen, source, scope, [], folder / "without.c")
    gain = 1.0
    if code(without.text) != code(known.text):
        best = [math.inf, math.inf]
        for _ in range(chosen.runs):
            for at, made in enumerate((without, known)):
                seconds, printed = made.seconds(chosen.threads)
                if printed != expected:
                    raise Failure("prints something else")
                best[at] = min(best[at], seconds)
        gain = best[0] / best[1]
    return found, known.is_chosen, known.milliseconds, gain


def original(chosen, source, program):
    """What a program prints as it is written."""
    run([chosen.cc, *FLAGS, "-I", HERE, source, "-o", program, "-lm"])
    return run([program], chosen.threads, 120)[0]


def summary(group, rows):
    """What came of a group, on a line."""
    if not rows:
        return f"{group}: nothing was measured"
    found = [found for found, *_ in rows]
    gains = [gain for *_, gain in rows]
    mean = math.exp(sum(map(math.log, gains)) / len(gains))
    times = sorted(milliseconds for _, _, milliseconds, _ in rows)
    return (
        f"{group}: {len(rows)} programs, {found.count('same')} found, {found.count('near')} near ones, "
        f"{sum(chosen for _, chosen, _, _ in rows)} taken; gain over auto {mean:.3f} in the geometric mean, "
        f"{max(gains):.2f} at best, {min(gains):.2f} at worst, {sum(gain < 1 - NOISE for gain in gains)} slower beyond {NOISE:.0%}; "
        f"look-up {times[len(times) // 2]:.1f} ms in the median, {times[-1]:.1f} ms at most"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farkas", default=HERE.parent / "target/release/farkas", help="the program")
    parser.add_argument("--db", help="the database [one that is seeded with the first thirty kernels]")
    parser.add_argument("--groups", nargs="+", default=["variants", "everyday", "unseen"])
    parser.add_argument("--kernels", nargs="+", help="only programs whose names begin so")
    parser.add_argument("--variants", type=int, default=1, help="of each kernel")
    parser.add_argument("--seed", type=int, default=1, help="of the random recipes")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--cc", default="gcc")
    parser.add_argument("--check", action="store_true", help="time nothing")
    chosen = parser.parse_args()
    chosen.farkas = Path(chosen.farkas).resolve()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        if chosen.db is None:
            chosen.db = folder / "seeded.db"
            sources = [HERE / f"{name}.c" for name in KERNELS]
            command = [chosen.farkas, "db", "add", *sources, "--compiler", "gcc 14.2.0", "-I", HERE, "--db", chosen.db]
            print(run(command)[0].strip(), flush=True)
        for group in chosen.groups:
            rows = []
            for name, source, scope in programs(chosen, group, folder):
                if chosen.kernels and not name.startswith(tuple(chosen.kernels)):
                    continue
                try:
                    rows.append(compare(chosen, name, source, scope, folder))
                except Failure as failure:
                    failed = True
                    print(f"{group:9} {name:18} {failure}", flush=True)
                    continue
                found, is_chosen, milliseconds, gain = rows[-1]
                taken = "taken" if is_chosen else "left"
                print(f"{group:9} {name:18} {found:5} {taken:6} {milliseconds:8.1f} ms  {gain:6.2f}x", flush=True)
            print(summary(group, rows), flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
