#!/usr/bin/env python3
"""Measure strategy `auto` against each of the forms that it compared.

Each kernel is transformed as `auto` does it, and once for every place of its ranking (`--rank`), with
the marked region or, where nothing is marked, what `--auto` finds. All programs run in turns, and the least time of each counts. `lost` is the part of its time that `auto` loses against
the fastest form: 0 % where it chose that one. Where it loses more than 5 %, all run again, as often as
four times more, before it counts: other work on the machine makes times longer, never shorter.

Before, each runs at its smallest sizes, compiled with -O1 -ffp-contract=off, and must print what the original does, bit by bit.

In a file with several regions all are at the same place of their rankings, or at their last.

    kernels/forms.py --farkas target/release/farkas
    kernels/forms.py --kernels mvt nussinov everyday/kmeans --runs 5
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HERE = Path(__file__).resolve().parent
# The part of its time that `auto` may lose.
SLOW = 0.05
# A kernel in which it loses more is measured so many times in all.
ROUNDS = 5
# Forms that take so many times longer than the fastest are not measured again.
HOPELESS = 1.5


# Seconds that a run of a form may take.
TIME_LIMIT = 20


class Failure(Exception):
    """What went wrong with one kernel, in a line."""


class TooLong(Failure):
    """A program took too long."""


def run(command, threads=None, limit=600):
    """Run a command: (stdout, stderr). Raises Failure where it does not end well."""
    environment = dict(os.environ)
    if threads is not None:
        environment["OMP_NUM_THREADS"] = str(threads)
    try:
        done = subprocess.run(
            [str(word) for word in command], capture_output=True, text=True, env=environment, timeout=limit
        )
    except subprocess.TimeoutExpired:
        raise TooLong(f"{Path(command[0]).name} takes longer than {limit} s") from None
    if done.returncode != 0:
        lines = (done.stderr.strip() or f"status {done.returncode}").splitlines()
        raise Failure(next((line for line in lines if "error" in line), lines[-1]))
    return done.stdout, done.stderr


def transform(chosen, source, result, more):
    """Run Farkas: what it reports."""
    scope = ["--strategy", "auto"] if "#pragma scop" in source.read_text() else ["--auto"]
    serial = ["--serial"] if chosen.threads == 1 else []
    command = [chosen.farkas, "opt", *scope, *serial, "--report", "--color", "never"]
    return run([*command, *more, "-I", HERE, "-o", result, source])[1]


def forms_of(report):
    """Names of the forms of the region with the most, by rank, and how many regions there are, without those of main."""
    regions = re.split(r"^(\S+) \(line \d+ of .*$", report, flags=re.MULTILINE)[1:]
    found = [
        [form for form, _ in ranked(part)]
        for name, part in zip(regions[::2], regions[1::2])
        if re.split(r"[:.]", name)[0] != "main"
    ]
    return max(found, key=len, default=[]), len(found)


def ranked(report):
    """The forms of a region's report by rank: (name, what it costs); those that cost the same share a line and the next."""
    row = r"^  +(\d+) [* ] +[\d.]+ +\d+ %  (\S.*?)(?:  +(.*))?$(?:\n +the same: (.*))?"
    forms = {}
    for place, name, terms, others in re.findall(row, report, re.MULTILINE):
        forms[int(place)] = name, terms
        for other in filter(None, others.split("; ")):
            place, name = other.split(" ", 1)
            forms[int(place)] = name, terms
    return [forms[place] for place in sorted(forms)]


def build(chosen, source, name, more, folder):
    """The program of a form: (program, text, report)."""
    result = folder / f"{source.stem}-{name}.c"
    report = transform(chosen, source, result, more)
    program = result.with_suffix("")
    flags = ["-O3", "-march=native", "-fopenmp", "-w", "-DWARM_UP_S=0.02", "-I", HERE]
    run([chosen.cc, *flags, result, "-o", program, "-lm"])
    return program, result.read_text(), report


def code(text):
    """The text without comments: what forms of one code differ in."""
    return re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)


def output(chosen, text_file, sizes, folder):
    """What a program prints where nothing contracts products and sums."""
    program = folder / f"{text_file.stem}-checked"
    run([chosen.cc, "-O1", "-ffp-contract=off", "-fopenmp", "-w", "-I", HERE, text_file, "-o", program, "-lm"])
    return run([program, *sizes], max(chosen.threads, 2))[0]


def seconds(program, sizes, threads):
    """The time of a run; endless for a form that takes very long."""
    try:
        _, messages = run([program, *sizes], threads, TIME_LIMIT)
    except TooLong:
        return float("inf")
    return max(float(re.search(r"^time_s (\S+)$", messages, re.MULTILINE).group(1)), 1e-6)


def sizes_of(source):
    """The small, the usual and the large sizes of a kernel; none where it has its defaults."""
    listed = re.search(r"^// sizes: (.*)$", source.read_text(), re.MULTILINE)
    return [size.split() for size in listed.group(1).split("|")] if listed else ([], [], [])


def least_times(programs, sizes, chosen):
    """The least time of each program by name, until `auto` is near the fastest or was measured often."""
    times, tried = {name: float("inf") for name in programs}, set()
    for _ in range(ROUNDS):
        for _ in range(chosen.runs):
            fastest = min(times.values())
            for name, program in programs.items():
                if name == "auto" or name not in tried or times[name] < HOPELESS * fastest:
                    tried.add(name)
                    times[name] = min(times[name], seconds(program, sizes, chosen.threads))
        if times["auto"] <= (1 + SLOW) * min(times.values()):
            break
    return times


def measure(chosen, name, folder):
    """The record of one kernel."""
    source = HERE / f"{name}.c"
    small, sizes, _ = sizes_of(source)
    expected = output(chosen, source, small, folder)
    auto, text, report = build(chosen, source, "auto", [], folder)
    names, n_regions = forms_of(report)
    programs, seen = {"auto": auto}, {code(text): "auto"}
    labels = {"auto": "auto"}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        of_rank = lambda rank: build(chosen, source, str(rank), ["--rank", rank], folder)
        built = list(pool.map(of_rank, range(1, len(names) + 1)))
    for rank, (form, (program, text, _)) in enumerate(zip(names, built), 1):
        if code(text) not in seen:
            seen[code(text)] = str(rank)
            programs[str(rank)] = program
            labels[str(rank)] = form
    for key, program in programs.items():
        if output(chosen, program.with_suffix(".c"), small, folder) != expected:
            raise Failure(f"form `{labels[key]}` prints something else")
    times = least_times(programs, sizes, chosen)
    best = min(times, key=times.get)
    return {
        "kernel": name,
        "regions": n_regions,
        "forms": len(programs),
        "auto_s": times["auto"],
        "best_s": times[best],
        "best": labels[best],
        "lost": 1 - times[best] / times["auto"],
        "times": {labels[key]: time for key, time in times.items()},
    }


def known_kernels():
    return [path.stem for path in sorted(HERE.glob("*.c"))] + [
        f"everyday/{path.stem}" for path in sorted((HERE / "everyday").glob("*.c"))
    ]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farkas", default="farkas", metavar="PATH", help="the binary [farkas, from PATH]")
    parser.add_argument("--kernels", nargs="+", metavar="NAME", help="these alone [all]")
    parser.add_argument("--cc", default="gcc", help="the compiler [gcc]")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="[2]; with 1, forms for one thread")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="runs of each program [3]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all records there")
    chosen = parser.parse_args()
    chosen.kernels = chosen.kernels or known_kernels()
    for name in chosen.kernels:
        if name not in known_kernels():
            parser.error(f"no kernel is called {name}")
    if chosen.runs < 1 or chosen.threads < 1:
        parser.error("--runs and --threads take positive numbers")
    return chosen


def main():
    chosen = arguments()
    records, failed = [], 0
    print(f"{'kernel':28} {'regions':>7} {'forms':>5} {'auto':>9} {'best':>9} {'lost':>6}  the best")
    for name in chosen.kernels:
        with tempfile.TemporaryDirectory(prefix="forms-") as folder:
            try:
                record = measure(chosen, name, Path(folder))
            except Failure as failure:
                failed += 1
                print(f"{name:28} FAILED: {failure}", flush=True)
                continue
        records.append(record)
        print(
            f"{name:28} {record['regions']:7} {record['forms']:5} {record['auto_s']:9.4f} "
            f"{record['best_s']:9.4f} {record['lost']:6.1%}  {record['best']}",
            flush=True,
        )
    lost = sorted(record["lost"] for record in records)
    n_slow = sum(r["best_s"] * (1 + SLOW) < r["auto_s"] for r in records)
    if lost:
        print(
            f"\n{len(records)} kernels, {failed} failed: lost {sum(lost) / len(lost):.1%} in the mean, "
            f"{lost[len(lost) // 2]:.1%} in the median, {lost[-1]:.1%} at most; {n_slow} lose more than {SLOW:.0%}"
        )
    if chosen.json:
        chosen.json.write_text(json.dumps(records, indent=1) + "\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
