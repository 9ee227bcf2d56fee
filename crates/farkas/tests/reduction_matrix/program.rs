//! C programs that run reductions and what Farkas makes of them, and compare the results.

use crate::matrix::{Case, Form, Op, Sort, Type};
use farkas_scop::{Freedom, Operator, Reassociation};
use std::fmt::Write;

/// What runs both versions and compares.
const DRIVER: &str = include_str!("driver.c");

/// The functions, whose names begin with `prefix`.
pub(crate) fn functions(prefix: &str, ty: Type, cases: &[Case]) -> String {
    let functions: Vec<String> = cases.iter().map(|case| case.function(prefix, ty)).collect();
    format!("#include <math.h>\n\n{}", functions.join("\n"))
}

/// The file in front of the transformed functions: nothing that they need. Behind them: what compares them with the originals under what was
/// permitted.
pub(crate) fn driver(ty: Type, cases: &[Case], reassociation: Reassociation) -> String {
    let mut text = String::from("#include <float.h>\n#include <stdio.h>\n#include <string.h>\n\n");
    text += "enum Form { ALL, X, Y, BETWEEN, AROUND };\n";
    text += "enum Compared { BY_BITS, BY_VALUE, AS_SUM, AS_PRODUCT };\n";
    text += "struct Case { const char *name; enum Form form; int is_deep, op; enum Compared compared; };\n";
    let epsilon = if ty.bits == 32 { "FLT_EPSILON" } else { "DBL_EPSILON" };
    let _ = writeln!(text, "typedef {} T;\n#define EPSILON ((long double){epsilon})", ty.name);
    let _ = writeln!(text, "#define N_CASES {}", cases.len());
    text += &values(ty, cases);
    text += "static const struct Case cases[] = {\n";
    for case in cases {
        let compared = compared(ty, *case, reassociation);
        let (name, form) = (case.name(), form(case.form));
        let _ = writeln!(
            text,
            "    {{\"{name}\", {form}, {}, {}, {compared}}},",
            u8::from(case.is_deep()),
            case.op as u8
        );
    }
    text += "};\n";
    text += &calls("original", "original_", ty, cases);
    text += &calls("result", "", ty, cases);
    text + DRIVER
}

/// C's name of a form.
fn form(form: Form) -> &'static str {
    match form {
        Form::All => "ALL",
        Form::X => "X",
        Form::Y => "Y",
        Form::Between => "BETWEEN",
        Form::Around => "AROUND",
    }
}

/// How the results of a case are compared. Bit for bit, but for zeros of which functions take any, and for what is permitted: sums and
/// products are rounded otherwise then, and of two zeros another one may be the least.
fn compared(ty: Type, case: Case, reassociation: Reassociation) -> &'static str {
    let is_rounded = ty.sort == Sort::Floating && reassociation.permits(Freedom::Rounded);
    match case.expected(ty) {
        Some((Operator::Fmin | Operator::Fmax, _)) => "BY_VALUE",
        Some((Operator::Sum, Freedom::Rounded)) if is_rounded => "AS_SUM",
        Some((Operator::Product, Freedom::Rounded)) if is_rounded => "AS_PRODUCT",
        Some(_) if is_rounded => "BY_VALUE",
        _ => "BY_BITS",
    }
}

/// The functions `value` and `before`: what is combined by each operator, and what elements are at first.
fn values(ty: Type, cases: &[Case]) -> String {
    let mut ops: Vec<Op> = cases.iter().map(|case| case.op).collect();
    ops.dedup();
    let heads =
        ["value(int op, unsigned long h, long q, int sign)", "before(int op, unsigned long h)"];
    let mut text = String::new();
    for (at, head) in heads.into_iter().enumerate() {
        let _ = writeln!(text, "static T {head}\n{{\n    switch (op) {{");
        for op in &ops {
            let _ = writeln!(text, "    case {}: return {};", *op as u8, ty.values(*op)[at]);
        }
        text += "    }\n    return 0;\n}\n";
    }
    text
}

/// A function that calls the one of a case.
fn calls(what: &str, prefix: &str, ty: Type, cases: &[Case]) -> String {
    let mut text = String::from("static T a[];\n");
    for case in cases {
        let _ = writeln!(text, "{};", case.head(prefix, ty));
    }
    let _ = writeln!(
        text,
        "static void run_{what}(int at, int n, int m, int l, void *r)\n{{\n    switch (at) {{"
    );
    for (at, case) in cases.iter().enumerate() {
        let _ =
            writeln!(text, "    case {at}: {prefix}{}(n, m, l, (void *)a, r); break;", case.name());
    }
    text + "    }\n}\n"
}
