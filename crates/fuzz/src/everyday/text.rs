//! Everyday programs as C text.

use super::model::{
    Access, Argument, Array, Assign, Call, Counter, CounterForm, Element, End, Everyday, Form,
    Function, GLOBAL, Guard, Helper, Item, Loop, LoopForm, MARGIN, NameKind, Nest, POOL, Placement,
    ScalarKind, Subscript, Term,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// What every program starts with. Signs and payloads of NaN, which C leaves open, do not count.
const PROLOGUE: &str = r"#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static unsigned long long mix(unsigned long long h, unsigned long long x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ (h >> 29);
}
";

/// Entries of a table of rows.
const TABLE: i64 = 256;

impl Everyday {
    /// The C text.
    pub fn text(&self) -> String {
        let mut printer = Printer {
            program: self,
            text: format!("/* farkas-fuzz --everyday, seed {} */\n{PROLOGUE}", self.seed),
            macros: String::new(),
        };
        printer.memory();
        printer.names();
        for function in &self.functions {
            printer.function(function);
        }
        printer.main();
        printer.text
    }

    /// The types of elements that occur.
    fn elements(&self) -> BTreeSet<Element> {
        let arrays = self.functions.iter().flat_map(|f| &f.arrays).map(|array| array.element);
        arrays.chain(self.functions.iter().map(|f| f.main)).collect()
    }
}

/// Writes a program.
struct Printer<'a> {
    program: &'a Everyday,
    text: String,
    /// Macros that the current function needs before it.
    macros: String,
}

/// What a function's body is written with.
struct Body<'a> {
    program: &'a Everyday,
    function: &'a Function,
    /// How iterators in scope are meant, by name.
    scope: BTreeMap<String, Meaning>,
    /// What stands for iterators in scope, by their names.
    counters: BTreeMap<String, Moving>,
    /// The counters that the function declares at its begin.
    outer: BTreeMap<String, &'static str>,
    /// Those of them that are read at its end.
    read_later: BTreeSet<String>,
}

/// A variable that stands for an iterator in subscripts.
#[derive(Clone)]
struct Moving {
    name: String,
    /// How much larger it is; nothing for a pointer that walks along an array.
    ahead: Option<i64>,
}

/// What an iterator stands for in subscripts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Meaning {
    Itself,
    /// One less.
    Less,
    /// The distance from `first`.
    FromFirst,
}

impl Printer<'_> {
    /// Memory for pointers to point into, and functions that fill and show it.
    fn memory(&mut self) {
        for element in self.program.elements() {
            let (ty, word) = (element.name(), element.word());
            let value = if element.is_floating() {
                "((q * 37u + salt * 11u) % 67 + 1) / 67.0 - 0.5"
            } else {
                "(q * 13u + salt * 5u) % 41"
            };
            let bits = if element.is_floating() {
                "unsigned long long bits = 1;\n        if (p[q] == p[q]) {\n            bits = 0;\n            memcpy(&bits, &p[q], sizeof p[q]);\n        }"
            } else {
                "unsigned long long bits = (unsigned long long)p[q];"
            };
            let _ = write!(
                self.text,
                "\nstatic {ty} pool_{word}[{POOL}], g_{word}[{GLOBAL}];\n\
                 static void fill_{word}({ty} *p, unsigned count, unsigned salt)\n{{\n    /* No region for --auto. */\n    unsigned q = 0;\n    do {{\n        p[q] = ({ty})({value});\n        q++;\n    }} while (q < count);\n}}\n\
                 static void show_{word}(const {ty} *p, int count)\n{{\n    unsigned long long h = 1;\n    int q = 0;\n    do {{\n        {bits}\n        h = mix(h, bits);\n        q++;\n    }} while (q < count);\n    printf(\" {word} %016llx\", h);\n}}\n\
                 static void put_{word}({ty} *x, {ty} i)\n{{\n    *x = i;\n}}\n\
                 static void add_{word}({ty} *x, {ty} i)\n{{\n    {ty} n = i;\n    *x += n;\n}}\n\
                 static {ty} seen_{word}(const {ty} *x, {ty} i)\n{{\n    {ty} n = x[0];\n    return n / 2 + i;\n}}\n\
                 static void run_{word}({ty} *x, int n, {ty} i)\n{{\n    for (int k = 0; k < n; k++)\n        x[k] = x[k] / 2 + i;\n}}\n"
            );
        }
        self.text.push('\n');
    }

    /// The user's names at file scope.
    fn names(&mut self) {
        for name in &self.program.names {
            let text = match name.what {
                NameKind::Function => format!("#define {}(a, b) ((a) + (b))", name.name),
                NameKind::Number => format!("#define {} 3", name.name),
                NameKind::Variable => format!("static int {} = 2;", name.name),
            };
            let _ = writeln!(self.text, "{text}");
        }
    }

    /// A function and what it needs at file scope.
    fn function(&mut self, function: &Function) {
        for (at, kind) in function.scalars.iter().enumerate() {
            let thread = match kind {
                ScalarKind::Local => continue,
                ScalarKind::Global => "",
                ScalarKind::ThreadLocal => "_Thread_local ",
            };
            let (ty, name) = (function.main.name(), scalar_name(function, at));
            let _ = writeln!(self.text, "static {thread}{ty} {name};");
        }
        if function.has_ends {
            let n = function.sizes.len();
            let _ = writeln!(self.text, "static int ends_{}[{n}];", function.name);
        }
        let body = self.body(function);
        let macros = std::mem::take(&mut self.macros);
        let _ = write!(self.text, "{macros}\nstatic void {}({})\n", function.name, head(function));
        let _ = writeln!(self.text, "{{\n{body}}}");
    }

    /// What a function does.
    fn body(&mut self, function: &Function) -> String {
        let mut text = String::new();
        for (at, kind) in function.scalars.iter().enumerate() {
            let ty = if *kind == ScalarKind::Local { function.main.name() } else { "" };
            let space = if ty.is_empty() { "" } else { " " };
            let _ = writeln!(text, "    {ty}{space}{} = 1;", scalar_name(function, at));
        }
        let marked = self.program.marked;
        let mut body = Body {
            program: self.program,
            function,
            scope: BTreeMap::new(),
            counters: BTreeMap::new(),
            outer: BTreeMap::new(),
            read_later: BTreeSet::new(),
        };
        let nests = function.nests.iter().enumerate();
        let nests: Vec<String> =
            nests.map(|(at, nest)| self.nest(&mut body, function, nest, at)).collect();
        for (name, ty) in &body.outer {
            let _ = writeln!(text, "    {ty} {name} = 0;");
        }
        if function.has_ends {
            for (at, size) in function.sizes.iter().enumerate() {
                let _ = writeln!(text, "    ends_{}[{at}] = (int){};", function.name, size.name);
            }
        }
        let joined = marked && function.joined;
        if joined {
            text.push_str("#pragma scop\n");
        }
        for nest in &nests {
            if marked && !joined {
                let _ = write!(text, "#pragma scop\n{nest}#pragma endscop\n");
            } else {
                text.push_str(nest);
            }
        }
        if joined {
            text.push_str("#pragma endscop\n");
        }
        for at in 0..function.scalars.len() {
            let name = scalar_name(function, at);
            let word = function.main.word();
            let _ = writeln!(text, "    g_{word}[{}] = {name};", GLOBAL - 1 - at as i64);
        }
        for (at, name) in body.read_later.iter().enumerate() {
            let word = function.main.word();
            let _ = writeln!(text, "    g_{word}[{}] = {name} % 50;", GLOBAL - 9 - at as i64);
        }
        text
    }

    /// A nest at its place.
    fn nest(&mut self, body: &mut Body<'_>, function: &Function, nest: &Nest, at: usize) -> String {
        // What counts along with the outermost loop needs a statement before it.
        let is_alone = nest.place == Placement::Plain && nest.pragma.is_none();
        let counter = nest.root.counter.filter(|_| is_alone);
        let nest = &Nest { root: Loop { counter, ..nest.root.clone() }, ..nest.clone() };
        let plain = |body: &mut Body<'_>, depth: usize| {
            let mut text = String::new();
            if let Some(pragma) = nest.pragma {
                let _ = writeln!(text, "#pragma {pragma}");
            }
            body.node(&nest.root, depth, None, &mut text);
            text
        };
        let n = function.sizes.first().map_or("1", |size| size.name);
        // Marked regions hold whole lines.
        let place = match nest.place {
            Placement::HalfLine if self.program.marked || nest.pragma.is_some() => Placement::Plain,
            place => place,
        };
        match place {
            Placement::Plain => plain(body, 1),
            Placement::UnbracedIf => format!("    if ({n} > 1)\n{}", plain(body, 2)),
            Placement::UnbracedElse => {
                let loops = plain(body, 2);
                format!("    if ({n} == 1)\n        ;\n    else\n{loops}")
            }
            // Jumping back once; regions between marks hold no jumps.
            Placement::Label if self.program.marked => {
                format!("again{at}:\n{}", plain(body, 1))
            }
            Placement::Label => {
                let loops = plain(body, 1);
                format!(
                    "    int tries{at} = 0;\nagain{at}:\n{loops}    if (++tries{at} < 2)\n        goto again{at};\n"
                )
            }
            Placement::HalfLine => {
                let loops = plain(body, 1);
                let loops = loops.trim();
                format!("    {{ int before{at} = 1; {loops} (void)before{at}; }}\n")
            }
            Placement::Macro => {
                let mut loops = String::new();
                body.node(&nest.root, 0, None, &mut loops);
                let lines: Vec<&str> = loops.trim_end().lines().collect();
                let name = format!("LOOPS_{}_{at}", function.name);
                let _ = writeln!(self.macros, "#define {name} {}", lines.join(" \\\n    "));
                let pragma = nest.pragma.map(|p| format!("#pragma {p}\n")).unwrap_or_default();
                format!("{pragma}    {name}\n")
            }
            Placement::HeadMacro => {
                let name = format!("EACH_{}_{at}", function.name);
                let _ = writeln!(self.macros, "#define {name} {}", body.head(&nest.root));
                let mut loops = String::new();
                if let Some(pragma) = nest.pragma {
                    let _ = writeln!(loops, "#pragma {pragma}");
                }
                body.node(&nest.root, 1, Some(&name), &mut loops);
                loops
            }
        }
    }

    /// `main`: each call between filling and showing.
    fn main(&mut self) {
        self.text.push_str("\nint main(void)\n{\n");
        for (at, call) in self.program.calls.iter().enumerate() {
            self.call(at, call);
        }
        for name in self.program.names.iter().filter(|n| n.what == NameKind::Function) {
            // The name still stands for what the user said.
            let _ = writeln!(self.text, "    printf(\"%d\\n\", {}(2, 3));", name.name);
        }
        self.text.push_str("    return 0;\n}\n");
    }

    /// A call, what comes before and what is shown after it.
    fn call(&mut self, at: usize, call: &Call) {
        let Some(function) = self.program.functions.get(call.function) else { return };
        self.text.push_str("    {\n");
        let mut elements: BTreeSet<Element> = function.arrays.iter().map(|a| a.element).collect();
        elements.insert(function.main);
        for element in &elements {
            let word = element.word();
            let _ = writeln!(
                self.text,
                "    fill_{word}(pool_{word}, {POOL}, {at}); fill_{word}(g_{word}, {GLOBAL}, {at} + 7);"
            );
        }
        let mut words: Vec<String> = call.sizes.iter().map(ToString::to_string).collect();
        if function.has_first {
            words.push(match call.first {
                first if first == i64::from(i32::MIN) => "INT_MIN".into(),
                first => first.to_string(),
            });
        }
        for (array, argument) in function.arrays.iter().zip(&call.arguments) {
            if let Some(word) = self.argument(array, *argument) {
                words.push(word);
            }
        }
        let _ = writeln!(self.text, "    {}({});", function.name, words.join(", "));
        for element in &elements {
            let word = element.word();
            let _ = writeln!(
                self.text,
                "    show_{word}(pool_{word}, {POOL}); show_{word}(g_{word}, {GLOBAL});"
            );
        }
        self.text.push_str("    puts(\"\");\n    }\n");
    }

    /// An argument; a table of rows is made first.
    fn argument(&mut self, array: &Array, argument: Argument) -> Option<String> {
        let ty = array.element.name();
        let pointer = |text: String, element: Element| match array.form {
            Form::Rows(..) => format!("(void *)({text})"),
            _ if element != array.element => format!("({ty} *)({text})"),
            _ => text,
        };
        Some(match argument {
            Argument::None => return None,
            Argument::Null => "NULL".into(),
            Argument::Pool(element, offset) => {
                pointer(format!("pool_{} + {offset}", element.word()), element)
            }
            Argument::Global(element, offset) => {
                pointer(format!("g_{} + {offset}", element.word()), element)
            }
            Argument::Table(offset, rows, stride) => {
                let (word, name) = (array.element.word(), array.name);
                let _ = writeln!(
                    self.text,
                    "    static {ty} *{name}_rows[{TABLE}];\n    \
                     int {name}_q = 0;\n    \
                     do {{\n        \
                     {name}_rows[{name}_q] = pool_{word} + {offset} + {name}_q % {rows} * {stride};\n        \
                     {name}_q++;\n    }} while ({name}_q < {TABLE});"
                );
                format!("{name}_rows")
            }
        })
    }
}

/// A scalar's name.
fn scalar_name(function: &Function, at: usize) -> String {
    match function.scalars.get(at) {
        Some(ScalarKind::Local) | None => format!("s{at}"),
        Some(_) => format!("{}_s{at}", function.name),
    }
}

/// A function's parameters.
fn head(function: &Function) -> String {
    let sizes = function.sizes.iter().map(|size| format!("{} {}", size.ty.name(), size.name));
    let mut words: Vec<String> = sizes.collect();
    if function.has_first {
        words.push("int first".into());
    }
    for array in &function.arrays {
        let (ty, name) = (array.element.name(), array.name);
        words.push(match array.form {
            Form::Pointer | Form::Linear(_) => format!("{ty} *{name}"),
            Form::Restrict => format!("{ty} *restrict {name}"),
            Form::PointerRows => format!("{ty} **{name}"),
            Form::Rows(rows, columns) => {
                format!(
                    "{ty} {name}[{}][{}]",
                    function.sizes[rows].name, function.sizes[columns].name
                )
            }
            Form::Global => continue,
        });
    }
    words.join(", ")
}

impl Body<'_> {
    /// A loop; `head` is what is written for its head.
    fn node(&mut self, node: &Loop, depth: usize, head: Option<&str>, text: &mut String) {
        let written = self.head(node);
        let head = head.unwrap_or(&written);
        let meaning = if node.from_first {
            Meaning::FromFirst
        } else if node.form == LoopForm::DownShifted {
            Meaning::Less
        } else {
            Meaning::Itself
        };
        let before = self.scope.insert(node.name.clone(), meaning);
        match node.counter {
            Some(counter) => self.counted(node, counter, (head, depth), text),
            None => self.block(head, &node.body, (depth, None), text),
        }
        match before {
            Some(meaning) => self.scope.insert(node.name.clone(), meaning),
            None => self.scope.remove(&node.name),
        };
    }

    /// A loop with something that counts along.
    fn counted(
        &mut self,
        node: &Loop,
        counter: Counter,
        (head, depth): (&str, usize),
        text: &mut String,
    ) {
        let (low, step, iterator) = (node.low, node.step, &node.name);
        let name = format!("{}_{iterator}", if counter.is_outer { "outer" } else { "own" });
        let pointer = self.function.arrays.iter().find(|array| array.walks());
        let indent = "    ".repeat(depth);
        let (ty, first, moves, ahead) = match counter.form {
            CounterForm::Added => {
                ("", low.to_string(), ["".into(), format!("{name} += {step};")], Some(0))
            }
            CounterForm::Named => {
                ("", "0".into(), [format!("{name} = {iterator} + 1;"), "".into()], Some(1))
            }
            CounterForm::Left => (
                "",
                (low - step).to_string(),
                ["".into(), format!("{name} = {iterator};")],
                Some(-step),
            ),
            CounterForm::While => {
                let parts: Vec<&str> = head.split("; ").collect();
                let [first, condition, next] = parts.as_slice() else { return };
                let first = first.trim_start_matches("for (");
                let next = next.trim_end_matches(')');
                let _ = writeln!(text, "{indent}{{\n{indent}{first};");
                let head = format!("while ({condition})");
                let moves = [String::new(), format!("{next};")];
                self.block(&head, &node.body, (depth, Some(&moves)), text);
                let _ = writeln!(text, "{indent}}}");
                return;
            }
            CounterForm::Pointer => match pointer {
                Some(array) => {
                    let first = format!("{} + {low}", array.name);
                    (array.element.name(), first, ["".into(), format!("{name} += {step};")], None)
                }
                None => return self.block(head, &node.body, (depth, None), text),
            },
        };
        let ty = match ty {
            "" if node.ty.is_narrow() => "int".to_owned(),
            "" => node.ty.name().to_owned(),
            element => format!("{element} *"),
        };
        if counter.is_outer {
            // Loops over the same iterator share it.
            self.outer.insert(name.clone(), "long");
            if counter.is_read_later {
                self.read_later.insert(name.clone());
            }
            let _ = writeln!(text, "{indent}{name} = {first};");
        } else {
            let _ = writeln!(text, "{indent}{{\n{indent}{ty} {name} = {first};");
        }
        self.counters.insert(iterator.clone(), Moving { name, ahead });
        self.block(head, &node.body, (depth, Some(&moves)), text);
        self.counters.remove(iterator);
        if !counter.is_outer {
            let _ = writeln!(text, "{indent}}}");
        }
    }

    /// What stands under a head; what comes first and last in it.
    fn block(
        &mut self,
        head: &str,
        items: &[Item],
        (depth, around): (usize, Option<&[String; 2]>),
        text: &mut String,
    ) {
        let indent = "    ".repeat(depth);
        let bare = match items {
            [Item::Assign(_)] => around.is_none(),
            [Item::Loop(inner)] => around.is_none() && inner.counter.is_none(),
            _ => false,
        };
        let _ = writeln!(text, "{indent}{head}{}", if bare { "" } else { " {" });
        let put = |text: &mut String, line: &String| {
            if !line.is_empty() {
                let _ = writeln!(text, "{indent}    {line}");
            }
        };
        around.iter().for_each(|[first, _]| put(text, first));
        for item in items {
            match item {
                Item::Loop(inner) => self.node(inner, depth + 1, None, text),
                Item::If(guard, then) => {
                    let head = format!("if ({})", self.guard(guard));
                    self.block(&head, then, (depth + 1, None), text);
                }
                Item::Assign(assign) => {
                    let _ = writeln!(text, "{indent}    {}", self.assign(assign));
                }
            }
        }
        around.iter().for_each(|[_, last]| put(text, last));
        if !bare {
            let _ = writeln!(text, "{indent}}}");
        }
    }

    /// `for (..)`.
    fn head(&self, node: &Loop) -> String {
        let Loop { name, low, less, step, .. } = node;
        let (end, end_ty) = match &node.end {
            End::Size(at) if self.function.ends_in_elements(*at) => {
                (format!("ends_{}[{at}]", self.function.name), super::model::IntType::Int)
            }
            End::Size(at) => {
                (self.function.sizes[*at].name.to_owned(), self.function.sizes[*at].ty)
            }
            End::Number(number) => (number.to_string(), super::model::IntType::Int),
            End::Iterator(outer, _) => (outer.clone(), node.ty),
        };
        let ty = node.ty.name();
        let from = if node.from_first { "first + " } else { "" };
        let start = match (node.from_first, *low) {
            (true, 0) => "first".to_owned(),
            (_, low) => format!("{from}{low}"),
        };
        let next = |op: char| match step {
            1 => format!("{name}{op}{op}"),
            step => format!("{name} {op}= {step}"),
        };
        // A difference of unsigned values must not wrap.
        let wraps = node.ty.is_unsigned() || end_ty.is_unsigned();
        let minus = |less: i64| if less == 0 { String::new() } else { format!(" - {less}") };
        match node.form {
            LoopForm::UpInclusive if !wraps => {
                let last = minus(less + 1);
                format!("for ({ty} {name} = {start}; {name} <= {from}{end}{last}; {})", next('+'))
            }
            LoopForm::UpUnequal => format!("for ({ty} {name} = 0; {name} != {end}; {name}++)"),
            LoopForm::Up | LoopForm::UpInclusive => {
                let condition = if wraps && *less > 0 {
                    format!("{name} + {less} < {end}")
                } else {
                    format!("{name} < {from}{end}{}", minus(*less))
                };
                format!("for ({ty} {name} = {start}; {condition}; {})", next('+'))
            }
            LoopForm::Down => {
                let cast = if end_ty.is_unsigned() { format!("({ty})") } else { String::new() };
                let last = minus(less + 1);
                format!(
                    "for ({ty} {name} = {from}{cast}{end}{last}; {name} >= {start}; {})",
                    next('-')
                )
            }
            LoopForm::DownTested => format!("for ({ty} {name} = {end}; {name}-- > {low};)"),
            LoopForm::DownShifted => {
                format!("for ({ty} {name} = {end}; {name} > {low}; {name}--)")
            }
        }
    }

    /// A condition.
    fn guard(&self, guard: &Guard) -> String {
        match guard {
            Guard::Affine(text) | Guard::Wrapping(text) => text.clone(),
            Guard::Data(access) => {
                let number = if self.element_of(access).is_floating() { "0.125" } else { "7" };
                format!("{} > {number}", self.access(access))
            }
        }
    }

    /// The type of what an access holds.
    fn element_of(&self, access: &Access) -> Element {
        match access {
            Access::Element(array, _) => self.function.arrays[*array].element,
            Access::Scalar(_) => self.function.main,
        }
    }

    /// A statement. Values stay small: sums of products with small factors, remainders where there are no fractions.
    fn assign(&self, assign: &Assign) -> String {
        let element = self.element_of(&assign.target);
        let terms: Vec<String> = assign.terms.iter().map(|term| self.term(element, term)).collect();
        let sum = if terms.is_empty() { "1".to_owned() } else { terms.join(" + ") };
        let target = self.access(&assign.target);
        let value = if element.is_floating() { sum } else { format!("({sum}) % 101") };
        let call = assign.helper.and_then(|helper| self.call_of(helper, assign, &value));
        call.unwrap_or_else(|| format!("{target} {} {value};", assign.op))
    }

    /// The statement with a call of a function, where one can do it.
    fn call_of(&self, helper: Helper, assign: &Assign, value: &str) -> Option<String> {
        let element = self.element_of(&assign.target);
        let (word, target) = (element.word(), self.access(&assign.target));
        let place = match &assign.target {
            Access::Element(array, _) => Some(self.function.arrays[*array].form),
            Access::Scalar(_) => None,
        };
        match helper {
            Helper::Put => {
                let name = if assign.op == "=" { "put" } else { "add" };
                place.map(|_| format!("{name}_{word}(&{target}, {value});"))
            }
            Helper::Run => (place == Some(Form::Pointer))
                .then(|| format!("run_{word}(&{target}, 2, {value});")),
            Helper::Seen => assign.terms.iter().find_map(|term| match term {
                Term::Read(_, read @ Access::Element(..)) if self.element_of(read) == element => {
                    let read = self.access(read);
                    Some(format!("{target} {} seen_{word}(&{read}, {value});", assign.op))
                }
                _ => None,
            }),
        }
    }

    /// A term of a value with elements of this type.
    fn term(&self, element: Element, term: &Term) -> String {
        let floating = element.is_floating();
        let suffix = if element == Element::Float { "f" } else { "" };
        match term {
            Term::Read(factor, access) => {
                let text = self.access(access);
                let from = self.element_of(access);
                // Fractions do not go to integers, where they might not fit.
                if !floating && from.is_floating() {
                    return format!("({text} > 0)");
                }
                match (floating, factor % 4) {
                    (_, 0) if floating && !from.is_floating() => format!("0.01{suffix} * {text}"),
                    (true, 0) => text,
                    (true, 1) => format!("0.5{suffix} * {text}"),
                    (true, 2) => format!("0.25{suffix} * {text}"),
                    (true, _) => format!("-0.125{suffix} * {text}"),
                    (false, 0) => text,
                    (false, factor) => format!("{} * {text}", factor + 1),
                }
            }
            Term::Index(name) if floating => format!("0.001{suffix} * {name}"),
            Term::Index(name) => format!("{name} % 7"),
            Term::Name(at) => match self.program.names.get(*at) {
                Some(name) if name.what == NameKind::Function => format!("{}(1, 2)", name.name),
                Some(name) => self.user_name(name.name).to_owned(),
                None => "1".into(),
            },
            Term::One if floating => format!("0.375{suffix}"),
            Term::One => "5".into(),
        }
    }

    /// A name of the user's, unless a loop around hides it.
    fn user_name<'a>(&self, name: &'a str) -> &'a str {
        if self.scope.contains_key(name) { "1" } else { name }
    }

    /// An access.
    fn access(&self, access: &Access) -> String {
        let (array, subscripts) = match access {
            Access::Scalar(at) => return scalar_name(self.function, *at),
            Access::Element(array, subscripts) => (self.function.arrays[*array], subscripts),
        };
        match (array.form, subscripts.as_slice()) {
            (Form::Linear(size), [row, column]) => {
                let row = self.subscript(row, 0);
                let is_simple = row.chars().all(char::is_alphanumeric);
                let row = if is_simple { row } else { format!("({row})") };
                let size = self.function.sizes[size].name;
                format!("{}[{row} * {size} + {}]", array.name, self.subscript(column, 0))
            }
            (Form::Global, _) => {
                let texts = subscripts.iter().map(|s| format!("[{}]", self.subscript(s, MARGIN)));
                format!("g_{}{}", array.element.word(), texts.collect::<String>())
            }
            (_, [subscript]) if let Some((pointer, rest)) = self.walked(array, subscript) => {
                match self.subscript(&rest, 0).as_str() {
                    "0" => format!("*{pointer}"),
                    rest => format!("{pointer}[{rest}]"),
                }
            }
            _ => {
                let texts = subscripts.iter().map(|s| format!("[{}]", self.subscript(s, 0)));
                format!("{}{}", array.name, texts.collect::<String>())
            }
        }
    }

    /// The pointer that walks to an element, and the subscript that is left.
    fn walked(&self, array: Array, subscript: &Subscript) -> Option<(&str, Subscript)> {
        let first = self.function.arrays.iter().find(|array| array.walks())?;
        let walks = |(factor, name): &(i64, String)| {
            let moving = self.counters.get(name).filter(|m| *factor == 1 && m.ahead.is_none())?;
            Some(moving.name.as_str())
        };
        let at = subscript.terms.iter().position(|term| walks(term).is_some())?;
        let mut rest = subscript.clone();
        let pointer = walks(&subscript.terms[at]).filter(|_| *first == array)?;
        rest.terms.remove(at);
        // What is left may be less than zero, where a difference of unsigned iterators would wrap.
        let is_plain = rest.size.is_none() && (rest.terms.is_empty() || rest.constant >= 0);
        is_plain.then_some((pointer, rest))
    }

    /// A subscript, moved by `margin`.
    fn subscript(&self, subscript: &Subscript, margin: i64) -> String {
        let mut constant = subscript.constant + margin;
        let mut text = String::new();
        if let Some(size) = subscript.size {
            text.push_str(self.function.sizes[size].name);
            constant -= 1;
        }
        for (factor, name) in &subscript.terms {
            let meaning = self.scope.get(name).copied().unwrap_or(Meaning::Itself);
            let moving = self.counters.get(name).and_then(|moving| Some((moving, moving.ahead?)));
            let value = match meaning {
                _ if let Some((moving, ahead)) = moving => {
                    constant -= factor * ahead;
                    moving.name.clone()
                }
                Meaning::FromFirst => format!("({name} - first)"),
                Meaning::Less => {
                    constant -= factor;
                    name.clone()
                }
                Meaning::Itself => name.clone(),
            };
            let sign = match (text.is_empty(), *factor < 0) {
                (true, false) => "",
                (true, true) => "-",
                (false, false) => " + ",
                (false, true) => " - ",
            };
            let factor =
                if factor.abs() == 1 { String::new() } else { format!("{} * ", factor.abs()) };
            let _ = write!(text, "{sign}{factor}{value}");
        }
        match (text.is_empty(), constant) {
            (true, constant) => constant.to_string(),
            (false, 0) => text,
            (false, constant) if constant > 0 => format!("{text} + {constant}"),
            (false, constant) => format!("{text} - {}", -constant),
        }
    }
}
