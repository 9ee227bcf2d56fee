#!/usr/bin/env python3
"""Compare two ways of running Farkas on all kernels: other options, or another binary.

Each kernel is transformed under strategy `auto` both ways, checked as `forms.py` does it, and compiled. Where the code differs,
both programs run in turns, and the least time of each counts; the ratio is that of the second to the first. Ratios
that are further than 3 % from one are measured again, as often as four times more.

    kernels/compare.py --second=--normalize
    kernels/compare.py --farkas old/farkas --other target/release/farkas --kernels mvt everyday/kmeans --threads 1
"""

import argparse
import math
import sys
import tempfile
from pathlib import Path

from forms import HERE, ROUNDS, Failure, build, code, known_kernels, output, seconds, sizes_of

# Ratios so near to one are not measured again.
EQUAL = 0.03


def ratio(programs, sizes, chosen):
    """The least time of the first program, and how many times longer the second takes."""
    times = [float("inf")] * 2
    for _ in range(ROUNDS):
        for _ in range(chosen.runs):
            times = [min(time, seconds(program, sizes, chosen.threads)) for time, program in zip(times, programs)]
        if abs(times[1] / times[0] - 1) <= EQUAL:
            break
    return times[0], times[1] / times[0]


def measure(chosen, name, folder):
    """The time of the first program and the ratio; none where both are one code."""
    source = HERE / f"{name}.c"
    small, sizes = sizes_of(source)[:2]
    expected = output(chosen, source, small, folder)
    programs, texts = [], []
    for label, farkas, options in (
        ("first", chosen.farkas, chosen.first),
        ("second", chosen.other or chosen.farkas, chosen.second),
    ):
        way = argparse.Namespace(**{**vars(chosen), "farkas": farkas})
        program, text, _ = build(way, source, label, options.split(), folder)
        programs.append(program)
        texts.append(code(text))
        if output(chosen, program.with_suffix(".c"), small, folder) != expected:
            raise Failure(f"the {label} prints something else")
    return None if texts[0] == texts[1] else ratio(programs, sizes, chosen)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farkas", default="farkas", metavar="PATH", help="the binary [farkas, from PATH]")
    parser.add_argument("--other", metavar="PATH", help="the second binary [the same]")
    parser.add_argument("--first", default="", metavar="OPTIONS", help="of the first [none]")
    parser.add_argument("--second", default="", metavar="OPTIONS", help="of the second [none]")
    parser.add_argument("--kernels", nargs="+", metavar="NAME", help="these alone [all]")
    parser.add_argument("--cc", default="gcc", help="the compiler [gcc]")
    parser.add_argument("--threads", type=int, default=2, metavar="N", help="[2]")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="runs of each program [3]")
    chosen = parser.parse_args()
    for name in chosen.kernels or []:
        if name not in known_kernels():
            parser.error(f"no kernel is called {name}")
    chosen.kernels = chosen.kernels or known_kernels()
    return chosen


def main():
    chosen = arguments()
    ratios, failed, same = {}, 0, 0
    for name in chosen.kernels:
        with tempfile.TemporaryDirectory(prefix="compare-") as folder:
            try:
                measured = measure(chosen, name, Path(folder))
            except Failure as failure:
                failed += 1
                print(f"{name:28} FAILED: {failure}", flush=True)
                continue
        if measured is None:
            same += 1
            continue
        time, ratios[name] = measured
        print(f"{name:28} {time:9.4f} s  {ratios[name]:5.2f}", flush=True)
    print(f"\n{same} kernels of one code, {len(ratios)} of two, {failed} failed")
    if ratios:
        mean = math.exp(sum(map(math.log, ratios.values())) / len(ratios))
        worst = max(ratios, key=ratios.get)
        print(f"second to first, where code differs: {mean:.3f} in the geometric mean, {ratios[worst]:.2f} at worst ({worst})")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
