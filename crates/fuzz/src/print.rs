//! Programs as C text.

use crate::program::{
    Array, Chosen, Comparison, Condition, Cut, Expr, Fill, Join, Linear, Loop, MAX_INDEX, Node,
    Place, Program, Quasi, QuasiOp, Stmt, Storage, Type, Variable,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What every program starts with: macros, and functions that print an array as a hash of its bits and a weighted sum.
/// Signs and payloads of NaN, which C leaves open, do not count.
const PROLOGUE: &str = r#"#include <math.h>
#include <stdio.h>
#include <string.h>

#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))

static unsigned long long mix(unsigned long long h, unsigned long long x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ (h >> 29);
}

static void show_double(const char *name, const double *p, int count)
{
    unsigned long long h = 1;
    double sum = 0.0;
    for (int q = 0; q < count; q++) {
        unsigned long long bits = 1;
        if (p[q] == p[q])
            memcpy(&bits, &p[q], sizeof bits);
        h = mix(h, bits);
        sum += p[q] * (q % 7 + 1);
    }
    if (sum == sum)
        printf("%s %016llx %a\n", name, h, sum);
    else
        printf("%s %016llx nan\n", name, h);
}

static void show_float(const char *name, const float *p, int count)
{
    unsigned long long h = 1;
    double sum = 0.0;
    for (int q = 0; q < count; q++) {
        unsigned bits = 1;
        if (p[q] == p[q])
            memcpy(&bits, &p[q], sizeof bits);
        h = mix(h, bits);
        sum += (double)p[q] * (q % 7 + 1);
    }
    if (sum == sum)
        printf("%s %016llx %a\n", name, h, sum);
    else
        printf("%s %016llx nan\n", name, h);
}

static void show_unsigned(const char *name, const unsigned *p, int count)
{
    unsigned long long h = 1;
    for (int q = 0; q < count; q++)
        h = mix(h, p[q]);
    printf("%s %016llx\n", name, h);
}

static void show_int(const char *name, const int *p, int count)
{
    unsigned long long h = 1;
    for (int q = 0; q < count; q++)
        h = mix(h, (unsigned)p[q]);
    printf("%s %016llx\n", name, h);
}
"#;

/// What programs of small integers have beside: values that are read become small again.
const SMALL: &str = "\n#define small(x) ((x) > 4 ? 4 : (x) < -4 ? -4 : (x))\n";

/// The types whose arrays the [`PROLOGUE`] cannot print.
const RARE_TYPES: [Type; 6] =
    [Type::Long, Type::Short, Type::Byte, Type::Truth, Type::Half, Type::Bf16];

impl Program {
    /// The C text; `None` for a program without meaning (see [`Program::extents`]).
    pub fn text(&self) -> Option<String> {
        let extents = self.extents()?;
        let mut printer = Printer {
            program: self,
            extents: &extents,
            names: BTreeMap::new(),
            text: format!("/* farkas-fuzz, seed {} */\n{PROLOGUE}", self.seed),
            depth: 1,
        };
        printer.globals();
        printer.kernel();
        printer.main();
        Some(printer.text)
    }

    /// Number of statements.
    pub fn n_stmts(&self) -> usize {
        fn stmts(stmt: &Stmt) -> usize {
            match stmt {
                Stmt::If { then, otherwise, .. } => {
                    then.iter().chain(otherwise).map(stmts).sum::<usize>()
                }
                _ => 1,
            }
        }
        fn nodes(node: &Node) -> usize {
            match node {
                Node::Loop(node) => node.body.iter().map(nodes).sum(),
                Node::If { then, otherwise, .. } => then.iter().chain(otherwise).map(nodes).sum(),
                Node::Stmt(stmt) => stmts(stmt),
            }
        }
        self.regions.iter().flatten().map(nodes).sum()
    }
}

/// Writes a program.
struct Printer<'a> {
    program: &'a Program,
    extents: &'a [Vec<i64>],
    /// The iterators in scope by id.
    names: BTreeMap<usize, String>,
    text: String,
    depth: usize,
}

impl Printer<'_> {
    /// Adds an indented line.
    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{}{line}", "    ".repeat(self.depth));
    }

    /// The extents that the array is declared with, as text, and their values.
    fn extents_of(&self, at: usize) -> (Vec<String>, Vec<i64>) {
        let array = &self.program.arrays[at];
        let mut texts = Vec::new();
        let mut values = Vec::new();
        for (dim, &needed) in self.extents[at].iter().enumerate() {
            let param = array.extent_params.get(dim).copied().flatten();
            let param = param.filter(|_| array.storage == Storage::Argument);
            match param.and_then(|p| self.program.params.get(p)) {
                None => {
                    texts.push(needed.to_string());
                    values.push(needed);
                }
                Some(param) => {
                    let more = (needed - param.value).max(0);
                    let plus = if more > 0 { format!(" + {more}") } else { String::new() };
                    texts.push(format!("{}{plus}", param.name));
                    values.push(param.value + more);
                }
            }
        }
        (texts, values)
    }

    /// `double A[7][9]` with these extents.
    fn declaration(array: &Array, name: &str, extents: &[impl std::fmt::Display]) -> String {
        let extents: Vec<String> = extents.iter().map(|e| format!("[{e}]")).collect();
        format!("{} {name}{}", array.ty.name(), extents.concat())
    }

    /// The arrays at file scope: global ones under their names, arguments' storage under another name.
    fn globals(&mut self) {
        if self.program.is_exact() {
            self.text.push_str(SMALL);
        }
        for ty in RARE_TYPES {
            if self.program.arrays.iter().any(|array| array.ty == ty) {
                self.show_rare(ty);
            }
        }
        self.text.push('\n');
        for (at, array) in self.program.arrays.iter().enumerate() {
            let (_, values) = self.extents_of(at);
            let name = match array.storage {
                Storage::Global => array.name.clone(),
                Storage::Argument => format!("{}_data", array.name),
                Storage::Local => continue,
            };
            let declaration = Self::declaration(array, &name, &values);
            let _ = writeln!(self.text, "static {declaration};");
        }
        let n = self.program.scalars.len().max(1);
        let _ = writeln!(self.text, "static double scalars[{n}];\n");
    }

    /// The function that prints arrays of a type that few programs have.
    fn show_rare(&mut self, ty: Type) {
        let value = match ty {
            // All NaNs are one.
            Type::Half | Type::Bf16 => "p[q] == p[q] ? *(const unsigned short *)(p + q) : 1",
            _ => "(unsigned long long)p[q]",
        };
        let _ = write!(
            self.text,
            "\nstatic void show_{}(const char *name, const {} *p, int count)\n{{\n    unsigned long long h = 1;\n    for (int q = 0; q < count; q++)\n\
             \x20       h = mix(h, {value});\n    printf(\"%s %016llx\\n\", name, h);\n}}\n",
            ty.word(),
            ty.name()
        );
    }

    /// The function with the regions.
    fn kernel(&mut self) {
        let program = self.program;
        let mut arguments: Vec<String> =
            program.params.iter().map(|p| format!("int {}", p.name)).collect();
        for (at, array) in program.arrays.iter().enumerate() {
            if array.storage == Storage::Argument {
                let (texts, _) = self.extents_of(at);
                arguments.push(Self::declaration(array, &array.name, &texts));
            }
        }
        let arguments = if arguments.is_empty() { "void".to_owned() } else { arguments.join(", ") };
        let _ = writeln!(self.text, "static void kernel({arguments})\n{{");
        let mut outside = BTreeSet::new();
        program.regions.iter().for_each(|region| undeclared(region, &mut outside));
        if !outside.is_empty() {
            let names: Vec<&str> = outside.into_iter().collect();
            self.line(&format!("int {};", names.join(", ")));
        }
        for (at, scalar) in program.scalars.iter().enumerate() {
            let has_fractions = scalar.ty.is_floating() && !program.is_exact();
            let value = if has_fractions { "0.375" } else { "3" };
            self.line(&format!("{} {} = {value} + {at};", scalar.ty.name(), scalar.name));
        }
        for (at, array) in program.arrays.iter().enumerate() {
            if array.storage == Storage::Local {
                let (_, values) = self.extents_of(at);
                self.line(&format!("{};", Self::declaration(array, &array.name, &values)));
                self.fill(at, &array.name, &values);
            }
        }
        for region in &program.regions {
            self.text.push_str("#pragma scop\n");
            self.nodes(region);
            self.text.push_str("#pragma endscop\n");
        }
        for (at, scalar) in program.scalars.iter().enumerate().filter(|(_, s)| s.is_printed) {
            self.line(&format!("scalars[{at}] = {};", scalar.name));
        }
        self.text.push_str("}\n\n");
    }

    /// Sets the array at a position, whose storage has this name.
    fn fill(&mut self, at: usize, name: &str, extents: &[i64]) {
        let array = &self.program.arrays[at];
        let value = value_at(array, at);
        let first = format!("&{name}{}", "[0]".repeat(array.rank));
        let count: i64 = extents.iter().product();
        self.line(&format!("for (int q = 0; q < {count}; q++)"));
        self.line(&format!("    ({first})[q] = {value};"));
    }

    /// The function that sets the arrays, calls the kernel and prints.
    fn main(&mut self) {
        let program = self.program;
        self.text.push_str("int main(void)\n{\n");
        let mut shows = Vec::new();
        for (at, array) in program.arrays.iter().enumerate() {
            let (_, values) = self.extents_of(at);
            let name = match array.storage {
                Storage::Global => array.name.clone(),
                Storage::Argument => format!("{}_data", array.name),
                Storage::Local => continue,
            };
            self.fill(at, &name, &values);
            let first = format!("&{name}{}", "[0]".repeat(array.rank));
            let count: i64 = values.iter().product();
            if array.fill != Fill::Any && array.ty.is_floating() {
                shows.push(without_signs_of_zeros(&first, count));
            }
            shows.push(format!("show_{}(\"{}\", {first}, {count});", array.ty.word(), array.name));
        }
        let mut arguments: Vec<String> =
            program.params.iter().map(|p| p.value.to_string()).collect();
        let arrays = program.arrays.iter().filter(|a| a.storage == Storage::Argument);
        arguments.extend(arrays.map(|array| format!("{}_data", array.name)));
        self.line(&format!("kernel({});", arguments.join(", ")));
        shows.iter().for_each(|show| self.line(show));
        if program.is_exact() {
            self.line(&without_signs_of_zeros("scalars", program.scalars.len() as i64));
        }
        self.line(&format!("show_double(\"scalars\", scalars, {});", program.scalars.len()));
        self.line("return 0;");
        self.text.push_str("}\n");
    }

    /// Nodes one after another.
    fn nodes(&mut self, nodes: &[Node]) {
        nodes.iter().for_each(|node| self.node(node));
    }

    /// A block after what opens it; without braces around a single statement that is no declaration.
    fn block(&mut self, head: &str, body: &[Node]) {
        let bare = match body {
            [Node::Stmt(Stmt::Local { .. })] => false,
            [Node::Stmt(Stmt::Assign { .. }) | Node::Loop(_)] => true,
            _ => false,
        };
        self.line(&format!("{head}{}", if bare { "" } else { " {" }));
        self.depth += 1;
        self.nodes(body);
        self.depth -= 1;
        if !bare {
            self.line("}");
        }
    }

    /// One node.
    fn node(&mut self, node: &Node) {
        match node {
            Node::Loop(node) => {
                let shadowed = self.names.insert(node.id, node.name.clone());
                let head = self.head(node);
                self.block(&head, &node.body);
                match shadowed {
                    Some(name) => self.names.insert(node.id, name),
                    None => self.names.remove(&node.id),
                };
            }
            Node::If { condition, then, otherwise } => {
                let head = format!("if ({})", self.condition(condition));
                self.line(&format!("{head} {{"));
                self.depth += 1;
                self.nodes(then);
                self.depth -= 1;
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.depth += 1;
                    self.nodes(otherwise);
                    self.depth -= 1;
                }
                self.line("}");
            }
            Node::Stmt(stmt) => self.stmt(stmt),
        }
    }

    /// `for (..)`.
    fn head(&self, node: &Loop) -> String {
        let name = &node.name;
        let declare = if node.style.declares { "int " } else { "" };
        let (first, least) = if node.down { (&node.upper, true) } else { (&node.lower, false) };
        let (last, last_least) = if node.down { (&node.lower, false) } else { (&node.upper, true) };
        let minus = |bounds: &[Linear]| -> Vec<Linear> {
            let less = |b: &Linear| Linear { constant: b.constant - 1, ..b.clone() };
            bounds.iter().map(less).collect()
        };
        let first = if node.down { minus(first) } else { first.clone() };
        let (comparison, last) = match (node.style.comparison, node.down) {
            (Comparison::Usual, false) => ("<", last.clone()),
            (Comparison::Other, false) => ("<=", minus(last)),
            (Comparison::Unequal, false) => ("!=", last.clone()),
            (Comparison::Usual, true) => (">=", last.clone()),
            (Comparison::Other, true) => (">", minus(last)),
            (Comparison::Unequal, true) => ("!=", minus(last)),
        };
        let condition = match node.style.join {
            Join::Conjunction => {
                let one = |b: &Linear| format!("{name} {comparison} {}", self.linear(b));
                last.iter().map(one).collect::<Vec<_>>().join(" && ")
            }
            join => format!("{name} {comparison} {}", self.bound(&last, last_least, join)),
        };
        let next = match (node.down, node.step) {
            (false, 1) => format!("{name}++"),
            (true, 1) => format!("{name}--"),
            (false, step) => format!("{name} += {step}"),
            (true, step) => format!("{name} -= {step}"),
        };
        let first = self.bound(&first, least, node.style.join);
        format!("for ({declare}{name} = {first}; {condition}; {next})")
    }

    /// The least or greatest of the bounds.
    fn bound(&self, bounds: &[Linear], least: bool, join: Join) -> String {
        let texts: Vec<String> = bounds.iter().map(|b| self.linear(b)).collect();
        let Some((last, rest)) = texts.split_last() else { return "0".to_owned() };
        rest.iter().rev().fold(last.clone(), |all, one| match (join, least) {
            (Join::Ternary, true) => format!("({one} < {all} ? {one} : {all})"),
            (Join::Ternary, false) => format!("({one} > {all} ? {one} : {all})"),
            (_, true) => format!("min({one}, {all})"),
            (_, false) => format!("max({one}, {all})"),
        })
    }

    /// A statement.
    fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Assign { target, op, value } => {
                let line = format!("{} {op} {};", self.place(target), self.expr(value, false));
                self.line(&line);
            }
            Stmt::Local { id, ty, value } => {
                let line = format!("{} t{id} = {};", ty.name(), self.expr(value, false));
                self.line(&line);
            }
            Stmt::If { condition, then, otherwise } => {
                let head = format!("if ({}) {{", self.expr(condition, false));
                self.line(&head);
                self.branch(then);
                if !otherwise.is_empty() {
                    self.line("} else {");
                    self.branch(otherwise);
                }
                self.line("}");
            }
        }
    }

    /// The statements of a branch.
    fn branch(&mut self, stmts: &[Stmt]) {
        self.depth += 1;
        stmts.iter().for_each(|stmt| self.stmt(stmt));
        self.depth -= 1;
    }

    /// A place.
    fn place(&self, place: &Place) -> String {
        match place {
            Place::Scalar(at) => self.program.scalars[*at].name.clone(),
            Place::Local(id) => format!("t{id}"),
            Place::Element(array, subscripts) => {
                let subscripts: Vec<String> =
                    subscripts.iter().map(|s| format!("[{}]", self.quasi(s))).collect();
                format!("{}{}", self.program.arrays[*array].name, subscripts.concat())
            }
            Place::Chosen(chosen) => self.chosen(chosen),
        }
    }

    /// An element that data chooses.
    fn chosen(&self, chosen: &Chosen) -> String {
        let Place::Element(array, subscripts) = &chosen.element else { return String::new() };
        let subscript = |(at, subscript): (usize, &Quasi)| match at == chosen.dim {
            true => format!("[{}]", self.choice(chosen, subscript)),
            false => format!("[{}]", self.quasi(subscript)),
        };
        let subscripts: String = subscripts.iter().enumerate().map(subscript).collect();
        format!("{}{subscripts}", self.program.arrays[*array].name)
    }

    /// What chooses an element.
    fn choice(&self, chosen: &Chosen, more: &Quasi) -> String {
        let index = self.place(&chosen.index);
        let (sum, is_sum) = match self.quasi(more).as_str() {
            "0" => (index, false),
            more => (format!("{index} + {more}"), true),
        };
        let operand = if is_sum { format!("({sum})") } else { sum.clone() };
        match chosen.cut {
            Cut::None => sum,
            Cut::And(mask) => format!("{operand} & {mask}"),
            Cut::Mod(k) => format!("{operand} % {k}"),
        }
    }

    /// An expression; in parentheses where it is an operand and not primary.
    fn expr(&self, expr: &Expr, operand: bool) -> String {
        let text = match expr {
            Expr::Literal(text) if text.starts_with('-') => text.clone(),
            Expr::Literal(text) => return text.clone(),
            Expr::Read(place) => return self.place(place),
            Expr::Call(name, arguments) => {
                let arguments: Vec<String> =
                    arguments.iter().map(|a| self.expr(a, false)).collect();
                return format!("{name}({})", arguments.join(", "));
            }
            Expr::Index(linear) => self.linear(linear),
            Expr::Binary(op, a, b) => {
                format!("{} {op} {}", self.expr(a, true), self.expr(b, true))
            }
            Expr::Prefix(op, a) => format!("{op}{}", self.expr(a, true)),
            Expr::Ternary(a, b, c) => {
                format!("{} ? {} : {}", self.expr(a, true), self.expr(b, true), self.expr(c, true))
            }
        };
        if operand { format!("({text})") } else { text }
    }

    /// A condition.
    fn condition(&self, condition: &Condition) -> String {
        let join = |parts: &[Condition], op: &str| {
            let parts: Vec<String> =
                parts.iter().map(|p| format!("({})", self.condition(p))).collect();
            parts.join(op)
        };
        match condition {
            Condition::Compare(left, op, right) => {
                format!("{} {op} {}", self.quasi(left), self.linear(right))
            }
            Condition::And(parts) => join(parts, " && "),
            Condition::Or(parts) => join(parts, " || "),
            Condition::Not(part) => format!("!({})", self.condition(part)),
        }
    }

    /// A quasi-affine expression.
    fn quasi(&self, quasi: &Quasi) -> String {
        let (op, k) = match quasi.op {
            QuasiOp::None => {
                let constant = quasi.linear.constant + quasi.plus;
                return self.linear(&Linear { constant, ..quasi.linear.clone() });
            }
            QuasiOp::Div(k) => ("/", k),
            QuasiOp::Mod(k) => ("%", k),
        };
        let plus = match quasi.plus {
            0 => String::new(),
            plus if plus > 0 => format!(" + {plus}"),
            plus => format!(" - {}", -plus),
        };
        let inner = self.linear(&quasi.linear);
        let simple = inner.chars().all(|c| c.is_ascii_alphanumeric());
        let inner = if simple { inner } else { format!("({inner})") };
        format!("{inner} {op} {k}{plus}")
    }

    /// A linear expression.
    fn linear(&self, linear: &Linear) -> String {
        let mut text = String::new();
        for (factor, variable) in &linear.terms {
            let name = match variable {
                Variable::Iterator(id) => self.names.get(id).map_or("?", String::as_str),
                Variable::Param(at) => self.program.params[*at].name.as_str(),
            };
            let sign = match (text.is_empty(), *factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let factor = match factor.abs() {
                1 => String::new(),
                factor => format!("{factor} * "),
            };
            let _ = write!(text, "{sign}{factor}{name}");
        }
        match (text.is_empty(), linear.constant) {
            (true, constant) => constant.to_string(),
            (false, 0) => text,
            (false, constant) if constant > 0 => format!("{text} + {constant}"),
            (false, constant) => format!("{text} - {}", -constant),
        }
    }
}

/// What the element number `q` of the array at a position is set to.
fn value_at(array: &Array, at: usize) -> String {
    match (array.fill, array.ty) {
        (Fill::Indices, _) => {
            format!("(q * 7 + q / 5 * 3 + q / 11 + {at}) % {}", MAX_INDEX + 1)
        }
        (Fill::Signs, _) => format!("(q * 7 + {at}) % 5 < 3 ? 1 : -1"),
        (Fill::Small, Type::Double | Type::Float | Type::Half | Type::Bf16) => {
            format!("(q * 37 + {at} * 11) % 9 - 4")
        }
        (_, Type::Double) => format!("((q * 37 + {at} * 11) % 67 + 1) / 67.0 - 0.5"),
        (_, Type::Float) => format!("((q * 29 + {at} * 17) % 59 + 1) / 59.0f - 0.5f"),
        (_, Type::Int | Type::Long | Type::Short) => format!("(q * 13 + {at} * 5) % 41 - 20"),
        (_, Type::Unsigned) => format!("(unsigned)q * 2654435u + {at}u * 97u"),
        (_, Type::Byte) => format!("q * 53 + {at} * 31"),
        (_, Type::Half | Type::Bf16) => format!("((q * 29 + {at} * 17) % 59 + 1) / 59.0f - 0.5f"),
        (_, Type::Truth) => format!("(q * 5 + {at}) % 3 != 0"),
    }
}

/// Adds zero to so many elements: which of two zeros the least of several is depends on their order.
fn without_signs_of_zeros(first: &str, count: i64) -> String {
    format!("for (int q = 0; q < {count}; q++) ({first})[q] += 0;")
}

/// The names of iterators that are declared before the region.
fn undeclared<'a>(nodes: &'a [Node], names: &mut BTreeSet<&'a str>) {
    for node in nodes {
        match node {
            Node::Loop(node) => {
                if !node.style.declares {
                    names.insert(&node.name);
                }
                undeclared(&node.body, names);
            }
            Node::If { then, otherwise, .. } => {
                undeclared(then, names);
                undeclared(otherwise, names);
            }
            Node::Stmt(_) => {}
        }
    }
}
