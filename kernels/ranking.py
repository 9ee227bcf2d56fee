#!/usr/bin/env python3
"""Compare the traffic that the cost model expects on machines that are not at hand with what cachegrind counts.

For each machine and kernel, each form that strategy `auto` compares for one thread is written
(`--machine M --serial --rank K`), compiled, and run under

    valgrind --tool=cachegrind --D1=L1 --LL=L2

with the machine's two inner caches. Measured are the lines that come into L1 and L2, each times the
cycles that the machine file gives it; expected are the model's terms L1 and L2 at the same sizes. No time
is measured, so that other work on the machine changes nothing.

A row is a kernel: Spearman's rank correlation of the two over its forms, and the worst inversion, the
most by which a form has more traffic than one that the model puts behind it.

    kernels/ranking.py --farkas target/release/farkas
    kernels/ranking.py --machines amd-zen4 --kernels gemm mvt

Needs valgrind and an x86 machine with AVX2.
"""

import argparse
import json
import os
import re
import statistics
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from forms import Failure, code, ranked, run

HERE = Path(__file__).resolve().parent
MACHINES = HERE.parent / "machines"

# The parameters and sizes of each kernel: some MB of data, some seconds under cachegrind.
SIZES = {
    "2mm": "ni=180 nj=190 nk=200 nl=210",
    "adi": "tsteps=3 n=250",
    "atax": "m=900 n=1000",
    "bicg": "m=900 n=1000",
    "covariance": "m=220 n=250",
    "doitgen": "nr=50 nq=55 np=60",
    "fdtd-2d": "tsteps=5 nx=400 ny=450",
    "floyd-warshall": "n=220",
    "gemm": "ni=230 nj=240 nk=250",
    "gemver": "n=900",
    "gesummv": "n=900",
    "heat-3d": "tsteps=4 n=70",
    "jacobi-2d": "tsteps=8 n=450",
    "lu": "n=250",
    "mvt": "n=1000",
    "seidel-2d": "tsteps=4 n=400",
    "symm": "m=220 n=240",
    "syr2k": "m=180 n=220",
    "syrk": "m=220 n=260",
    "trmm": "m=230 n=250",
    "linear-matmul": "m=220 n=230 k=240",
    "tensor-contraction": "nv=24 no=22",
    "thomas": "m=500 n=500",
}


def transform(chosen, machine, name, result, more):
    """Run Farkas for one thread of a machine at the kernel's sizes: what it reports."""
    context = SIZES[name].replace(" ", " and ")
    command = [chosen.farkas, "opt", "--strategy", "auto", "--serial", "--report", "--color", "never"]
    command += ["--machine", machine, "--context", context, "-I", HERE, *more]
    return run([*command, "-o", result, HERE / f"{name}.c"])[1]


def expected(report):
    """The forms of a report by rank: (name, cycles of L1 and L2)."""
    forms = []
    for name, terms in ranked(report):
        cycles = {key: float(value) for key, value in re.findall(r"(\w+) ([\d.]+)", terms)}
        forms.append((name, cycles.get("L1", 0.0) + cycles.get("L2", 0.0)))
    return forms


def caches_of(machine):
    """L1 and L2 of a machine file, as cachegrind takes them, and the cycles of a line of each."""
    caches = json.loads((MACHINES / f"{machine}.json").read_text())["machine"]["caches"][:2]
    geometry = [f"{c['size_kib'] << 10},{c['ways']},{c['line_bytes']}" for c in caches]
    return geometry, [c["fill_cycles"] for c in caches]


def traffic(program, sizes, machine):
    """Millions of cycles that lines take into L1 and L2."""
    (d1, ll), cycles = caches_of(machine)
    flags = ["--tool=cachegrind", "--cache-sim=yes", f"--D1={d1}", f"--LL={ll}", "--cachegrind-out-file=/dev/null"]
    _, messages = run(["valgrind", *flags, program, *sizes])
    misses = [re.search(rf"{which} +misses: +([\d,]+)", messages).group(1) for which in ("D1", "LLd")]
    return sum(int(n.replace(",", "")) * c for n, c in zip(misses, cycles)) / 1e6


def measure(chosen, machine, name):
    """All forms of a kernel on a machine: [(name, expected, measured)]."""
    with tempfile.TemporaryDirectory(prefix="ranking-") as folder:
        folder = Path(folder)
        forms = expected(transform(chosen, machine, name, folder / "auto.c", []))
        sizes = re.findall(r"=(\d+)", SIZES[name])
        found, seen = [], set()
        for rank, (form, cycles) in enumerate(forms, 1):
            result = folder / f"{rank}.c"
            transform(chosen, machine, name, result, ["--rank", rank])
            if code(result.read_text()) in seen:
                continue
            seen.add(code(result.read_text()))
            flags = ["-O3", "-mavx2", "-mfma", "-fopenmp-simd", "-w", "-I", HERE]
            run([chosen.cc, *flags, result, "-o", result.with_suffix(""), "-lm"])
            found.append((form, cycles, traffic(result.with_suffix(""), sizes, machine)))
        return found


def ranks(values):
    """The place of each value, the mean place where several are equal."""
    ordered = sorted(values)
    return [statistics.mean(i for i, other in enumerate(ordered) if other == value) for value in values]


def correlation(forms):
    """Spearman's; none where all are alike."""
    one, other = (ranks([form[at] for form in forms]) for at in (1, 2))
    if len(set(one)) < 2 or len(set(other)) < 2:
        return None
    return statistics.correlation(one, other)


def inversion(forms):
    """The worst pair: (how many times more traffic, of which form, than which)."""
    pairs = [(a[2] / b[2], a[0], b[0]) for a in forms for b in forms if a[1] < b[1]]
    return max(pairs, default=(1.0, "", ""))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farkas", default="farkas", metavar="PATH", help="the binary [farkas, from PATH]")
    parser.add_argument(
        "--machines",
        nargs="+",
        default=["amd-zen3", "intel-skylake-sp", "intel-sapphire-rapids"],
        metavar="NAME",
        help="shipped ones [amd-zen3 intel-skylake-sp intel-sapphire-rapids]",
    )
    parser.add_argument("--kernels", nargs="+", choices=sorted(SIZES), default=sorted(SIZES), metavar="NAME", help="[all]")
    parser.add_argument("--cc", default="gcc", help="the compiler [gcc]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all forms there")
    return parser.parse_args()


def main():
    chosen = arguments()
    everything = {}
    for machine in chosen.machines:
        print(f"{machine}\n  {'kernel':20} {'forms':>5} {'correlation':>11}  worst inversion")
        correlations, worst = [], (1.0, "", "", "")

        def attempt(name):
            try:
                return name, measure(chosen, machine, name), None
            except Failure as failure:
                return name, [], failure

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for name, forms, failure in pool.map(attempt, chosen.kernels):
                if failure:
                    print(f"  {name:20} FAILED: {failure}", flush=True)
                    continue
                everything[f"{machine} {name}"] = forms
                rho, (times, more, less) = correlation(forms), inversion(forms)
                if rho is not None:
                    correlations.append(rho)
                worst = max(worst, (times, name, more, less))
                shown = "" if rho is None else f"{rho:.2f}"
                told = f"{times:.2f} times: {more} / {less}" if times > 1 else ""
                print(f"  {name:20} {len(forms):5} {shown:>11}  {told}", flush=True)
        if correlations:
            times, name, more, less = worst
            print(
                f"  correlation: {statistics.mean(correlations):.2f} in the mean, {statistics.median(correlations):.2f} "
                f"in the median, {min(correlations):.2f} at least; worst inversion {times:.2f} times ({name})"
            )
    if chosen.json:
        chosen.json.write_text(json.dumps(everything, indent=1) + "\n")


if __name__ == "__main__":
    main()
