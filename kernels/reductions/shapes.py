#!/usr/bin/env python3
"""Reductions of tensors at the sizes of real networks: sums, maxima and conjunctions of seven kinds, ten shapes each.

Each is written as a plain loop nest with symbolic sizes, and runs as the compiler makes it and as Farkas makes it: on one, two and
four threads, with the order of floating point free, and with `--deterministic`, whose results must be the same bits on all of them.
Results are compared exactly: what is added in any order are integers whose partial sums have no rounding. Fractions are added
under `--deterministic`, where the bits on several threads are compared, and results where a bound for their rounding exists.
Times are beside what the machine reads from memory in the same process.

    python3 kernels/reductions/shapes.py [--farkas target/release/farkas] [--cc gcc] [--scale 1] [--runs 3] [KIND...]

`--scale 100` divides the elements by about a hundred. The exit status is 1 where a result is wrong.
"""

import argparse
import os
import subprocess
import sys
import tempfile

# kind: element, result, value it begins with, the update of `s` by `e`, whether results are exact, how they are printed
KINDS = {
    "sum_f32": ("float", "float", "0.0f", "s += e;", False),
    "sum_f16": ("_Float16", "float", "0.0f", "s += e;", False),
    "sum_i32": ("int", "int", "0", "s += e;", True),
    "max_f32": ("float", "float", "-1e30f", "if (e > s) s = e;", True),
    "max_f16": ("_Float16", "_Float16", "-60000", "if (e > s) s = e;", True),
    "max_i32": ("int", "int", "-2147483647", "if (e > s) s = e;", True),
    "and_bool": ("_Bool", "_Bool", "1", "s &= e;", True),
}

# form: parameters, the array, results, the nest around one update
FORMS = {
    "all": (
        "int m, int n",
        "[m][n]",
        "r[0] = INIT; for (int i = 0; i < m; i++) for (int j = 0; j < n; j++)",
        ("r[0]", "x[i][j]"),
    ),
    "x": (
        "int m, int n",
        "[m][n]",
        "for (int i = 0; i < m; i++) r[i] = INIT; for (int i = 0; i < m; i++) for (int j = 0; j < n; j++)",
        ("r[i]", "x[i][j]"),
    ),
    "y": (
        "int m, int n",
        "[m][n]",
        "for (int j = 0; j < n; j++) r[j] = INIT; for (int i = 0; i < m; i++) for (int j = 0; j < n; j++)",
        ("r[j]", "x[i][j]"),
    ),
    "rpr": (
        "int a, int b, int c",
        "[a][b][c]",
        "for (int j = 0; j < b; j++) r[j] = INIT; "
        "for (int i = 0; i < a; i++) for (int j = 0; j < b; j++) for (int k = 0; k < c; k++)",
        ("r[j]", "x[i][j][k]"),
    ),
    "prp": (
        "int a, int b, int c",
        "[a][b][c]",
        "for (int i = 0; i < a; i++) for (int k = 0; k < c; k++) r[i * c + k] = INIT; "
        "for (int i = 0; i < a; i++) for (int j = 0; j < b; j++) for (int k = 0; k < c; k++)",
        ("r[i * c + k]", "x[i][j][k]"),
    ),
}

# shape: form, extents, which of them remain
SHAPES = {
    "C1": ("all", (1, 1280), 1),
    "C2": ("all", (9, 1024 * 1024), 1),
    "C3": ("all", (36560, 1024), 1),
    "C4": ("x", (8192, 768), 0),
    "C5": ("x", (65536, 3), 0),
    "C6": ("x", (4096, 36560), 0),
    "C7": ("y", (8192, 768), 1),
    "C8": ("y", (1280, 21128), 1),
    "C9": ("rpr", (128, 64, 147 * 147), 1),
    "C10": ("prp", (50000, 40, 64), 0),
}


def function(kind, form, prefix):
    """The text of one reduction in C."""
    element, result, init, update, _ = KINDS[kind]
    parameters, dims, nest, (target, operand) = FORMS[form]
    update = update.replace("s", target) if "if" not in update else f"if ({operand} > {target}) {target} = {operand};"
    update = update.replace("e;", f"{operand};")
    nest = nest.replace("INIT", init)
    return (
        f"void {prefix}{kind}_{form}({parameters}, const {element} x{dims}, {result} *restrict r)\n"
        f"{{\n    {nest}\n        {update}\n}}\n"
    )


def extents(shape, scale):
    """The sizes of a shape, its outermost large extent divided by the scale."""
    form, sizes, _ = SHAPES[shape]
    sizes = list(sizes)
    at = max(range(len(sizes)), key=lambda i: sizes[i])
    sizes[at] = max(1, sizes[at] // scale)
    return form, sizes


def results(form, sizes):
    """How many results a reduction has."""
    return {"all": 1, "x": sizes[0], "y": sizes[-1], "rpr": sizes[1], "prp": sizes[0] * sizes[-1]}[form]


def value(kind, has_fractions):
    """A random element."""
    element = KINDS[kind][0]
    if element == "_Bool":
        return "next() % 4000 != 0"
    if has_fractions and element != "int":
        return f"({element})((float)(next() % 2001 - 1000) / 512)"
    return f"({element})(next() % 17 - 8)"


def driver(kind, deterministic, args):
    """A program that runs each shape as written and as Farkas made it."""
    element, result, _, _, is_exact = KINDS[kind]
    shapes, scale, runs = args.shapes, args.scale, args.runs
    is_rounded = deterministic and not is_exact
    calls = []
    for shape in shapes:
        form, sizes = extents(shape, scale)
        n = 1
        for size in sizes:
            n *= size
        m = results(form, sizes)
        cast = f"(const {element} (*)" + "".join(f"[{size}]" for size in sizes[1:]) + ")x"
        numbers = ", ".join(map(str, sizes))
        per = n // m
        calls.append(f'    shape("{shape}", {m}L, sizeof({element}) * {n}.0 + sizeof({result}) * {m}.0);')
        calls.append(f"    TIME(plain, written_{kind}_{form}({numbers}, {cast}, r));")
        calls.append(f"    TIME(ours, {kind}_{form}({numbers}, {cast}, q));")
        calls.append(f"    compare({m}L, {per}L);")
    most = max(n_of(shape, scale) for shape in shapes)
    most_results = max(results(*extents(shape, scale)) for shape in shapes)
    heads = "".join(head(kind, form) for form in {SHAPES[shape][0] for shape in shapes})
    return f"""#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

{heads}
static {element} *x;
static {result} *r, *q;
static const char *name;
static double plain, ours, bytes;
static unsigned state = 1;

static int next(void) {{ state = state * 1664525u + 1013904223u; return (int)(state >> 8); }}

static double now(void)
{{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}}

#define TIME(what, call) \\
    what = 1e9; \\
    for (int run = 0; run < {runs}; run++) {{ \\
        double start = now(); \\
        call; \\
        double took = now() - start; \\
        what = took < what ? took : what; \\
    }}

static void shape(const char *shape, long m, double moved)
{{
    name = shape;
    bytes = moved;
    memset(r, 0, sizeof *r * m);
    memset(q, 0, sizeof *q * m);
}}

/* What sums of so many fractions below 2 may differ by, where there is a bound: twice what either is wrong by. */
static double bound(long n)
{{
    double rounded = n * 1.1920929e-7;
    return !{int(is_rounded)} ? 0 : rounded < 1 ? 2.0 * n * rounded / (1 - rounded / 2) : INFINITY;
}}

static void compare(long m, long per)
{{
    long wrong = 0;
    unsigned long bits = 0;
    for (long i = 0; i < m; i++) {{
        wrong += !(fabs((double)r[i] - (double)q[i]) <= bound(per));
        unsigned char at[sizeof *q];
        memcpy(at, &q[i], sizeof at);
        for (size_t b = 0; b < sizeof at; b++)
            bits = (bits ^ at[b]) * 1099511628211ul;
    }}
    printf("%s %ld %lx %.9f %.9f %.0f\\n", name, wrong, bits, plain, ours, bytes);
    fflush(stdout);
}}

__attribute__((noinline)) static double read_all(const unsigned *p, long n)
{{
    unsigned total = 0;
#pragma omp parallel for reduction(+ : total)
    for (long block = 0; block < n / 8192; block++) {{
        unsigned s[64] = {{0}};
        for (int i = 0; i < 8192; i += 64)
            for (int l = 0; l < 64; l++)
                s[l] += p[block * 8192 + i + l];
        for (int l = 0; l < 64; l++)
            total += s[l];
    }}
    return total;
}}

int main(void)
{{
    long n = {most}L;
    x = malloc(n * sizeof *x);
    r = malloc({most_results}L * sizeof *r);
    q = malloc({most_results}L * sizeof *q);
    if (!x || !r || !q)
        return 2;
    for (long i = 0; i < n; i++)
        x[i] = {value(kind, deterministic)};
    double read, total = 0;
    TIME(read, total += read_all((const unsigned *)x, (long)(n * sizeof *x / 4)));
    printf("read %d 0 0 %.9f %.0f\\n", total == 1.5, read, (double)(n * sizeof *x / 32768) * 32768);
{chr(10).join(calls)}
    return 0;
}}
"""


def n_of(shape, scale):
    """The elements of a shape."""
    n = 1
    for size in extents(shape, scale)[1]:
        n *= size
    return n


def head(kind, form):
    """The declarations of both functions of a reduction."""
    element, result = KINDS[kind][:2]
    parameters, dims = FORMS[form][:2]
    rest = f"({parameters}, const {element} x{dims}, {result} *restrict r);\n"
    return f"void {kind}_{form}{rest}void written_{kind}_{form}{rest}"


def built(kind, deterministic, args, folder):
    """The program for a kind."""
    forms = dict.fromkeys(SHAPES[shape][0] for shape in args.shapes)
    source, output = os.path.join(folder, "plain.c"), os.path.join(folder, "ours.c")
    texts = {
        source: "".join(function(kind, form, "") + "\n" for form in forms),
        os.path.join(folder, "written.c"): "".join(function(kind, form, "written_") + "\n" for form in forms),
        os.path.join(folder, "main.c"): driver(kind, deterministic, args),
    }
    for path, text in texts.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    mode = "--deterministic" if deterministic else "--reassociate"
    subprocess.run([args.farkas, "opt", "--auto", mode, source, "-o", output], check=True, stderr=subprocess.DEVNULL)
    program = os.path.join(folder, "program")
    flags = ["-O3", "-march=native", "-fopenmp", "-w"] + ([] if deterministic else ["-ffast-math"])
    sources = [os.path.join(folder, name) for name in ("main.c", "written.c", "ours.c")]
    subprocess.run([args.cc, *flags, *sources, "-lm", "-o", program], check=True)
    return program


def run(program, threads):
    """Lines of a run: name, wrong results, bits, seconds as written and as made, bytes."""
    environment = dict(os.environ, OMP_NUM_THREADS=str(threads), OMP_WAIT_POLICY="passive")
    output = subprocess.run([program], env=environment, check=True, capture_output=True, text=True).stdout
    for line in output.splitlines():
        name, wrong, bits, plain, ours, moved = line.split()
        yield name, int(wrong), bits, float(plain), float(ours), float(moved)


def main():
    """Measures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farkas", default="target/release/farkas")
    parser.add_argument("--cc", default="gcc")
    parser.add_argument("--scale", type=int, default=1)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--shapes", type=lambda text: text.split(","), default=list(SHAPES))
    parser.add_argument("kinds", nargs="*", default=list(KINDS), metavar="KIND")
    args = parser.parse_args()
    n_wrong = 0
    for kind in args.kinds:
        for deterministic in (False, True):
            with tempfile.TemporaryDirectory() as folder:
                program, bits_of = built(kind, deterministic, args, folder), {}
                for threads in (1, 2, 4):
                    cells = []
                    for name, wrong, bits, plain, ours, moved in run(program, threads):
                        if name == "read":
                            read = moved / ours / 1e9
                            continue
                        bits_of.setdefault(name, set()).add(bits)
                        n_wrong += wrong > 0
                        mark = " WRONG" if wrong else ""
                        cells.append(f"{name} {plain / ours:.2f}x {moved / ours / 1e9:.1f}{mark}")
                    mode = "deterministic" if deterministic else "free"
                    print(f"{kind} {mode} {threads} threads, reads {read:.1f} GB/s: {'; '.join(cells)}", flush=True)
                several = [name for name, bits in bits_of.items() if len(bits) > 1]
                if several:
                    n_wrong += len(several)
                    print(f"{kind}: other bits on other threads: {several}")
    print(f"{n_wrong} wrong")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
