//! Loop headers, conditions and subscripts against the C compiler: random programs print which instances run in which
//! order with which values, and the scop must say the same.

use crate::common::{front_end, messages};
use farkas_front_c::Options;
use farkas_poly::{DimType, Map, Set, Val};
use std::fmt::Write;
use std::process::Command;

/// A small generator of pseudo-random numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 16).unwrap_or(0) % n.max(1)
    }

    fn pick<'t>(&mut self, items: &[&'t str]) -> &'t str {
        items[self.below(items.len())]
    }
}

/// One random region: its text for the front end, and for the compiler with prints in the place of statements.
#[derive(Default)]
struct Program {
    region: String,
    printing: String,
    n_stmts: usize,
}

impl Program {
    fn both(&mut self, text: &str) {
        self.region.push_str(text);
        self.printing.push_str(text);
    }

    /// An affine expression of the visible names.
    fn value(&self, random: &mut Random, names: &[&str], depth: usize) -> String {
        let mut one = |p: &Self| match random.below(if depth == 0 { 2 } else { 11 }) {
            0 => random.pick(names).to_owned(),
            1 => random.pick(&["0", "1", "2", "3", "-1", "-2", "7", "0x5"]).to_owned(),
            2 | 3 => format!(
                "{} + {}",
                p.value(random, names, depth - 1),
                p.value(random, names, depth - 1)
            ),
            4 | 5 => format!(
                "{} - ({})",
                p.value(random, names, depth - 1),
                p.value(random, names, depth - 1)
            ),
            6 => format!(
                "{} * ({})",
                random.pick(&["2", "3", "-1"]),
                p.value(random, names, depth - 1)
            ),
            7 => format!(
                "({}) / {}",
                p.value(random, names, depth - 1),
                random.pick(&["2", "3", "-2", "4"])
            ),
            8 => format!(
                "({}) % {}",
                p.value(random, names, depth - 1),
                random.pick(&["2", "3", "5", "-3"])
            ),
            9 => format!(
                "({} ? {} : {})",
                p.condition(random, names, depth - 1),
                p.value(random, names, depth - 1),
                p.value(random, names, depth - 1)
            ),
            _ => format!(
                "{}({}, {})",
                random.pick(&["least", "greatest"]),
                p.value(random, names, depth - 1),
                p.value(random, names, depth - 1)
            ),
        };
        one(self)
    }

    fn condition(&self, random: &mut Random, names: &[&str], depth: usize) -> String {
        let compare = random.pick(&["<", "<=", ">", ">=", "==", "!="]);
        let simple = format!(
            "{} {compare} {}",
            self.value(random, names, depth),
            self.value(random, names, depth)
        );
        match random.below(if depth == 0 { 3 } else { 7 }) {
            3 => format!("({simple} && {})", self.condition(random, names, depth - 1)),
            4 => format!("({simple} || {})", self.condition(random, names, depth - 1)),
            5 => format!("!({simple})"),
            6 => format!("({}) % 2", self.value(random, names, depth)),
            _ => simple,
        }
    }

    fn statement(&mut self, random: &mut Random, names: &[&str], iterators: &[&str]) {
        let subscript = self.value(random, names, 2);
        let _ = writeln!(self.region, "A[{subscript}] = {};", self.n_stmts);
        let values: String = iterators.iter().map(|i| format!("printf(\"%d \", {i}); ")).collect();
        let id = self.n_stmts;
        let _ = writeln!(
            self.printing,
            "{{ printf(\"S{id} \"); {values}printf(\"%d\\n\", {subscript}); }}"
        );
        self.n_stmts += 1;
    }

    fn block(&mut self, random: &mut Random, names: &mut Vec<&'static str>, depth: usize) {
        for _ in 0..=random.below(2) {
            let iterators = names[2..].to_vec();
            match random.below(if depth < 3 { 6 } else { 2 }) {
                0 => self.statement(random, names, &iterators),
                1 => {
                    let condition = self.condition(random, names, 1);
                    self.both(&format!("if ({condition}) {{\n"));
                    self.statement(random, names, &iterators);
                    self.both("} else {\n");
                    self.statement(random, names, &iterators);
                    self.both("}\n");
                }
                _ => self.nest(random, names, depth),
            }
        }
    }

    fn nest(&mut self, random: &mut Random, names: &mut Vec<&'static str>, depth: usize) {
        let iterator = ["i", "j", "k"][depth];
        let first = self.value(random, names, 1);
        let bound = self.value(random, names, 1);
        let (compare, step) = match random.below(9) {
            0..=2 => ("<", format!("{iterator}++")),
            3 => ("<=", format!("++{iterator}")),
            4 => (">", format!("{iterator}--")),
            5 => (">=", format!("{iterator} -= 1")),
            6 => ("<", format!("{iterator} += 3")),
            7 => (">=", format!("{iterator} = {iterator} - 2")),
            _ => ("!=", format!("{iterator}++")),
        };
        names.push(iterator);
        let also = match random.below(5) {
            0 => format!(" && {}", self.condition(random, names, 1)),
            _ => String::new(),
        };
        self.both(&format!(
            "for (int {iterator} = {first}; {iterator} {compare} {bound}{also}; {step}) {{\n"
        ));
        self.block(random, names, depth + 1);
        names.pop();
        self.both("}\n");
    }
}

const HELPERS: &str = "static int least(int a, int b) { return a < b ? a : b; }\n\
                       static int greatest(int a, int b) { return b < a ? a : b; }\n";

/// Parameter values that are tried.
const SIZES: [(i64, i64); 4] = [(0, 0), (1, 3), (6, 4), (-3, 5)];

/// The values of the parameters of a region, those included that say whether one of `n` and `m` has a value.
fn values(region: &farkas_scop::Region, n: i64, m: i64) -> Vec<(String, i64)> {
    let mut values = vec![("n".to_owned(), n), ("m".to_owned(), m)];
    let flags = region.host.taken.iter().map(|taken| {
        let (name, value) = taken.home.split_once(" == ").expect("a comparison");
        let holds = [n, m][usize::from(name == "m")].to_string() == value;
        (taken.name.clone(), i64::from(holds))
    });
    values.extend(flags);
    values
}

/// The instances of a scop in their order, as the printing program prints them.
fn trace(region: &farkas_scop::Region, n: i64, m: i64) -> Result<String, farkas_poly::Error> {
    let scop = &region.scop;
    let fixed = |mut set: Set| -> Result<Set, farkas_poly::Error> {
        for (name, value) in values(region, n, m) {
            if let Some(position) = set.find_param(&name) {
                set = set.fix_val(DimType::Param, position, &Val::int(value)?)?;
            }
        }
        set.project_out_all_params()
    };
    let mut lines: Vec<(Vec<i64>, String)> = Vec::new();
    for stmt in scop.stmts() {
        let write = stmt.accesses.iter().last().expect("a write");
        let mut image: Map = stmt.date.clone();
        for iterator in &stmt.iterators {
            image = image.flat_range_product(&iterator.value.to_map()?)?;
        }
        let target = write.relation.reset_tuple_id(DimType::Out)?;
        image = image.flat_range_product(&target)?.intersect_domain(&stmt.domain)?;
        let dims = stmt.date.dim(DimType::Out)? as usize;
        for point in fixed(image.range()?)?.points()? {
            let coordinates = point.coordinates(DimType::SET)?;
            let values: Vec<String> = coordinates[dims..].iter().map(ToString::to_string).collect();
            lines.push((
                coordinates[..dims].to_vec(),
                format!("{} {}\n", stmt.name, values.join(" ")),
            ));
        }
    }
    lines.sort();
    let repeated = lines.windows(2).any(|w| w[0].0 == w[1].0);
    assert!(!repeated, "two instances share a date");
    Ok(lines.into_iter().map(|(_, line)| line).collect())
}

/// The sizes for which the program is defined: a loop that overflows its signed iterator is not.
fn allowed(region: &farkas_scop::Region) -> Vec<(i64, i64)> {
    let context = region.scop.context();
    let is_allowed = |(n, m): &(i64, i64)| {
        let values = values(region, *n, *m);
        let names: Vec<&str> = values.iter().map(|(name, _)| name.as_str()).collect();
        let fixed: Vec<String> =
            values.iter().map(|(name, value)| format!("{name} = {value}")).collect();
        let point = format!("[{}] -> {{ : {} }}", names.join(", "), fixed.join(" and "));
        let point: Set = point.parse().expect("a set");
        !context.intersect(&point).expect("isl answers").is_empty().expect("isl answers")
    };
    SIZES.into_iter().filter(is_allowed).collect()
}

#[test]
fn instances_are_those_that_c_runs() {
    let count: usize =
        std::env::var("FARKAS_TRACE").ok().and_then(|n| n.parse().ok()).unwrap_or(120);
    let seed = std::env::var("FARKAS_SEED")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(0x2545_f491_4f6c_dd1d);
    let mut random = Random(seed);
    let mut text = format!("#include <stdio.h>\n{HELPERS}");
    let mut accepted: Vec<(String, farkas_scop::Region)> = Vec::new();
    while accepted.len() < count {
        let mut program = Program::default();
        program.nest(&mut random, &mut vec!["n", "m"], 0);
        let source = format!(
            "{HELPERS}void f(int n, int m, int *A)\n{{\n#pragma scop\n{}#pragma endscop\n}}\n",
            program.region
        );
        let (mut scops, diagnostics) = front_end("f.c", &source, &Options::default());
        for diagnostic in &diagnostics {
            assert_ne!(
                diagnostic.id.name(),
                "internal-error",
                "{}\n{source}",
                messages(&diagnostics)
            );
        }
        let Some(scop) = scops.pop().filter(has_exact_accesses) else { continue };
        let _ = writeln!(
            text,
            "static void f{}(int n, int m)\n{{\n{}}}",
            accepted.len(),
            program.printing
        );
        accepted.push((source, scop));
    }
    text.push_str("int main(void)\n{\n");
    for (k, (_, region)) in accepted.iter().enumerate() {
        for (n, m) in allowed(region) {
            let _ = writeln!(text, "f{k}({n}, {m}); printf(\"#\\n\");");
        }
    }
    text.push_str("}\n");
    let folder = std::env::temp_dir().join(format!("farkas-trace-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (source, program) = (folder.join("t.c"), folder.join("t"));
    std::fs::write(&source, text).expect("a file");
    let built = Command::new("cc").arg("-w").arg("-o").arg(&program).arg(&source).status();
    assert!(built.is_ok_and(|s| s.success()), "the C compiler failed on {}", source.display());
    let output =
        Command::new("timeout").arg("60").arg(&program).output().expect("the program runs");
    assert!(output.status.success(), "{} does not end", program.display());
    let output = String::from_utf8(output.stdout).expect("text");
    assert!(output.lines().count() > 10 * count, "the programs hardly do anything");
    let mut expected = output.split("#\n");
    for (source, region) in &accepted {
        for (n, m) in allowed(region) {
            let expected = expected.next().expect("a trace");
            let got = trace(region, n, m).expect("isl answers");
            assert_eq!(got, expected, "for n = {n}, m = {m} of\n{source}");
        }
    }
    std::fs::remove_dir_all(&folder).expect("the folder goes");
}

/// Whether each access of a region names the one element that it touches.
fn has_exact_accesses(region: &farkas_scop::Region) -> bool {
    let mut accesses = region.scop.stmts().iter().flat_map(|s| &s.accesses);
    accesses.all(|a| a.relation.is_single_valued().expect("isl answers"))
}
