//! Random expressions as C computes them: gcc's sanitizer finds no overflow, and the values are those of the AST.

use crate::dialect::{Bounds, C};
use crate::places::Known;
use crate::ranges::{Param, Ranges};
use crate::types::{Width, range, width};
use farkas_astgen::{Cond, Dialect, Division, Expr, For, LoopInfo, Value};
use farkas_poly::Set;
use std::collections::BTreeSet;
use std::fmt::Write;
use std::process::Command;

/// The parameters of all programs. The range of the last is known to be smaller.
const PARAMS: [(&str, &str); 5] =
    [("n", "int"), ("m", "int"), ("u", "unsigned"), ("s", "short"), ("l", "long")];

/// What the last parameter is at most.
const MOST: i128 = 1 << 40;

/// Whether a context holds for some values of the parameters.
type Holds = fn(&[i64]) -> bool;

/// Contexts that are tried, with what they mean.
const CONTEXTS: [(&str, Holds); 4] = [
    ("{ : }", |_| true),
    ("[n] -> { : n >= 1 }", |p| p[0] >= 1),
    ("[n, m] -> { : m <= n and m >= -100 }", |p| p[1] <= p[0] && p[1] >= -100),
    ("[u, l] -> { : 0 <= l <= u and u <= 1000 }", |p| 0 <= p[4] && p[4] <= p[2] && p[2] <= 1000),
];

/// A stream of numbers that look random.
struct Random(u64);

impl Random {
    /// A number less than `n`.
    fn below(&mut self, n: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    /// A number between two others.
    fn between(&mut self, least: i64, most: i64) -> i64 {
        least + i64::try_from(self.below((most - least + 1).unsigned_abs())).unwrap_or(0)
    }

    /// An expression over `names` and numbers.
    fn expr(&mut self, names: &[Expr], depth: u64) -> Expr {
        let atom = |random: &mut Self| names[random.below(names.len() as u64) as usize].clone();
        let sum = |random: &mut Self| {
            let mut sum = Expr::int(random.between(-40, 40));
            for _ in 0..=random.below(3) {
                sum = sum.plus(&atom(random).times(random.between(-3, 3)));
            }
            sum
        };
        if depth == 0 {
            return sum(self);
        }
        let (a, b) = (self.expr(names, depth - 1), self.expr(names, depth - 1));
        let divisor = self.between(2, 70);
        let division = [Division::Floor, Division::Truncating][self.below(2) as usize];
        match self.below(7) {
            0 => Expr::min(vec![a, b, sum(self)]),
            1 => Expr::max(vec![a, b]),
            2 => a.quotient(divisor, division).times(self.between(1, 70)).plus(&b),
            3 => a.remainder(divisor, division).minus(&b),
            4 => Expr::select(Cond::at_least(&a, &b), a, sum(self)),
            _ => a.minus(&b),
        }
    }

    /// Values of the parameters, often the ends of their types.
    fn point(&mut self) -> Vec<i64> {
        let value = |random: &mut Self, ty: &str| {
            let (least, most) = limits(ty);
            let number = match random.below(5) {
                0 => least + i128::from(random.below(3)),
                1 => most - i128::from(random.below(3)),
                2 => i128::from(random.between(-50, 50)),
                3 => i128::from(random.between(0, 2000)),
                _ => least + i128::from(random.0) % (most - least),
            };
            i64::try_from(number.clamp(least, most)).unwrap_or(0)
        };
        PARAMS.iter().map(|(_, ty)| value(self, ty)).collect()
    }
}

/// The values that a parameter may have.
fn limits(ty: &str) -> (i128, i128) {
    if ty == "long" { (-MOST, MOST) } else { range(ty) }
}

/// What is known of the parameters in a context.
fn ranges(context: &str) -> Ranges {
    let names = PARAMS.map(|(name, _)| name);
    let types = PARAMS.map(|(_, ty)| limits(ty));
    let context: Set = context.parse().expect("a context");
    let known = Known::new(&names, &types, &[&context]).expect("sets");
    let params = PARAMS.iter().enumerate().map(|(at, (name, ty))| {
        let (least, most) = known.range(at);
        let value = Value {
            least: least.expect("a least value"),
            greatest: most.expect("a greatest value"),
            wide: width(ty) > Width::Int,
        };
        Param { name: (*name).to_owned(), ty: (*ty).to_owned(), value }
    });
    let params = params.collect();
    Ranges { wide: "long", params, known: Some(known) }
}

/// A loop with a guard and an expression in it.
struct Place {
    node: For,
    guard: Cond,
    expr: Expr,
}

impl Place {
    /// A random one.
    fn new(random: &mut Random) -> Self {
        let params = PARAMS.map(|(name, _)| Expr::param(name));
        let first = random.expr(&params, 0);
        let end = random.expr(&params, 1);
        let step = [1, 1, 3, 32, -1, -2][random.below(6) as usize];
        let (iterator, info) = ("i".to_owned(), Box::new(LoopInfo::default()));
        let node = For { iterator, first, end, step, body: Vec::new(), info };
        let mut names = params.to_vec();
        names.push(Expr::iterator("i"));
        let guard = Cond::at_least(&random.expr(&names, 0), &Expr::int(0));
        Self { node, guard, expr: random.expr(&names, 2) }
    }

    /// The type of the loop's variable, the first value, the end, and the expression as they are printed.
    fn printed(&self, ranges: &Ranges) -> (String, [String; 3], String) {
        let mut wide = BTreeSet::new();
        loop {
            let c = C::new(ranges, &wide);
            let (first, end) = (c.expr(&self.node.first), c.expr(&self.node.end));
            let towards = if self.node.step > 0 { -1 } else { 1 };
            let last = end.value.plus(Value::number(towards));
            let ty = c.enter_loop(
                &self.node,
                Bounds { first: first.value, last, limit: end.value },
                false,
            );
            let guard = c.cond(&self.guard).text;
            c.enter_guard(&self.guard);
            let expr = c.expr(&self.expr).text;
            let misfits = c.misfits();
            assert!(!misfits.is_beyond, "{expr}");
            if misfits.narrow.is_empty() {
                let (define, _) = c.helpers();
                return (
                    ty.to_owned(),
                    [first.text, end.text, format!("({guard}) ? {expr} : 0")],
                    define,
                );
            }
            wide.extend(misfits.narrow);
        }
    }

    /// Values that the loop's variable has, the first ones and the last, and the one after each.
    fn values(&self, point: &[i64]) -> Vec<i64> {
        let value = |e: &Expr| e.eval(&|name| at(point, name)).expect("a number");
        let (first, end, step) = (value(&self.node.first), value(&self.node.end), self.node.step);
        let n = (end - first + step - step.signum()).div_euclid(step);
        let counts = [0, 1, n - 1].into_iter().filter(|count| (0..n).contains(count));
        counts.map(|count| first + count * step).collect()
    }
}

/// The value of a parameter.
fn at(point: &[i64], name: &str) -> Option<i64> {
    Some(point[PARAMS.iter().position(|(param, _)| *param == name)?])
}

/// What gcc's program prints.
fn output(text: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, program) = (folder.path().join("checks.c"), folder.path().join("checks"));
    std::fs::write(&source, text).expect("a file");
    let flags = ["-w", "-O0", "-fsanitize=undefined", "-fno-sanitize-recover=undefined", "-o"];
    let gcc = Command::new("gcc").args(flags).arg(&program).arg(&source).output().expect("gcc");
    assert!(gcc.status.success(), "{}", String::from_utf8_lossy(&gcc.stderr));
    let run = Command::new(&program).output().expect("a run");
    let errors = String::from_utf8_lossy(&run.stderr);
    let line = errors.split(':').nth(1).and_then(|n| n.parse::<usize>().ok()).unwrap_or(1);
    let culprit = text.lines().nth(line.saturating_sub(1)).unwrap_or_default();
    assert!(run.status.success(), "{errors}\n{culprit}");
    String::from_utf8_lossy(&run.stdout).into_owned()
}

#[test]
fn no_type_is_left() {
    let mut random = Random(7);
    let (mut functions, mut calls) = (String::new(), String::new());
    let mut expected = String::new();
    let (mut n_narrow, mut n_values) = (0, 0);
    for number in 0..160 {
        let (context, holds) = CONTEXTS[number % CONTEXTS.len()];
        let (place, ranges) = (Place::new(&mut random), ranges(context));
        let (ty, [first, end, expr], define) = place.printed(&ranges);
        n_narrow += usize::from(ty == "int");
        let names = define.lines().filter_map(|l| l.split([' ', '(']).nth(1));
        let undefine: String = names.map(|name| format!("#undef {name}\n")).collect();
        let _ = write!(
            functions,
            "{define}static void f{number}(int n, int m, unsigned u, short s, long l, long x) {{\n\
             {ty} i = {first}; printf(\"%ld \", (long)i);\n\
             printf(\"%ld \", (long)({end}));\n\
             i = x; printf(\"%ld\\n\", (long)({expr}));\n\
             i += {step}; }}\n{undefine}",
            step = place.node.step
        );
        for _ in 0..40 {
            let point = random.point();
            if !holds(&point) {
                continue;
            }
            for x in place.values(&point) {
                let value = |name: &str| if name == "i" { Some(x) } else { at(&point, name) };
                let eval = |e: &Expr| e.eval(&value).expect("a number");
                let is_reached = place.guard.eval(&value).expect("a condition");
                let result = if is_reached { eval(&place.expr) } else { 0 };
                let Place { node, .. } = &place;
                let _ = writeln!(expected, "{} {} {result}", eval(&node.first), eval(&node.end));
                let arguments: Vec<String> =
                    point.iter().chain([&x]).map(|v| format!("{v}L")).collect();
                let _ = writeln!(calls, "f{number}({});", arguments.join(", "));
                n_values += 1;
            }
        }
    }
    let text = format!("#include <stdio.h>\n{functions}int main(void) {{\n{calls}return 0; }}\n");
    assert_eq!(output(&text), expected);
    assert!(n_narrow >= 5 && n_values > 2000, "{n_narrow} of type int, {n_values} values");
}
