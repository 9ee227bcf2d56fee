#!/usr/bin/env python3
"""Counts what the fused operators bring from memory, with cachegrind, beside the least that they must: each input once.

usage: traffic.py [FARKAS]      the program, target/release/farkas if it is left out

For each operator whose data does not fit a cache of 2 MiB: the floor in bytes, and what the program as it is written and what Farkas
makes of it bring, as multiples of the floor. Ends with status 1 where Farkas's is above 1.05, or a result differs.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
CACHE = "2097152,16,64"
FLOORS = {2: 108217616, 4: 216355840, 7: 75890688, 8: 100669440, 9: 50337792, 10: 12585984, 11: 12585984}


def build(source, target):
    flags = "-O3 -march=x86-64-v3 -ffast-math -fopenmp -w".split()
    subprocess.run(["gcc", *flags, f"-I{HERE}", source, HERE / "main.c", "-o", target], check=True)


def run(program, *words, front=()):
    shell = 'ulimit -s unlimited; exec "$0" "$@"'
    words = ["bash", "-c", shell, *front, program, *map(str, words)]
    return subprocess.run(words, check=True, capture_output=True, text=True, env={"OMP_NUM_THREADS": "1", "PATH": "/usr/bin:/bin"})


def traffic(program, number):
    front = ["valgrind", "--tool=cachegrind", "--cache-sim=yes", f"--LL={CACHE}", "--main-stacksize=1000000000",
             "--cachegrind-out-file=/dev/null"]
    found = re.search(r"LLd misses: *([0-9,]+)", run(program, number, front=front).stderr)
    return 64 * int(found.group(1).replace(",", ""))


def main():
    farkas = sys.argv[1] if len(sys.argv) > 1 else HERE.parents[1] / "target/release/farkas"
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder) / "made.c"
        subprocess.run([farkas, "opt", "--auto", "--reassociate", HERE / "operators.c", "-o", made], check=True)
        original, result = Path(folder) / "original", Path(folder) / "result"
        build(HERE / "operators.c", original)
        build(made, result)
        for number in range(1, 13):
            same = run(original, number, 1, 3).stdout == run(result, number, 1, 3).stdout
            line = "same result" if same else "ANOTHER RESULT"
            failed |= not same
            if number in FLOORS:
                floor = FLOORS[number]
                parts = [traffic(program, number) / floor for program in (original, result)]
                failed |= parts[1] > 1.05
                line += f", floor {floor / 1e6:.2f} MB, as written {parts[0]:.3f}, farkas {parts[1]:.3f}"
            print(f"{number:2}: {line}", flush=True)
    sys.exit(failed)


main()
