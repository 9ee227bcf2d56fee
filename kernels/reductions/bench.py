#!/usr/bin/env python3
"""The kernels of `kernels.c` as compilers make them and as Farkas does, beside what the machine reads from memory.

Compilers are given the kernels with a hand's OpenMP pragmas (-DHAND), Farkas those without; both may change the order of
floating point (`-ffast-math`, `--reassociate`). A program is

    gcc           gcc -O3 -ffast-math -march=native -fopenmp -DHAND
    clang         the same with clang
    polly         clang with -mllvm -polly -mllvm -polly-parallel, without the pragmas
    farkas+gcc    farkas opt --auto --reassociate --growth any, then gcc: each kernel stands for a program of its own
    farkas+clang  the same, then clang

All programs work on the same memory and run each kernel in turns; the least time of each counts. A kernel that is behind (`--behind`)
runs again, up to four times as often, before that is said: other work on the machine makes times longer, never shorter.

    kernels/reductions/bench.py --farkas target/release/farkas
    kernels/reductions/bench.py --kernels columns mvt --threads 2 --rounds 5
    kernels/reductions/bench.py --add pluto=kernels.pluto.c   another compiler's C, compiled with gcc

Columns are milliseconds, then `ahead`: the best of all others over the better of Farkas's, above 1 where Farkas is ahead;
`read`: what memory alone takes, by the bytes that a kernel must move at the speed of `read`, over the better of Farkas's; and `roof`:
the longer of that and what the arithmetic alone takes, over the better of Farkas's. Arithmetic takes as long as the fastest of
all programs does for as many bytes where caches hold them, on one thread, over the number of threads.
The status is 1 where results differ by more than rounding.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
MEMORY = "/dev/shm" if os.path.isdir("/dev/shm") else None  # where the arrays lie, which no disk should hold
CALLS_IN_CACHES = 100  # of which the fastest counts
PAUSE = 0.005  # seconds until the threads of the last program sleep
FLAGS = ["-w", "-O3", "-ffast-math", "-march=native", "-fopenmp"]
POLLY = ["-mllvm", "-polly", "-mllvm", "-polly-parallel", "-mllvm", "-polly-omp-backend=LLVM"]
NAMES = (
    "sum dot norm2 norm1 greatest extent mismatches cosine variance frobenius rows rows_of_3 columns channels middle softmax "
    "layernorm atax bicg gesummv mvt covariance argmax histogram kmeans"
).split()


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farkas", default="farkas", metavar="PATH", help="the binary [farkas, from PATH]")
    parser.add_argument("--gcc", default="gcc", metavar="CC", help="[gcc]")
    parser.add_argument("--clang", default="clang", metavar="CC", help="[clang]")
    parser.add_argument("--without-polly", action="store_true", help="where clang has no Polly")
    parser.add_argument("--add", action="append", default=[], metavar="NAME=FILE", help="another compiler's C")
    parser.add_argument("--option", action="append", default=[], metavar="OPTION", help="one more for `farkas opt`")
    parser.add_argument("--kernels", nargs="+", choices=NAMES, default=NAMES, metavar="NAME", help="these alone [all]")
    parser.add_argument("--threads", nargs="+", type=int, default=[1, 2], metavar="N", help="[1 2]")
    parser.add_argument("--rounds", type=int, default=5, metavar="N", help="turns of each program [5]")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="calls of a kernel in each turn [3]")
    parser.add_argument("--behind", type=float, default=1.0, metavar="X", help="run again what is `ahead` by less [1.0]")
    return parser.parse_args()


def build(cc, source, flags, program):
    subprocess.run([cc, *FLAGS, *flags, "-I", HERE, source, HERE / "main.c", "-o", program, "-lm"], check=True)
    return program


def programs(chosen, folder):
    """All programs by name."""
    source, result = HERE / "kernels.c", folder / "farkas.c"
    subprocess.run(
        [chosen.farkas, "opt", "--auto", "--reassociate", "--growth", "any", *chosen.option, "-I", HERE, "-o", result, source],
        check=True,
        stderr=subprocess.DEVNULL,
    )
    found = {
        "gcc": build(chosen.gcc, source, ["-DHAND"], folder / "gcc"),
        "clang": build(chosen.clang, source, ["-DHAND"], folder / "clang"),
    }
    if not chosen.without_polly:
        found["polly"] = build(chosen.clang, source, POLLY, folder / "polly")
    for named in chosen.add:
        name, _, file = named.partition("=")
        found[name] = build(chosen.gcc, file, [], folder / name)
    found["farkas+gcc"] = build(chosen.gcc, result, [], folder / "farkas-gcc")
    found["farkas+clang"] = build(chosen.clang, result, [], folder / "farkas-clang")
    return found


class Running:
    """A program that waits for kernels to run. Its threads sleep while others have their turn."""

    def __init__(self, program, data, threads):
        quiet = {"OMP_NUM_THREADS": str(threads), "OMP_PROC_BIND": "true", "KMP_BLOCKTIME": "1"}
        pipe = subprocess.PIPE
        self.process = subprocess.Popen([program, data], env=dict(os.environ, **quiet), text=True, stdin=pipe, stdout=pipe)
        self.run("read", 1)  # once it answers, the arrays are there for the next one

    def run(self, kernel, runs, where="memory"):
        """The result of a kernel, seconds of the fastest of its runs, and the bytes that it must move."""
        self.process.stdin.write(f"{runs} {kernel} {where}\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().split()
        time.sleep(PAUSE)
        if len(answer) != 4:
            sys.exit(f"{self.process.args[0]}: no answer to `{kernel}`")
        return tuple(map(float, answer[1:]))

    def end(self):
        self.process.stdin.close()
        self.process.wait()


def started(found, data, threads):
    """All programs, waiting, by name."""
    return {name: Running(program, data, threads) for name, program in found.items()}


def ended(running):
    for program in running.values():
        program.end()


class Times:
    """What a kernel takes: its least seconds in each program, what results, and the bytes that it must move."""

    def __init__(self):
        self.seconds, self.results, self.moved = {}, {}, 0.0

    def add(self, name, line):
        self.results[name], took, self.moved = line
        self.seconds[name] = min(took, self.seconds.get(name, took))


def arithmetic(running, chosen):
    """Seconds that kernels take for a byte where caches hold what they work on, in the fastest of programs on one thread."""
    seconds = {}
    for kernel in chosen.kernels * chosen.rounds:
        for program in running.values():
            _, took, moved = program.run(kernel, CALLS_IN_CACHES, "caches")
            seconds[kernel] = min(took / moved, seconds.get(kernel, took))
    return seconds


def measured(running, chosen):
    """The times of all chosen kernels and of `read`, by name."""
    times = {kernel: Times() for kernel in ["read", *chosen.kernels]}
    turns = 0

    def turn(kernel):
        nonlocal turns
        names = list(running)
        first = turns % len(names)
        turns += 1
        for name in names[first:] + names[:first]:
            times[kernel].add(name, running[name].run(kernel, chosen.runs))

    for kernel in list(times) * chosen.rounds:
        turn(kernel)
    for kernel in chosen.kernels * (3 * chosen.rounds):
        if ahead(times[kernel].seconds) < chosen.behind:
            turn(kernel)
    return times


def ours(seconds):
    return min(took for name, took in seconds.items() if name.startswith("farkas+"))


def ahead(seconds):
    return min(took for name, took in seconds.items() if not name.startswith("farkas+")) / ours(seconds)


def agree(results):
    """Whether results differ by rounding alone: of floats, some thousands of which are added up."""
    expected = results["gcc"]
    return all(abs(result - expected) <= 1e-3 * max(abs(expected), 1.0) for result in results.values())


def main():
    chosen = arguments()
    status = 0
    with tempfile.TemporaryDirectory(prefix="reductions-", dir=MEMORY) as folder:
        found = programs(chosen, Path(folder))
        data = Path(folder) / "data"
        running = started(found, data, 1)
        alone = arithmetic(running, chosen)
        ended(running)
        for threads in chosen.threads:
            running = started(found, data, threads)
            times = measured(running, chosen)
            ended(running)
            read = times.pop("read")
            speed = read.moved / min(read.seconds.values())
            print(f"\n{threads} thread{'s' if threads > 1 else ''}, read {speed / 1e9:.1f} GB/s")
            print(f"{'':11}" + "".join(f"{name:>13}" for name in found) + f"{'ahead':>8}{'read':>7}{'roof':>7}")
            for kernel, timed in times.items():
                equal = agree(timed.results)
                status |= not equal
                from_memory = timed.moved / speed
                roof = max(from_memory, alone[kernel] * timed.moved / threads)
                row = "".join(f"{1e3 * timed.seconds[name]:13.3f}" for name in found)
                parts = "".join(f"{least / ours(timed.seconds):7.2f}" for least in (from_memory, roof))
                print(f"{kernel:11}{row}{ahead(timed.seconds):8.2f}{parts}" + ("" if equal else "  RESULTS DIFFER"))
    sys.exit(status)


if __name__ == "__main__":
    main()
