//! Making everyday programs: names, functions, their parameters.

use super::kinds::Kind;
use super::model::{
    Array, Element, Everyday, Form, Function, IntType, NameKind, ScalarKind, Size, UserName,
};
use crate::Random;
use std::collections::BTreeSet;

/// Names that generated code uses, or likes to.
const LIKED: [&str; 12] = [
    "farkas_min",
    "farkas_max",
    "farkas_floord",
    "farkas_apart",
    "it",
    "jt",
    "t1",
    "ii",
    "c1",
    "lb",
    "ub",
    "farkas_sum",
];

/// The state of making a program.
pub(super) struct Maker {
    pub(super) random: Random,
    /// The kinds that this program has much of.
    themes: BTreeSet<Kind>,
    /// How many names of the user's there are.
    pub(super) n_names: usize,
    /// Names that are macros for numbers, which no iterator may have.
    pub(super) numbers: Vec<&'static str>,
}

impl Maker {
    /// Whether a feature is chosen here: mostly where it is one of the program's themes.
    pub(super) fn likes(&mut self, kind: Kind) -> bool {
        let percent = if self.themes.contains(&kind) { 65 } else { 5 };
        self.random.chance(percent)
    }
}

/// The everyday program of `seed`; the same on every machine.
///
/// ```
/// use farkas_fuzz::generate_everyday;
/// let program = generate_everyday(7);
/// assert_eq!(program, generate_everyday(7));
/// assert!(program.text().contains("int main(void)"));
/// ```
pub fn generate_everyday(seed: u64) -> Everyday {
    let mut random = Random::new(seed ^ 0x0e7e_17da_10e7_e17d);
    let all: Vec<Kind> = Kind::all().collect();
    let n_themes = 2 + random.below(4);
    let themes = (0..n_themes).map(|_| random.pick(&all)).collect();
    let mut maker = Maker { random, themes, n_names: 0, numbers: Vec::new() };
    let names = maker.names();
    maker.n_names = names.len();
    let numbers = names.iter().filter(|name| name.what == NameKind::Number);
    maker.numbers = numbers.map(|name| name.name).collect();
    let several = if maker.likes(Kind::SeveralFunctions) { 2 } else { 0 };
    let n_functions = 1 + maker.random.below(2) + several;
    let functions: Vec<Function> = (0..n_functions).map(|at| maker.function(at)).collect();
    let calls = maker.calls(&functions);
    let marked = maker.random.chance(45);
    Everyday { seed, marked, names, functions, calls }
}

impl Maker {
    /// Names of the user's at file scope.
    fn names(&mut self) -> Vec<UserName> {
        let mut names: Vec<UserName> = Vec::new();
        while names.len() < 4 && self.likes(Kind::UserNames) {
            let name = self.random.pick(&LIKED);
            let kinds = [NameKind::Function, NameKind::Number, NameKind::Variable];
            let what = self.random.pick(&kinds);
            if names.iter().all(|other| other.name != name) {
                names.push(UserName { name, what });
            }
        }
        names
    }

    /// A function.
    fn function(&mut self, at: usize) -> Function {
        let main = self.random.pick(&[
            Element::Double,
            Element::Double,
            Element::Double,
            Element::Float,
            Element::Unsigned,
            Element::Int,
        ]);
        let main = if self.likes(Kind::BytesOverWords) { Element::Unsigned } else { main };
        let sizes = self.sizes();
        let arrays = self.arrays(main, sizes.len());
        let n_scalars = self.random.weighted(&[55, 30, 15]);
        let scalars = (0..n_scalars).map(|_| self.scalar()).collect();
        let mut function = Function {
            name: format!("f{at}"),
            sizes,
            has_first: false,
            arrays,
            main,
            scalars,
            has_ends: self.likes(Kind::Elements),
            joined: self.random.chance(60),
            nests: Vec::new(),
        };
        let several = if self.likes(Kind::SeveralNests) { 2 } else { 0 };
        for _ in 0..1 + self.random.below(2) + several {
            let nest = self.nest(&function);
            function.nests.push(nest);
        }
        let mut has_first = false;
        function.each_loop(&mut |node| has_first |= node.from_first);
        function.has_first = has_first;
        function
    }

    /// One or two sizes.
    fn sizes(&mut self) -> Vec<Size> {
        let n = 1 + self.random.below(2);
        ["n", "m"][..n]
            .iter()
            .map(|name| {
                let ty = if self.likes(Kind::NarrowIterators) {
                    let narrow = [IntType::Short, IntType::UnsignedChar, IntType::UnsignedShort];
                    self.random.pick(&narrow)
                } else if self.likes(Kind::UnsignedIterators) || self.likes(Kind::WrappingGuards) {
                    IntType::Unsigned
                } else if self.likes(Kind::WideIterators) {
                    self.random.pick(&[IntType::Long, IntType::Size])
                } else {
                    IntType::Int
                };
                Size { name, ty }
            })
            .collect()
    }

    /// Where a scalar lives.
    fn scalar(&mut self) -> ScalarKind {
        if self.likes(Kind::ThreadLocals) {
            ScalarKind::ThreadLocal
        } else if self.random.chance(25) {
            ScalarKind::Global
        } else {
            ScalarKind::Local
        }
    }

    /// Two to four arrays.
    fn arrays(&mut self, main: Element, n_sizes: usize) -> Vec<Array> {
        let n = 2 + self.random.below(3);
        let mut arrays: Vec<Array> = Vec::new();
        for name in &["x", "y", "z", "w"][..n] {
            let element = if self.likes(Kind::BytesOverWords) && main == Element::Unsigned {
                Element::Byte
            } else if self.likes(Kind::Widths) {
                self.other_element(main)
            } else {
                main
            };
            let form = self.form(n_sizes);
            let taken = arrays.iter().any(|a| a.form == Form::Global && a.element == element);
            // The first one takes any subscript.
            let rows = arrays.is_empty() && matches!(form, Form::Rows(..));
            let form = if form == Form::Global && taken || rows { Form::Pointer } else { form };
            arrays.push(Array { name, element, form });
        }
        arrays
    }

    /// Elements of another width that may be added to those of `main`.
    fn other_element(&mut self, main: Element) -> Element {
        match main {
            Element::Double => self.random.pick(&[Element::Float, Element::Short, Element::Int]),
            Element::Float => self.random.pick(&[Element::Double, Element::Byte]),
            Element::Unsigned => self.random.pick(&[Element::Byte, Element::Short, Element::Int]),
            _ => self.random.pick(&[Element::Long, Element::Short, Element::Byte]),
        }
    }

    /// How an array is declared.
    fn form(&mut self, n_sizes: usize) -> Form {
        let any = |random: &mut Random| random.below(n_sizes);
        if self.likes(Kind::ArrayParameters) || self.likes(Kind::EmptyRows) {
            Form::Rows(any(&mut self.random), any(&mut self.random))
        } else if self.likes(Kind::LinearRows) {
            Form::Linear(any(&mut self.random))
        } else if self.likes(Kind::PointerRows) || self.likes(Kind::SharedRows) {
            Form::PointerRows
        } else if self.likes(Kind::GlobalsAsArguments) {
            Form::Global
        } else if self.likes(Kind::Restrict) {
            Form::Restrict
        } else if self.random.chance(20) {
            Form::Linear(any(&mut self.random))
        } else {
            Form::Pointer
        }
    }
}
