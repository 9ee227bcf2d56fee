//! `farkas opt --host none`: what a host has to do is all there, for one that knows nothing else. The one here runs threads one after another.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use serde_json::Value;
use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use support::{Run, farkas_in};

/// Steps over time on the host, elements behind the beginning, a temporary of the region, sizes of two types, and a region that stays on the host.
const PROGRAM: &str = "
void f(int n, long steps, double scale, double a[n][n], double x[n], double y[n])
{
#pragma scop
    for (long t = 0; t < steps; t++) {
        for (int i = 1; i < n - 1; i++)
            y[i] = scale * (x[i - 1] + x[i + 1]);
        for (int i = 1; i < n - 1; i++)
            x[i] = y[i];
    }
#pragma endscop
#pragma scop
    for (int k = 0; k < n; k++)
        if (n > 5) {
            for (int i = k + 1; i < n; i++)
                a[i][k] = a[i][k] / a[k][k];
            for (int i = k + 1; i < n; i++)
                for (int j = k + 1; j < n; j++)
                    a[i][j] -= a[i][k] * a[k][j];
        }
#pragma endscop
#pragma scop
    for (int i = 0; i < n; i++)
        if (n < 0)
            a[i][i] = 0.0;
#pragma endscop
}
";

/// Runs `opt` on the program in a folder.
fn opt(folder: &Path, more: &[&str]) -> Run {
    fs::write(folder.join("f.c"), PROGRAM).expect("a file");
    let args = ["opt", "f.c", "--target", "opencl", "-o", "plan.json"];
    farkas_in(folder, &[&args, more].concat())
}

/// What stands for OpenCL: a kernel is a function of C, and one thread runs at a time.
const OPENCL: &str = "
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static long at_block[3], at_thread[3], n_blocks[3];
#define __kernel static
#define __global
#define get_group_id(d) at_block[d]
#define get_local_id(d) at_thread[d]
#define get_num_groups(d) n_blocks[d]
#define apart(a, n, b, m) ((char *)(a) + (n) <= (char *)(b) || (char *)(b) + (m) <= (char *)(a))
";

/// Compares both functions.
const MAIN: &str = "
int main(void)
{
    enum { N = 37 };
    static double a[2][N][N], x[2][N], y[2][N];
    for (int which = 0; which < 2; which++) {
        for (int i = 0; i < N; i++) {
            x[which][i] = i % 7;
            for (int j = 0; j < N; j++)
                a[which][i][j] = i == j ? N : (i * 5 + j) % 11;
        }
        (which ? g : f)(N, 5, 0.5, a[which], x[which], y[which]);
    }
    return memcmp(a[0], a[1], sizeof a[0]) || memcmp(x[0], x[1], sizeof x[0]) || memcmp(y[0], y[1], sizeof y[0]);
}
";

#[test]
fn a_plan_is_all_that_a_host_needs() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = opt(folder.path(), &["--host", "none", "--kernels", "k.cl"]).expect(0);
    assert!(run.err.contains("stays on the host"), "{}", run.err);
    let text = fs::read_to_string(folder.path().join("plan.json")).expect("a plan");
    insta::assert_snapshot!(text);
    let plan: Value = serde_json::from_str(&text).expect("JSON");
    let kernels = fs::read_to_string(folder.path().join("k.cl")).expect("kernels");
    assert!(!kernels.contains("barrier"), "one thread at a time is enough: {kernels}");
    let head =
        "void g(int n, long steps, double scale, double a[n][n], double x[n], double y[n])\n{\n";
    let program = format!("{PROGRAM}{OPENCL}{kernels}{head}{}}}\n{MAIN}", host(&plan));
    fs::write(folder.path().join("p.c"), &program).expect("a file");
    let mut cc = Command::new("cc");
    cc.args(["-O1", "-ffp-contract=off", "-w", "p.c", "-o", "p", "-lm"]).current_dir(folder.path());
    assert!(cc.status().expect("a compiler").success(), "{program}");
    let run = Command::new(folder.path().join("p")).status().expect("it runs");
    assert!(run.success(), "{run}: {program}");
}

#[test]
fn plans_without_kernels_are_misuse() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let run = opt(folder.path(), &["--host", "none"]).expect(2);
    assert!(run.err.contains("--host none goes with --kernels"), "{}", run.err);
    assert!(!folder.path().join("plan.json").exists());
}

/// A field that is text.
fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    value[name].as_str().unwrap_or_else(|| panic!("no `{name}` in {value}"))
}

/// The elements of a field that is a list.
fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().unwrap_or_else(|| panic!("no `{name}` in {value}"))
}

/// A host in C that does what a plan says.
fn host(plan: &Value) -> String {
    let mut code = String::new();
    for region in list(plan, "regions").iter().filter(|region| region["on_host"].is_null()) {
        code.push_str("{\n");
        for line in list(region, "definitions").iter().chain(list(region, "variables")) {
            let _ = writeln!(code, "{}", line.as_str().expect("text"));
        }
        for condition in list(region, "conditions") {
            let _ = writeln!(code, "if (!({})) abort();", condition.as_str().expect("text"));
        }
        for ranges in list(region, "apart").iter().map(|ranges| ranges.as_array().expect("two")) {
            let [a, n] = ["host", "bytes"].map(|name| text(&ranges[0], name));
            let [b, m] = ["host", "bytes"].map(|name| text(&ranges[1], name));
            let _ = writeln!(code, "if (!apart({a}, {n}, {b}, {m})) abort();");
        }
        let part = |memory: &Value| {
            let touched = &memory["touched"];
            let [at, host, bytes] =
                ["at", "host", "bytes"].map(|name| text(touched, name).to_owned());
            (format!("{} + ({at})", text(memory, "name")), host, bytes)
        };
        for memory in list(region, "memory") {
            let (name, (on_device, here, bytes)) = (text(memory, "name"), part(memory));
            let _ = writeln!(code, "char *{name} = malloc({} + 1);", text(memory, "bytes"));
            if memory["copied_in"] == true {
                let _ = writeln!(code, "memcpy({on_device}, {here}, {bytes});");
            }
        }
        steps(&mut code, list(region, "steps"), list(region, "kernels"));
        for memory in list(region, "memory").iter().filter(|memory| memory["copied_out"] == true) {
            let (on_device, here, bytes) = part(memory);
            let _ = writeln!(code, "memcpy({here}, {on_device}, {bytes});");
        }
        code.push_str("}\n");
    }
    code
}

/// Steps in C.
fn steps(code: &mut String, all: &[Value], kernels: &[Value]) {
    for step in all {
        if let Some(name) = step["launch"].as_str() {
            launch(code, step, kernels.iter().find(|k| k["name"] == name).expect("a kernel"));
        } else if let Some(name) = step["for"].as_str() {
            let (first, end, by) = (text(step, "first"), text(step, "end"), &step["step"]);
            let relation = if by.as_i64() > Some(0) { '<' } else { '>' };
            let head = format!("long {name} = {first}; {name} {relation} {end}; {name} += {by}");
            let _ = writeln!(code, "for ({head}) {{");
            steps(code, list(step, "body"), kernels);
            code.push_str("}\n");
        } else {
            let _ = writeln!(code, "if ({}) {{", text(step, "if"));
            steps(code, list(step, "then"), kernels);
            code.push_str("} else {\n");
            steps(code, list(step, "else"), kernels);
            code.push_str("}\n");
        }
    }
}

/// A launch in C, with two blocks along an axis at most: any number is right.
fn launch(code: &mut String, step: &Value, kernel: &Value) {
    let (blocks, threads) = (list(step, "blocks"), list(kernel, "threads"));
    code.push_str("{ int runs = 1;\n");
    for (axis, n) in blocks.iter().enumerate() {
        let n = n.as_str().expect("text");
        let _ = writeln!(code, "n_blocks[{axis}] = ({n}) < 2 ? ({n}) : 2; runs &= ({n}) > 0;");
    }
    code.push_str("if (runs)\n");
    for (axis, n) in threads.iter().enumerate() {
        let _ = writeln!(
            code,
            "for (at_block[{axis}] = 0; at_block[{axis}] < n_blocks[{axis}]; at_block[{axis}]++)"
        );
        let _ = writeln!(
            code,
            "for (at_thread[{axis}] = 0; at_thread[{axis}] < {n}; at_thread[{axis}]++)"
        );
    }
    let value = |argument: &Value| match argument["memory"].as_str() {
        Some(memory) => format!("(void *){memory}"),
        None => text(argument, "variable").to_owned(),
    };
    let arguments: Vec<String> = list(kernel, "arguments").iter().map(value).collect();
    let _ = writeln!(code, "{}({}); }}", text(kernel, "name"), arguments.join(", "));
}
