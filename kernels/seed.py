#!/usr/bin/env python3
"""Make the database of recipes that is shipped (recipes/seed.jsonl, which `--db seed` reads).

The recipes that strategy `auto` finds for the kernels of this folder and of `everyday/` are run in turns with the originals on this
machine (`farkas db add --measure`), on one thread and on all cores. Those of the kernels of `--predict` are found for other machines, too, on
which they never ran. Regions that only fill arrays or print are left out, and so are those that cannot be kept without the rest of their file: both are
told.

    kernels/seed.py --farkas target/release/farkas
    kernels/seed.py --farkas target/release/farkas --kernels gemm mvt everyday/sobel -o few.jsonl

Entries whose code was slower than the original, or failed, stay: they say what not to do again.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Machines for which recipes are predicted, and the compiler of those entries.
MACHINES = ("amd-zen4", "intel-sapphire-rapids")
COMPILER = "gcc 14.2.0"
PREDICTED = "2mm atax covariance doitgen gemm gesummv jacobi-2d mvt syrk trmm".split()
# Compilers contract products and sums in one program and not in the other: the outputs may differ by that.
MEASURE = ["--measure", "--tolerance", "1e-6", "--baseline", "gcc -O3 -march=native -w"]
# Functions whose loops are not what a kernel is about.
ASIDE = re.compile(r"^(main|init\w*|fill\w*|setup\w*|checksum\w*|report)(\.|:|$)")
# Seconds that a command may take.
LIMIT = 600


def run(command):
    """Run a command: (status, stdout, stderr)."""
    try:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return 124, "", f"{command[0]} takes longer than {LIMIT} s"
    return done.returncode, done.stdout, done.stderr


def regions(farkas, source):
    """How a file is read, and the functions whose regions count; none where all of the file's do."""
    if "#pragma scop" in source.read_text():
        return [], [None]
    flags = ["--auto"]
    _, _, messages = run([farkas, "opt", *flags, "--report", "--color", "never", "-I", HERE, "-o", "/dev/null", source])
    found = dict.fromkeys(re.findall(r"region `([^`]*)` found: ", messages))
    names = dict.fromkeys(name.split(".")[0].split(":")[0] for name in found if not ASIDE.match(name))
    return flags, list(names)


def add(chosen, database, source, more):
    """Add the recipes of a file; tells what is refused."""
    flags, functions = regions(chosen.farkas, source)
    for function in functions:
        which = [] if function is None else ["--region", function]
        status, printed, messages = run(
            [chosen.farkas, "db", "add", source, *flags, *which, "-I", HERE, "--db", database, "--color", "never", *more]
        )
        name = " ".join([str(source.relative_to(HERE)), *which[1:]])
        print(f"{name}: {printed.strip() or f'status {status}'}", flush=True)
        for line in messages.splitlines():
            if line.startswith(("error", "warning")):
                print(f"  {line}", flush=True)


def kernels():
    """The names of all kernels."""
    files = [*sorted(HERE.glob("*.c")), *sorted((HERE / "everyday").glob("*.c"))]
    return [str(file.relative_to(HERE).with_suffix("")) for file in files]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farkas", default=HERE.parent / "target/release/farkas", help="the program")
    parser.add_argument("--kernels", nargs="+", default=kernels(), help="names of files without `.c`")
    parser.add_argument("--predict", nargs="*", default=PREDICTED, help="kernels with recipes for other machines")
    parser.add_argument("--runs", type=int, default=5, help="rounds of each measurement")
    parser.add_argument("--db", type=Path, help="the database that is filled on the way, which is kept then [a temporary one]")
    parser.add_argument("-o", "--output", type=Path, default=HERE.parent / "recipes/seed.jsonl")
    chosen = parser.parse_args()
    chosen.farkas = Path(chosen.farkas).resolve()
    with tempfile.TemporaryDirectory() as folder:
        database = chosen.db or Path(folder) / "seed.db"
        for name in chosen.kernels:
            source = HERE / f"{name}.c"
            add(chosen, database, source, [*MEASURE, "--runs", chosen.runs])
            for machine in MACHINES if name in chosen.predict else ():
                add(chosen, database, source, ["--machine", machine, "--compiler", COMPILER])
        status, _, messages = run([chosen.farkas, "db", "export", "--db", database, "-o", chosen.output])
        sys.exit(messages if status else 0)


if __name__ == "__main__":
    main()
