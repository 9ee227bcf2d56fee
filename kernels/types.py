#!/usr/bin/env python3
"""Measure what register tiles gain for a matrix product of each arithmetic type.

A program is made for each type of operands and sums and each shape of the product; Farkas transforms it as
`opt --auto` does, for one thread, and with `--strategy auto` it may choose any form. Original and result are
compiled by each compiler with -O3 -march=native -fopenmp-simd and run in turns; the least time of each counts. Both must print
the same. A type that a compiler does not have is left out.

The ratio is original / result: above 1 the result is faster. `tiles` says whether the form has register tiles, and where it has
none, what Farkas says of that.

    kernels/types.py --farkas target/release/farkas
    kernels/types.py --types int double --shapes rows --cc gcc --sizes 100 400
"""

import argparse
import json
import re
import sys
import tempfile
from pathlib import Path

from forms import Failure, run

# The types of operands and of sums.
TYPES = {
    "double": ("double", "double"),
    "float": ("float", "float"),
    "half": ("_Float16", "_Float16"),
    "half-float": ("_Float16", "float"),
    "bf16": ("__bf16", "__bf16"),
    "bf16-float": ("__bf16", "float"),
    "int8": ("signed char", "int"),
    "int16": ("short", "int"),
    "int": ("int", "int"),
    "unsigned": ("unsigned", "unsigned"),
    "long": ("long", "long"),
    "float-double": ("float", "double"),
}
# The second operand's and the sums' subscripts, and their extents: `n` but for what is said.
SHAPES = {
    "rows": {"b": "b[k][j]", "what": "both matrices by rows"},
    "columns": {"b": "b[j][k]", "what": "sums of two rows: both operands lie along the sum"},
    "apart": {"b": "b[k][j]", "c": "c[i][2 * j]", "what": "results two elements apart"},
    "narrow": {"b": "b[k][j]", "columns": 12, "what": "twelve columns"},
    "short": {"b": "b[k][j]", "rows": 6, "what": "six rows"},
}

PROGRAM = """\
#include "common.h"
typedef {operand} operand;
typedef {total} total;
enum {{ N = {n}, ROWS = {rows}, COLUMNS = {columns} }};
static operand a[ROWS][N], b[N > COLUMNS ? N : COLUMNS][N > COLUMNS ? N : COLUMNS];
static total c[ROWS][2 * COLUMNS];

__attribute__((noinline)) void product(void)
{{
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++)
            for (int k = 0; k < N; k++)
                {c} += a[i][k] * {b};
}}

int main(void)
{{
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k < N; k++)
            a[i][k] = (operand)((i * 7 + k * 3) % 5 - 2);
    for (int i = 0; i < (N > COLUMNS ? N : COLUMNS); i++)
        for (int k = 0; k < (N > COLUMNS ? N : COLUMNS); k++)
            b[i][k] = (operand)((i * 5 + k * 11) % 7 - 3);
    double start = now();
    for (int t = 0; t < {rounds}; t++) {{
        __asm__ volatile("" ::: "memory");
        product();
    }}
    double seconds = now() - start;
    double sum = 0;
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 2 * COLUMNS; j++)
            sum += (double)c[i][j] * ((i * 3 + j) % 17 + 1);
    report(seconds, sum);
    return 0;
}}
"""

# Multiplications that a program does about, so that each takes some hundredths of a second.
WORK = 4e8
FLAGS = ["-O3", "-march=native", "-fopenmp-simd", "-w", "-I", Path(__file__).resolve().parent]
# What looks slower than this is measured again, so often.
SLOW, AGAIN = 0.97, 3


def program(type_name, shape, n):
    """The text of a program, and how often it computes the product."""
    operand, total = TYPES[type_name]
    said = SHAPES[shape]
    rows, columns = said.get("rows", n), said.get("columns", n)
    rounds = max(1, int(WORK / (rows * columns * n)))
    c = said.get("c", "c[i][j]")
    text = PROGRAM.format(operand=operand, total=total, n=n, rows=rows, columns=columns, rounds=rounds, b=said["b"], c=c)
    return text, rounds


def told(report):
    """Whether the chosen form has register tiles, or why not."""
    part = re.search(r"^product.*?(?=^main|\Z)", report, re.MULTILINE | re.DOTALL)
    lines = re.findall(r"^  register: (.*)$", part.group(0) if part else "", re.MULTILINE)
    tiles = [line for line in lines if line.startswith("register tiles")]
    reasons = [line for line in lines if line.startswith("no register tiles")]
    return "yes" if tiles else (reasons or ["no"])[0]


def measured(programs, runs):
    """The least time of each program and what it prints."""
    least, outputs = {}, {}
    for _ in range(AGAIN):
        for _ in range(runs):
            for name, path in programs.items():
                out, messages = run([path], 1, 60)
                seconds = float(re.search(r"^time_s (\S+)$", messages, re.MULTILINE).group(1))
                least[name] = min(least.get(name, seconds), max(seconds, 1e-9))
                outputs[name] = out
        if least["original"] >= SLOW * least["result"]:
            break
    return least, outputs["original"] == outputs["result"]


def measure(chosen, type_name, shape, n, folder):
    """A record for each compiler."""
    source, result = folder / "product.c", folder / "product.out.c"
    text, rounds = program(type_name, shape, n)
    source.write_text(text)
    command = [chosen.farkas, "opt", "--auto", "--serial", "--report", "--color", "never"]
    report = run([*command, "-I", FLAGS[-1], "-o", result, source])[1]
    for cc in chosen.cc:
        try:
            run([cc, *FLAGS, "-fsyntax-only", source])
        except Failure:
            continue
        programs = {}
        for name, text in (("original", source), ("result", result)):
            programs[name] = folder / f"{name}-{cc}"
            run([cc, *FLAGS, text, "-o", programs[name], "-lm"])
        least, is_equal = measured(programs, chosen.runs)
        yield {
            "type": type_name, "shape": shape, "n": n, "cc": cc, "tiles": told(report), "equal": is_equal,
            "ratio": least["original"] / least["result"], **{f"{name}_s": time / rounds for name, time in least.items()},
        }


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farkas", default="farkas", metavar="PATH", help="the binary [farkas, from PATH]")
    parser.add_argument("--types", nargs="+", choices=TYPES, default=list(TYPES), metavar="TYPE", help="[all]")
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=list(SHAPES), metavar="SHAPE", help="[all]")
    parser.add_argument("--sizes", nargs="+", type=int, default=[50, 200, 700], metavar="N", help="[50 200 700]")
    parser.add_argument("--cc", nargs="+", default=["gcc", "clang"], help="[gcc clang]")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="runs of each program [3]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all records there")
    return parser.parse_args()


def main():
    chosen = arguments()
    records, failed = [], 0
    print(f"{'type':13} {'shape':8} {'n':>5} {'cc':6} {'original':>10} {'result':>10} {'ratio':>6}  tiles")
    for type_name in chosen.types:
        for shape in chosen.shapes:
            for n in chosen.sizes:
                with tempfile.TemporaryDirectory(prefix="types-") as folder:
                    try:
                        found = list(measure(chosen, type_name, shape, n, Path(folder)))
                    except Failure as failure:
                        failed += 1
                        print(f"{type_name:13} {shape:8} {n:5} FAILED: {failure}", flush=True)
                        continue
                for record in found:
                    mark = "" if record["equal"] else "  OTHER RESULT"
                    print(
                        f"{type_name:13} {shape:8} {n:5} {record['cc']:6} {record['original_s']:10.7f} "
                        f"{record['result_s']:10.7f} {record['ratio']:6.2f}  {record['tiles']}{mark}",
                        flush=True,
                    )
                records += found
    differ = sum(not record["equal"] for record in records)
    slower = sum(record["ratio"] < SLOW for record in records)
    print(f"\n{len(records)} measured, {failed} failed, {differ} with other results, {slower} below {SLOW}")
    if chosen.json:
        chosen.json.write_text(json.dumps(records, indent=1) + "\n")
    sys.exit(1 if failed or differ else 0)


if __name__ == "__main__":
    main()
