#!/usr/bin/env python3
"""Measure how much the way in which a loop nest is written decides how fast it becomes.

Of each of the first thirty kernels, some variants are made: the same computation under a random legal
recipe of interchanges, reversals, fissions, fusions and shifts, printed as plain C. With `--polybench`,
variants of another collection join in: programs DIR/K/K_a.c and DIR/K/K_b.c that print their time last.
For each variant it is asked whether it has the normal form of the original (`farkas show --normal-form`), and, at
its smallest sizes, whether it prints the same, bit by bit. Then all variants are compiled by each compiler as they are,
and by gcc as Farkas makes them; programs run in turns, and the least time of each counts. With `--add`, what another
tool made of each variant joins in, C that gcc compiles: DIR/K_LABEL.c for variant LABEL of kernel K, where it is there.

The table has, for each compiler, the time of the first variant and how many times longer each other one takes.

    kernels/variants.py --farkas target/release/farkas
    kernels/variants.py --kernels gemm mvt --variants 4 --threads 2 --compilers gcc clang polly
    kernels/variants.py --polybench polybench-ab --kernels gemm --json ab.json
    kernels/variants.py --polybench polybench-ab --add pluto=texts/polybench

The status is 1 where a variant prints something else or does not compile.
"""

import argparse
import json
import math
import os
import random
import re
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from forms import Failure, code, run, sizes_of

HERE = Path(__file__).resolve().parent
# The first thirty kernels of README.md.
KERNELS = (
    "2mm 3mm adi atax bicg cholesky correlation covariance deriche doitgen durbin fdtd-2d floyd-warshall gemm gemver "
    "gesummv gramschmidt heat-3d jacobi-1d jacobi-2d lu ludcmp mvt nussinov seidel-2d symm syr2k syrk trisolv trmm"
).split()
GRANTS = "no-overlap separate-rows no-wrap positive-extents in-row index-fits memory".split()
ASSUME = [word for grant in GRANTS for word in ("--assume", grant)]
FLAGS = ["-O3", "-march=native", "-fopenmp", "-w", "-DWARM_UP_S=0.02"]
# What compilers are given beside these; Polly is clang's.
COMPILERS = {
    "gcc": [],
    "clang": [],
    "polly": ["-mllvm", "-polly"],
    "polly-parallel": ["-mllvm", "-polly", "-mllvm", "-polly-parallel"],
}
# Random recipes that are tried for a variant: many change nothing.
TRIES = 40
# Seconds that a run may take.
TIME_LIMIT = 60


class NoVariant(Failure):
    """There is none."""


class Ours:
    """A kernel of this folder and its variants."""

    def __init__(self, chosen, name, folder):
        self.chosen, self.name, self.folder = chosen, name, folder
        self.include, self.link = ["-I", HERE], ["-lm"]
        source = HERE / f"{name}.c"
        self.small = sizes_of(source)[0]
        self.sources = {"a": source}
        self.region = self.shown("--scop", source)["regions"][0]
        for at in range(chosen.variants):
            label = chr(ord("c") + at)
            self.sources[label] = self.variant(random.Random(f"{name} {chosen.seed} {label}"), label)

    def shown(self, what, source):
        return json.loads(
            run([self.chosen.farkas, "show", what, "--format", "json", *ASSUME, *self.scope(source), *self.include, source])[0]
        )

    def scope(self, source):
        """Where the region of a source is: marked in ours, found in what Farkas printed of it."""
        return [] if source.parent == HERE else ["--auto", "--region", self.region["function"]]

    def transform(self, source, result):
        scope = ["--strategy", "auto"] if source.parent == HERE else self.scope(source)
        run([self.chosen.farkas, "opt", *scope, *self.chosen.options, *self.include, "-o", result, source])

    def variant(self, choose, label):
        """The kernel under a random legal recipe that changes it."""
        statements = [(s["name"], len(s["iterators"])) for s in self.region["scop"]["statements"]]
        statements = [(name, depth) for name, depth in statements if depth > 0]
        plain = self.printed([], label)
        for _ in range(TRIES):
            steps = [random_step(choose, statements) for _ in range(choose.randint(2, 5))]
            try:
                result = self.printed(steps, label)
            except Failure:
                continue
            if code(result) != code(plain):
                path = self.folder / f"{self.name}-{label}.c"
                path.write_text(result)
                return path
        raise NoVariant(f"none of {TRIES} random recipes is legal and changes it")

    def printed(self, steps, label):
        """The text of the kernel under these steps, those that are legal, as plain C."""
        recipe, result = self.folder / "recipe.json", self.folder / f"{label}.c"
        steps = [{"step": "schedule", "strategy": "original"}, *steps]
        recipe.write_text(json.dumps({"recipe": {"name": "a variant", "steps": steps}}))
        source = HERE / f"{self.name}.c"
        run([self.chosen.farkas, "opt", "--recipe", recipe, "--serial", *ASSUME, *self.include, "-o", result, source])
        return "".join(line for line in result.read_text().splitlines(True) if "#pragma" not in line)

    def normal_forms(self):
        """The hash of each variant's normal form."""
        return {label: self.hash_of(source) for label, source in self.sources.items()}

    def hash_of(self, source):
        regions = self.shown("--normal-form", source)["regions"]
        return [region["normal-form"]["hash"] for region in regions if region["function"] == self.region["function"]]

    def checked(self):
        """Raises Failure where a variant prints something else at small sizes."""
        printed = {}
        for label, source in self.sources.items():
            program = self.folder / f"{label}-checked"
            run(["gcc", "-O1", "-ffp-contract=off", "-w", *self.include, source, "-o", program, *self.link])
            printed[label] = run([program, *self.small])[0]
        for tool in self.chosen.add:
            for label, source in self.added(tool).items():
                program = self.folder / f"{label}-{tool}-checked"
                run(["gcc", "-O1", "-ffp-contract=off", "-fopenmp", "-w", *self.include, source, "-o", program, *self.link])
                printed[f"{label} of {tool}"] = run([program, *self.small], 2)[0]
        for label, text in printed.items():
            if text != printed["a"]:
                raise Failure(f"variant {label} prints something else")

    def added(self, tool):
        """What another tool made of the variants, those that it took."""
        texts = {label: self.chosen.add[tool] / f"{self.name}_{label}.c" for label in self.sources}
        return {label: text for label, text in texts.items() if text.exists()}

    def seconds(self, program, threads):
        _, messages = run([program], threads, TIME_LIMIT)
        return float(re.search(r"^time_s (\S+)$", messages, re.MULTILINE).group(1))


class Polybench(Ours):
    """Two ways of writing a kernel, of a collection elsewhere."""

    def __init__(self, chosen, name, folder):
        self.chosen, self.name, self.folder = chosen, name, folder
        home = chosen.polybench / name
        size = [f"-D{chosen.size}_DATASET", "-DPOLYBENCH_TIME", "-DPOLYBENCH_USE_C99_PROTO"]
        self.include = ["-I", chosen.polybench, "-I", home, *size]
        self.link = [chosen.polybench / "polybench.c", "-lm"]
        self.sources = {label: home / f"{name}_{label}.c" for label in "ab"}
        self.region = {"function": f"kernel_{name.replace('-', '_')}"}

    def scope(self, source):
        return []

    def transform(self, source, result):
        run([self.chosen.farkas, "opt", "--strategy", "auto", *self.chosen.options, *self.include, "-o", result, source])

    def checked(self):
        """These print nothing but times here: the collection has scripts of its own."""

    def seconds(self, program, threads):
        return float(run([program], threads, TIME_LIMIT)[0].split()[-1])


def random_step(choose, statements):
    """A step on random loops, left out where it is not legal."""
    name, depth = choose.choice(statements)
    loop = f"{name}.{choose.randint(1, depth)}"
    what = choose.choice(["interchange", "reverse", "distribute", "fuse", "shift"])
    if what == "interchange" and depth > 1:
        levels = choose.sample(range(1, depth + 1), choose.randint(2, depth))
        step = {"step": what, "loops": [f"{name}.{level}" for level in levels]}
    elif what == "fuse":
        step = {"step": what, "loops": [f"{name}.1", f"{choose.choice(statements)[0]}.1"]}
    elif what == "shift":
        step = {"step": what, "loop": loop, "by": str(choose.choice([-2, -1, 1, 2, 3]))}
    else:
        step = {"step": "reverse" if what == "interchange" else what, "loop": loop}
    return {**step, "optional": True}


def builds(kernel, chosen):
    """The programs of a kernel: of each compiler and variant."""
    programs = {}
    for label, source in kernel.sources.items():
        result = kernel.folder / f"{label}-farkas.c"
        kernel.transform(source, result)
        texts = {"farkas": result, **dict.fromkeys(chosen.compilers, source)}
        texts |= {tool: added[label] for tool in chosen.add if label in (added := kernel.added(tool))}
        for compiler, text in texts.items():
            command = chosen.clang if compiler in COMPILERS and compiler != "gcc" else "gcc"
            program = kernel.folder / f"{label}-{compiler}"
            words = [command, *FLAGS, *COMPILERS.get(compiler, []), *chosen.cflags]
            run([*words, *kernel.include, text, "-o", program, *kernel.link])
            programs[compiler, label] = program
    return programs


def least_times(kernel, programs, threads, runs):
    """The least time of each program; endless where it takes too long."""
    times = dict.fromkeys(programs, math.inf)
    for _ in range(runs):
        for key, program in programs.items():
            with suppress(Failure):
                times[key] = min(times[key], max(kernel.seconds(program, threads), 1e-6))
    return times


def measure(chosen, name, folder):
    """The record of a kernel."""
    kernel = (Polybench if chosen.polybench else Ours)(chosen, name, folder)
    kernel.checked()
    hashes = kernel.normal_forms()
    programs = builds(kernel, chosen)
    record = {"kernel": name, "one form": all(each == hashes["a"] for each in hashes.values()), "times": []}
    for threads in chosen.threads:
        times = least_times(kernel, programs, threads, chosen.runs)
        for (compiler, label), seconds in times.items():
            record["times"].append({"threads": threads, "compiler": compiler, "variant": label, "seconds": seconds})
    return record


def ratios(record, threads, compiler):
    """How many times longer than the first each other variant takes, and the first one's time: nothing where there is none."""
    times = {
        each["variant"]: each["seconds"]
        for each in record["times"]
        if (each["threads"], each["compiler"]) == (threads, compiler)
    }
    first = times.pop("a", math.inf)
    return first, {label: seconds / first for label, seconds in times.items() if math.isfinite(first)}


def show(record, chosen):
    form = "one form" if record["one form"] else "FORMS DIFFER"
    for threads in chosen.threads:
        cells = []
        for compiler in ("farkas", *chosen.compilers, *chosen.add):
            first, others = ratios(record, threads, compiler)
            cells.append(f"{compiler} {first:.4f} s " + " ".join(f"{label} {times:.2f}" for label, times in others.items()))
        print(f"{record['kernel']:15} {threads} thr  {form:12}  " + "   ".join(cells), flush=True)


def summary(records, chosen):
    for threads in chosen.threads:
        for compiler in ("farkas", *chosen.compilers, *chosen.add):
            all_ratios = [
                ratio for record in records for ratio in ratios(record, threads, compiler)[1].values() if math.isfinite(ratio)
            ]
            if all_ratios:
                mean = math.exp(sum(map(math.log, all_ratios)) / len(all_ratios))
                print(f"{threads} threads, {compiler}: {mean:.3f} in the geometric mean, {max(all_ratios):.2f} at worst")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farkas", default="farkas", metavar="PATH", help="the binary [farkas, from PATH]")
    parser.add_argument("--kernels", nargs="+", metavar="NAME", help="these alone [all]")
    parser.add_argument("--variants", type=int, default=2, metavar="N", help="random variants of each kernel [2]")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="of the random recipes [1]")
    parser.add_argument("--polybench", type=Path, metavar="DIR", help="take variants a and b from there")
    parser.add_argument("--size", default="LARGE", help="of those [LARGE]")
    parser.add_argument("--compilers", nargs="*", default=["gcc"], choices=sorted(COMPILERS), help="beside Farkas [gcc]")
    parser.add_argument("--add", action="append", default=[], metavar="NAME=DIR", help="what another tool made of variants")
    parser.add_argument("--clang", default="clang", metavar="COMMAND", help="[clang]")
    parser.add_argument("--cflags", default="", metavar="FLAGS", help="more of them, for all, as --cflags=-ffast-math")
    parser.add_argument("--options", default="--normalize", metavar="OPTIONS", help="of farkas opt [--normalize]")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2], metavar="N", help="[1 2]")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="runs of each program [3]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all records there")
    chosen = parser.parse_args()
    found = (
        sorted(path.parent.name for path in chosen.polybench.glob("*/*_b.c")) if chosen.polybench else KERNELS
    )
    for name in chosen.kernels or []:
        if name not in found:
            parser.error(f"no kernel is called {name}")
    chosen.kernels = chosen.kernels or found
    chosen.add = {name: Path(folder) for name, _, folder in (word.partition("=") for word in chosen.add)}
    for name in chosen.add:
        if name in COMPILERS or name == "farkas" or not chosen.add[name].is_dir():
            parser.error(f"--add {name}=DIR: a name of its own and a folder")
    chosen.options, chosen.cflags = chosen.options.split(), chosen.cflags.split()
    return chosen


def main():
    # As `farkas bench` has it.
    os.environ.setdefault("OMP_PROC_BIND", "true")
    chosen = arguments()
    records, failed = [], 0
    for name in chosen.kernels:
        with tempfile.TemporaryDirectory(prefix="variants-") as folder:
            try:
                record = measure(chosen, name, Path(folder))
            except NoVariant as none:
                print(f"{name:15} has no variant: {none}", flush=True)
                continue
            except Failure as failure:
                failed += 1
                print(f"{name:15} FAILED: {failure}", flush=True)
                continue
        records.append(record)
        show(record, chosen)
    print(f"\n{len(records)} kernels, {failed} failed, {sum(each['one form'] for each in records)} with one form for all variants")
    summary(records, chosen)
    if chosen.json:
        chosen.json.write_text(json.dumps(records, indent=1) + "\n")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
