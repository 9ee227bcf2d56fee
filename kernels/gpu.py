#!/usr/bin/env python3
"""Compare what `farkas show --mapping` says of kernels with what NVIDIA's compiler makes of them.

Each kernel is transformed for CUDA under each strategy, and its text compiled by nvcc, with warnings as errors. For each
function of the device there are then

- the registers of a thread that the model estimates, and that `-Xptxas -v` reports,
- how full a multiprocessor is, in percent, with either, by the rules of the occupancy calculator,
- the bytes that each load and store moves in memory and in shared memory: the elements' by the model, and those of the
  instructions that nvdisasm lists; compilers may join several (`wider`),
- spilled bytes, and bytes of stack frames.

A GPU is not needed. Both programs come from PyPI as well (nvidia-cuda-nvcc, nvidia-cuda-nvdisasm).

    kernels/gpu.py --farkas target/release/farkas --nvcc nvcc --nvdisasm nvdisasm
    kernels/gpu.py --kernels gemm 2mm --strategies pluto --json figures.json

The status is 1 where nvcc warns, something is spilled, or an instruction is narrower than an element.
"""

import argparse
import json
import os
import re
import statistics
import sys
import tempfile
from pathlib import Path

import forms
from forms import HERE, Failure, run

# Bytes of a load or store by the suffix of its instruction; four without one.
WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
# Instructions by the memory that they reach.
PLACES = {"LDG": ("memory", "read"), "STG": ("memory", "write"), "LDS": ("shared", "read"), "STS": ("shared", "write")}


def common_flags(source):
    """What every call of farkas on a file takes."""
    is_marked = "#pragma scop" in source.read_text()
    return [source, "--target", "cuda", "-I", HERE, *([] if is_marked else ["--auto"])]


def predicted(chosen, source, strategy):
    """What the model says of the kernels of a file, by name."""
    command = [chosen.farkas, "show", "--mapping", "--format", "json", *common_flags(source), "--strategy", strategy]
    regions = json.loads(run(command)[0])["regions"]
    return {kernel["name"]: kernel for region in regions for kernel in region["mapping"]["kernels"]}


def reported(log):
    """What `-Xptxas -v` says of each function: registers, shared bytes, stack frame, spilled bytes."""
    found, name, stack, spilled = {}, None, 0, 0
    for line in log.splitlines():
        if match := re.search(r"Function properties for (\S+)", line):
            name = match[1]
        elif match := re.search(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads", line):
            stack, spilled = int(match[1]), int(match[2]) + int(match[3])
        elif (match := re.search(r"Used (\d+) registers", line)) and name:
            shared = re.search(r"(\d+) bytes smem", line)
            found[name] = {
                "registers": int(match[1]),
                "shared": int(shared[1]) if shared else 0,
                "stack": stack,
                "spilled": spilled,
            }
    return found


def widths(listing):
    """How many instructions move so many bytes, by function, memory and kind: `{name: {("memory", "read"): {8: 3}}}`."""
    found, own = {}, None
    for line in listing.splitlines():
        if match := re.match(r"\.text\.(\w+):", line):
            own = found.setdefault(match[1], {})
        match = re.search(r"\s(LDG|STG|LDS|STS)((?:\.\w+)*)\s", line)
        if match and own is not None:
            bytes_ = next((WIDTHS[part] for part in match[2].split(".") if part in WIDTHS), 4)
            of = own.setdefault(PLACES[match[1]], {})
            of[bytes_] = of.get(bytes_, 0) + 1
    return found


def occupancy(gpu, threads, registers, shared):
    """The part of a multiprocessor's warps that run at a time, in percent, by the rules of the occupancy calculator."""
    limits, file, memory, warp = gpu["limits"], gpu["registers"], gpu["shared"], gpu["warp_threads"]
    warps = -(-threads // warp)
    per_warp = -(-max(registers, 1) * warp // file["unit"]) * file["unit"]
    by_registers = file["count"] // per_warp // file["warps_unit"] * file["warps_unit"] // warps
    own = -(-(shared + memory["reserved_bytes"]) // memory["unit_bytes"]) * memory["unit_bytes"]
    most_warps = limits["threads"] // warp
    blocks = min(most_warps // warps, limits["blocks"], by_registers, memory["kib"] * 1024 // own)
    return 100 * blocks * warps // most_warps


def compare(chosen, name, strategy, folder):
    """A record for each function of the device."""
    source = HERE / f"{name}.c"
    text, image = folder / "kernels.cu", folder / "kernels.cubin"
    text.unlink(missing_ok=True)
    model = predicted(chosen, source, strategy)
    if not model:
        return []
    farkas = [chosen.farkas, "opt", *common_flags(source), "--strategy", strategy]
    run([*farkas, "--kernels", text, "-o", folder / "host.c"])
    nvcc = [chosen.nvcc, "-cubin", "-arch", chosen.arch, "-Xptxas", "-v", "--Werror", "all-warnings", text, "-o", image]
    figures = reported("".join(run(nvcc)))
    moved = widths(run([chosen.nvdisasm, "-c", image])[0])
    records = []
    for function, kernel in model.items():
        own = figures[function]
        x, y, z = kernel["threads"]
        expected = {}
        for one in kernel["references"]:
            expected.setdefault((one["place"], one["kind"]), set()).add(one["bytes"])
        records.append({
            "kernel": name,
            "strategy": strategy,
            "function": function,
            **own,
            "estimate": kernel["registers_per_thread"],
            "percent": occupancy(chosen.gpu, x * y * z, own["registers"], own["shared"]),
            "estimated_percent": kernel["occupancy"]["percent"],
            "widths": {" ".join(of): counts for of, counts in moved.get(function, {}).items()},
            "verdict": verdict(expected, moved.get(function, {})),
        })
    return records


def verdict(expected, moved):
    """Whether instructions move elements (`equal`), several at once (`wider`), or parts of one (`narrower`)."""
    found = "equal"
    for of, counts in moved.items():
        sizes = expected.get(of, set())
        if any(all(bytes_ < size for size in sizes) for bytes_ in counts) and sizes:
            return "narrower"
        if any(bytes_ not in sizes for bytes_ in counts):
            found = "wider"
    return found


def show(record):
    print(
        f"{record['kernel']:24} {record['strategy']:13} {record['function'].removeprefix('farkas_kernel_'):28} "
        f"{record['estimate']:5} {record['registers']:5} {record['estimated_percent']:5} {record['percent']:5} "
        f"{record['spilled']:5} {record['stack']:5}  {record['verdict']}",
        flush=True,
    )


def summarise(records, failures):
    print(f"\n{len(records)} kernels, {len(failures)} files failed")
    for failure in failures:
        print(f"  {failure}")
    if not records:
        return
    off = [record["estimate"] / record["registers"] for record in records]
    low, middle, high = statistics.quantiles(off, n=4)
    print(f"registers, estimate / used: quartiles {low:.2f} {middle:.2f} {high:.2f}, {min(off):.2f} to {max(off):.2f}")
    apart = [abs(record["estimated_percent"] - record["percent"]) for record in records]
    equal = sum(n == 0 for n in apart)
    print(f"occupancy: the same in {equal}, apart by {statistics.mean(apart):.1f} points on average, {max(apart)} at most")
    for word in ("equal", "wider", "narrower"):
        print(f"widths {word}: {sum(record['verdict'] == word for record in records)}")
    print(f"spilled: {sum(r['spilled'] > 0 for r in records)}, with a stack frame: {sum(r['stack'] > 0 for r in records)}")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--farkas", default="farkas", metavar="PATH", help="the binary [farkas, from PATH]")
    parser.add_argument("--nvcc", default="nvcc", metavar="PATH", help="[nvcc, from PATH]")
    parser.add_argument("--nvdisasm", default="nvdisasm", metavar="PATH", help="[nvdisasm, from PATH]")
    parser.add_argument("--arch", default="sm_90", help="architecture to compile for [sm_90]")
    parser.add_argument("--machine", default="h100", metavar="NAME", help="the GPU's file in machines/gpus [h100]")
    parser.add_argument("--kernels", nargs="+", metavar="NAME", help="these alone [all]")
    parser.add_argument("--strategies", nargs="+", default=["locality-gpu", "pluto"], metavar="NAME", help="[both]")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all records there")
    chosen = parser.parse_args()
    known = [*forms.known_kernels(), "reductions/kernels"]
    chosen.kernels = chosen.kernels or known
    for name in chosen.kernels:
        if name not in known:
            parser.error(f"no kernel is called {name}")
    chosen.gpu = json.loads((HERE.parent / "machines" / "gpus" / f"{chosen.machine}.json").read_text())["gpu"]
    return chosen


def main():
    chosen = arguments()
    records, failures = [], []
    print(f"{'kernel':24} {'strategy':13} {'function':28} {'model':>5} {'nvcc':>5} {'full':>5} {'nvcc':>5} spill stack  widths")
    with tempfile.TemporaryDirectory(prefix="gpu-") as folder:
        for name in chosen.kernels:
            for strategy in chosen.strategies:
                try:
                    own = compare(chosen, name, strategy, Path(folder))
                    records += own
                    for record in own:
                        show(record)
                except Failure as failure:
                    failures.append(f"{name}, {strategy}: {failure}")
    summarise(records, failures)
    if chosen.json:
        chosen.json.write_text(json.dumps(records, indent=1) + os.linesep)
    is_bad = any(record["spilled"] or record["verdict"] == "narrower" for record in records)
    sys.exit(1 if is_bad else 0)


if __name__ == "__main__":
    main()
