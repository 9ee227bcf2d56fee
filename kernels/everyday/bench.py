#!/usr/bin/env python3
"""Measure what `farkas opt --auto` does to everyday programs.

Each kernel is transformed once. For each compiler, the original is compiled with

    CC -O3 -march=native -fopenmp

and so is the result; for each size and number of threads both run in turns, until neither least time
falls any more, and the least time of each counts: other work on the machine makes times longer, never
shorter. The ratio is original / result: above 1 the result is faster. Where it is below 0.97, both run
again, as often as seven times more, before it counts, from builds that put loops at other addresses: the
same loop may take a third longer at another address.

Checksums are compared between builds of their own, with -O3 -ffp-contract=off and without
-march=native (with it, gcc 12 contracts some pairs of lanes whatever it is told). A refused kernel
is listed with the reason and leaves the mean alone. A compiler that has no OpenMP library is given
-fopenmp-simd in its place, and measured with one thread. Threads that wait spin: where other
programs take the cores, times with several threads mean nothing.

Before the clock starts, all threads do, and are busy for 20 ms (`WARM_UP_S` in `common.h`): a process starts
them once, and the system leaves them on one core for some milliseconds, as long as a small kernel runs.

A kernel whose clock times the text that it was is marked `same`, and its ratio says how much the place of
code in memory and other programs change on this machine; it does not count as slower.

The memory ratio is result / original of the peak resident set. The system counts this script's
own memory, some 15 MB, as the least of what it starts.

    kernels/everyday/bench.py --farkas target/release/farkas
    kernels/everyday/bench.py --kernels sobel maxpool --cc gcc --threads 2 --sizes small --runs 3

The status is 1 where a checksum differs, or a result does not compile or does not end well.
"""

import argparse
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SIZES = ("small", "default", "large")
SLOW = 0.97
# A least time that falls by less than this part of it stands.
STILL = 0.01
# Turns, at most: so many times those in which least times must stand.
MOST = 8
# A pair that looks slower is measured from builds with each of these flags, and so many bytes before all code.
LAYOUTS = (
    ([], 0),
    (["-falign-loops=32"], 0),
    (["-falign-functions=64", "-falign-loops=64"], 0),
    (["-falign-functions=128"], 0),
    (["-falign-functions=32", "-falign-loops=16"], 0),
    (["-falign-functions=16"], 16),
    (["-falign-functions=16"], 32),
    (["-falign-functions=16"], 48),
)


class Failure(Exception):
    """What went wrong with one kernel, in a line."""


def run(command, threads=None, limit=600):
    """Run a command: (status, stdout, stderr, peak resident set in KiB)."""
    environment = dict(os.environ)
    if threads is not None:
        environment["OMP_NUM_THREADS"] = str(threads)
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(
            [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=out, stderr=err, env=environment
        )
        # wait4 alone tells one child's memory from that of all before it; an alarm is its time limit.
        signal.signal(signal.SIGALRM, lambda *_: process.kill())
        signal.alarm(limit)
        _, status, usage = os.wait4(process.pid, 0)
        signal.alarm(0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return process.returncode, out.read(), err.read(), usage.ru_maxrss


def sizes_of(source):
    """The three lists of arguments in a kernel's head: `// sizes: small | default | large`."""
    line = re.search(r"^// sizes: (.*)$", source.read_text(), re.MULTILINE).group(1)
    return dict(zip(SIZES, (part.split() for part in line.split("|"))))


def transform(farkas, source, result, limit):
    """Run Farkas: the regions it found as [[name, line], ...]. Raises Failure where it refuses."""
    status, _, messages, _ = run(
        [farkas, "opt", "--auto", "--report", "--color", "never", "-I", HERE.parent, "-o", result, source],
        limit=limit,
    )
    found = re.findall(r"region `([^`]*)` found: .*\n\s*--> .*?:(\d+):\d+$", messages, re.MULTILINE)
    regions = [[name, int(line)] for name, line in found]
    if status != 0:
        error = re.search(r"^error.*(?:\n\s*--> .*)?", messages, re.MULTILINE)
        reason = error.group(0) if error else (messages.strip() or f"status {status}").splitlines()[-1]
        reason = re.sub(r"\s*\n\s*--> .*?:(\d+):\d+$", r", line \1", reason)
        failure = Failure(reason.replace(str(source), source.name))
        failure.regions = regions
        raise failure
    return regions


def timed_text(file):
    """All functions but main, and of main what stands between the two looks at the clock."""
    text = file.read_text()
    main = text.index("int main(")
    start, end = text.index("double start = now();", main), text.index("now() - start", main)
    return text[:main] + text[start:end]


def compile_with(cc, flags, source, program, pad=0):
    before = program.with_suffix(".pad.s")
    before.write_text(f'.text\n.skip {pad}\n.section .note.GNU-stack,"",@progbits\n')
    status, _, messages, _ = run([cc, *flags, "-I", HERE.parent, before, source, "-o", program, "-lm"])
    if status != 0:
        lines = re.findall(r"error: (.*)$", messages, re.MULTILINE) or [f"status {status}"]
        raise Failure(f"{cc} cannot compile {source.name}: {lines[0]}")


def openmp_flag(cc, folder):
    """-fopenmp, or what is left of it where the compiler comes without the library."""
    trial = folder / "trial.c"
    trial.write_text("int main(void)\n{\n    return 0;\n}\n")
    for flag in ("-fopenmp", "-fopenmp-simd"):
        try:
            compile_with(cc, [flag], trial, folder / "trial")
            return flag
        except Failure:
            pass
    sys.exit(f"{cc} cannot compile an empty program")


class Pair:
    """The original and the result of a kernel under one compiler."""

    def __init__(self, cc, openmp, source, result, folder):
        self.cc, self.openmp, self.folder = cc, openmp, folder
        self.sources = {"original": source, "result": result}
        self.built = {}

    def programs(self, purpose, flags, pad=0):
        """The program of each by name, compiled with some flags behind some bytes, once for a purpose."""
        if purpose not in self.built:
            self.built[purpose] = {}
            for name, file in self.sources.items():
                program = self.folder / f"{file.stem}-{self.cc.replace('/', '_')}-{purpose}-{name}"
                compile_with(self.cc, ["-O3", self.openmp, *flags], file, program, pad)
                self.built[purpose][name] = program
        return self.built[purpose]

    def measured(self, layout):
        flags, pad = LAYOUTS[layout]
        return self.programs(f"measured{layout}", ["-march=native", "-DWARM_UP_S=0.02", *flags], pad)

    def compared(self):
        return self.programs("compared", ["-ffp-contract=off"])


def execute(program, arguments, threads):
    """Run a kernel: (seconds, checksum line, peak memory)."""
    status, out, messages, memory = run([program, *arguments], threads)
    seconds = re.search(r"^time_s (\S+)$", messages, re.MULTILINE)
    if status != 0 or seconds is None:
        raise Failure(f"{program.name} {' '.join(arguments)} ends with status {status}")
    return float(seconds.group(1)), out.strip(), memory


def take_turns(programs, arguments, threads, runs, times, memory):
    """Runs all programs in turns until none had a shorter time for some turns; adds to times and memory."""
    since, turns = 0, 0
    while since < runs and turns < MOST * runs:
        since, turns = since + 1, turns + 1
        for name, program in programs.items():
            seconds, _, peak = execute(program, arguments, threads)
            if seconds < (1 - STILL) * min(times[name], default=math.inf):
                since = 0
            times[name].append(seconds)
            memory[name] = max(memory[name], peak)


def measure(pair, arguments, threads, runs):
    """Both programs in turns: a record of times, ratio, memory and whether the checksums agree."""
    times = {"original": [], "result": []}
    memory = {"original": 0, "result": 0}
    ratio = 0.0
    for layout in range(len(LAYOUTS)):
        take_turns(pair.measured(layout), arguments, threads, runs, times, memory)
        ratio = max(min(times["original"]), 1e-6) / max(min(times["result"]), 1e-6)
        if ratio >= SLOW:
            break
    sums = [execute(program, arguments, threads)[1] for program in pair.compared().values()]
    return {
        "original_s": min(times["original"]),
        "result_s": min(times["result"]),
        "ratio": ratio,
        "runs": len(times["result"]),
        "memory_kib": memory,
        "memory_ratio": memory["result"] / memory["original"],
        "equal": sums[0] == sums[1],
        "checksums": sums,
    }


def describe(regions):
    """`3+1`: three regions in the program's functions, one in main, which is mostly not timed."""
    in_main = sum(name == "main" or name.startswith("main:") for name, _ in regions)
    return f"{len(regions) - in_main}+{in_main}"


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farkas", default="farkas", metavar="PATH", help="the binary [farkas, from PATH]")
    parser.add_argument("--kernels", nargs="+", metavar="NAME", help="these alone [all]")
    parser.add_argument("--cc", nargs="+", default=["gcc", "clang"], help="compilers [gcc clang]")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2], metavar="N", help="[1 2]")
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=["default"], help="[default]")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="turns without a shorter time [5]")
    parser.add_argument("--limit", type=int, default=120, metavar="SECONDS", help="time for one transformation [120]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all records there")
    chosen = parser.parse_args()
    known = sorted(path.stem for path in HERE.glob("*.c"))
    chosen.kernels = chosen.kernels or known
    for name in chosen.kernels:
        if name not in known:
            parser.error(f"no kernel is called {name}")
    if chosen.runs < 1 or min(chosen.threads) < 1:
        parser.error("--runs and --threads take positive numbers")
    return chosen


def bench(chosen, folder):
    """All records; those that were refused or failed have a `reason` and no `ratio`."""
    records = []
    openmp = {cc: openmp_flag(cc, folder) for cc in chosen.cc}
    for cc, flag in openmp.items():
        if flag != "-fopenmp":
            print(f"{cc} has no OpenMP library: one thread, {flag}")
    print(f"{'kernel':20} {'size':8} {'cc':6} thr {'original':>9} {'result':>9} {'ratio':>7} {'memory':>7} regions")
    for name in chosen.kernels:
        source, result = HERE / f"{name}.c", folder / f"{name}.out.c"
        regions = []
        try:
            regions = transform(chosen.farkas, source, result, chosen.limit)
        except Failure as failure:
            print(f"{name:20} refused: {failure}", flush=True)
            records.append({"kernel": name, "regions": failure.regions, "refused": True, "reason": str(failure)})
            continue
        for cc in chosen.cc:
            try:
                pair = Pair(cc, openmp[cc], source, result, folder)
                is_same = timed_text(source) == timed_text(result)
                counts = chosen.threads if openmp[cc] == "-fopenmp" else [1]
                for size in chosen.sizes:
                    for threads in counts:
                        record = {"kernel": name, "regions": regions, "cc": cc, "size": size, "threads": threads}
                        record["same"] = is_same
                        record |= measure(pair, sizes_of(source)[size], threads, chosen.runs)
                        records.append(record)
                        show(record)
            except Failure as failure:
                print(f"{name:20} FAILED: {failure}", flush=True)
                records.append({"kernel": name, "regions": regions, "cc": cc, "refused": False, "reason": str(failure)})
    return records


def is_slower(record):
    return record["ratio"] < SLOW and not record["same"]


def show(record):
    marks = "" if record["equal"] else "  CHECKSUMS DIFFER"
    if record["same"]:
        marks += "  same"
    elif is_slower(record):
        marks += "  slower"
    print(
        f"{record['kernel']:20} {record['size']:8} {record['cc']:6} {record['threads']:3} {record['original_s']:9.4f} "
        f"{record['result_s']:9.4f} {record['ratio']:7.2f} {record['memory_ratio']:7.2f} "
        f"{describe(record['regions']):>7}{marks}",
        flush=True,
    )


def summarise(records):
    measured = [record for record in records if "ratio" in record]
    groups = sorted({(record["size"], record["cc"], record["threads"]) for record in measured})
    print()
    for group in groups:
        own = [r for r in measured if (r["size"], r["cc"], r["threads"]) == group]
        ratios = [r["ratio"] for r in own]
        slow, same = sum(map(is_slower, own)), sum(r["same"] for r in own)
        size, cc, threads = group
        print(
            f"{size}, {cc}, {threads} thread{'s' if threads > 1 else ''}: geometric mean "
            f"{geometric_mean(ratios):.3f} of {len(ratios)} kernels, {slow} below {SLOW}, {same} of the same text"
        )
    if len(groups) > 1:
        print(f"all: geometric mean {geometric_mean([r['ratio'] for r in measured]):.3f}")
    refused = sum(record.get("refused", False) for record in records)
    failed = sum("reason" in record and not record["refused"] for record in records)
    differ = sum(not record["equal"] for record in measured)
    print(f"{refused} refused, {failed} failed, {differ} with other checksums")
    return failed == 0 and differ == 0


def main():
    chosen = arguments()
    with tempfile.TemporaryDirectory(prefix="everyday-") as folder:
        records = bench(chosen, Path(folder))
    if chosen.json:
        chosen.json.write_text(json.dumps(records, indent=1) + "\n")
    sys.exit(0 if summarise(records) else 1)


if __name__ == "__main__":
    main()
