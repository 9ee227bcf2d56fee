#!/usr/bin/env python3
"""The kernels of `kernels.c` as compilers make them and as Farkas does, beside what the machine reads from memory.

Compilers are given the kernels with a hand's OpenMP pragmas (-DHAND), Farkas those without; both may change the order of
floating point (`-ffast-math`, `--reassociate`). A program is

    gcc           gcc -O3 -ffast-math -march=native -fopenmp -DHAND
    clang         the same with clang
    polly         clang with -mllvm -polly -mllvm -polly-parallel, without the pragmas
    farkas+gcc    farkas opt --auto --reassociate --growth any, then gcc: each kernel stands for a program of its own
    farkas+clang  the same, then clang

All programs run each kernel in turns, and the least time of each counts. A kernel that is behind (`--behind`) runs again, up to four
times as often, before that is said: other work on the machine makes times longer, never shorter.

    kernels/reductions/bench.py --farkas target/release/farkas
    kernels/reductions/bench.py --kernels columns mvt --threads 2 --rounds 5
    kernels/reductions/bench.py --add pluto=kernels.pluto.c   another compiler's C, compiled with gcc

Columns are milliseconds, then `ahead`: the best of all others over the better of Farkas's, above 1 where Farkas is ahead, and
`read`: what memory alone takes, by the bytes that a kernel must move at the speed of `read`, over the better of Farkas's.
The status is 1 where results differ by more than rounding.
"""

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
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
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="runs of each program [3]")
    parser.add_argument("--runs", type=int, default=5, metavar="N", help="calls of a kernel in each run [5]")
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


def run(program, runs, kernel, threads):
    """What a program says of the kernels whose names hold this one: {name: (result, seconds, bytes)}."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_PROC_BIND="true")
    out = subprocess.run([program, str(runs), kernel], env=environment, check=True, text=True, stdout=subprocess.PIPE).stdout
    lines = (line.split() for line in out.splitlines())
    return {name: (float(result), float(seconds), float(moved)) for name, result, seconds, moved in lines}


def bandwidth(found, chosen, threads):
    """Bytes a second that the machine reads with some threads: the most of three runs."""
    _, seconds, moved = zip(*(run(found["gcc"], chosen.runs, "read", threads)["read"] for _ in range(3)))
    return moved[0] / min(seconds)


class Times:
    """What a kernel takes: its least seconds in each program, what results, and the bytes that it must move."""

    def __init__(self):
        self.seconds, self.results, self.moved = {}, {}, 0.0

    def add(self, name, line):
        self.results[name], took, self.moved = line
        self.seconds[name] = min(took, self.seconds.get(name, took))


def measured(found, chosen, threads):
    """The times of all chosen kernels, by name."""
    times = {kernel: Times() for kernel in chosen.kernels}

    def turn(kernel):
        for name, program in found.items():
            for timed, line in run(program, chosen.runs, kernel, threads).items():
                if timed in times:
                    times[timed].add(name, line)

    wanted = [""] if len(chosen.kernels) > len(NAMES) // 2 else chosen.kernels
    for kernel in wanted * chosen.rounds:
        turn(kernel)
    for kernel in chosen.kernels:
        again = 0
        while ahead(times[kernel].seconds) < chosen.behind and again < 3 * chosen.rounds:
            turn(kernel)
            again += 1
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
    with tempfile.TemporaryDirectory(prefix="reductions-") as folder:
        found = programs(chosen, Path(folder))
        for threads in chosen.threads:
            speed = bandwidth(found, chosen, threads)
            print(f"\n{threads} thread{'s' if threads > 1 else ''}, read {speed / 1e9:.1f} GB/s")
            print(f"{'':11}" + "".join(f"{name:>13}" for name in found) + f"{'ahead':>8}{'read':>7}")
            for kernel, timed in measured(found, chosen, threads).items():
                equal = agree(timed.results)
                status |= not equal
                times = "".join(f"{1e3 * took:13.3f}" for took in timed.seconds.values())
                print(
                    f"{kernel:11}{times}{ahead(timed.seconds):8.2f}{timed.moved / speed / ours(timed.seconds):7.2f}"
                    + ("" if equal else "  RESULTS DIFFER"),
                    flush=True,
                )
    sys.exit(status)


if __name__ == "__main__":
    main()
