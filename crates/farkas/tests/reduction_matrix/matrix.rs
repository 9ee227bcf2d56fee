//! Every reduction that C can write with one element type: operators, forms, ways of writing, where elements lie.

use farkas_deps::ReductionForm;
use farkas_scop::{Freedom, Operator};

/// An element type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Type {
    /// C's name.
    pub(crate) name: &'static str,
    /// How many bits its values have.
    pub(crate) bits: u8,
    /// What its values are.
    pub(crate) sort: Sort,
}

/// What the values of a type are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Sort {
    Floating,
    Truth,
    Signed,
    Unsigned,
}

/// The element types, under the names that tests have.
pub(crate) const DOUBLE: Type = Type { name: "double", bits: 64, sort: Sort::Floating };
pub(crate) const FLOAT: Type = Type { name: "float", bits: 32, sort: Sort::Floating };
pub(crate) const BOOL: Type = Type { name: "_Bool", bits: 1, sort: Sort::Truth };
pub(crate) const I8: Type = Type { name: "signed char", bits: 8, sort: Sort::Signed };
pub(crate) const U8: Type = Type { name: "unsigned char", bits: 8, sort: Sort::Unsigned };
pub(crate) const I16: Type = Type { name: "short", bits: 16, sort: Sort::Signed };
pub(crate) const U16: Type = Type { name: "unsigned short", bits: 16, sort: Sort::Unsigned };
pub(crate) const I32: Type = Type { name: "int", bits: 32, sort: Sort::Signed };
pub(crate) const U32: Type = Type { name: "unsigned", bits: 32, sort: Sort::Unsigned };
pub(crate) const I64: Type = Type { name: "long", bits: 64, sort: Sort::Signed };
pub(crate) const U64: Type = Type { name: "unsigned long", bits: 64, sort: Sort::Unsigned };

/// All of them.
pub(crate) const TYPES: [Type; 11] = [DOUBLE, FLOAT, BOOL, I8, U8, I16, U16, I32, U32, I64, U64];

/// How a contribution is combined with an element.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    Sum,
    Difference,
    Product,
    /// The least, by `?:`.
    MinTernary,
    MaxTernary,
    /// The least, by `if`.
    MinIf,
    MaxIf,
    Fmin,
    Fmax,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
}

use Op::{
    And, BitAnd, BitOr, BitXor, Difference, Fmax, Fmin, MaxIf, MaxTernary, MinIf, MinTernary, Or,
    Product, Sum,
};

const OPS: [Op; 14] = [
    Sum, Difference, Product, MinTernary, MaxTernary, MinIf, MaxIf, Fmin, Fmax, And, Or, BitAnd,
    BitOr, BitXor,
];

/// Which loops update an element again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Form {
    /// All: one element.
    All,
    /// The last ones: `r[i]` over `j`.
    X,
    /// The first ones: `r[j]` over `i`.
    Y,
    /// Parallel, reduced, parallel: `r[i][k]` over `j`.
    Between,
    /// Reduced, parallel, reduced: `r[j]` over `i` and `k`.
    Around,
}

pub(crate) const FORMS: [Form; 5] = [Form::All, Form::X, Form::Y, Form::Between, Form::Around];

/// How many ways there are to write an update.
pub(crate) const N_WAYS: usize = 3;

/// How a function has what it works on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Storage {
    /// `double a[n][m]`
    Arrays,
    /// `double *a`, of which elements are `a[i * m + j]`.
    Pointers,
    /// The result in a variable meanwhile.
    Variable,
}

/// One reduction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Case {
    pub(crate) op: Op,
    pub(crate) form: Form,
    /// Below [`N_WAYS`].
    pub(crate) way: usize,
    pub(crate) storage: Storage,
}

impl Type {
    /// The operators that it has.
    fn ops(self) -> impl Iterator<Item = Op> {
        OPS.into_iter().filter(move |op| match op {
            Fmin | Fmax => self.sort == Sort::Floating,
            BitAnd | BitOr | BitXor => self.sort != Sort::Floating,
            _ => true,
        })
    }

    /// Its place among all types, by which ways of writing take turns.
    fn turn(self) -> usize {
        TYPES.iter().position(|ty| *ty == self).unwrap_or(0)
    }

    /// Every operator in every form; ways of writing and storage take turns, so that each operator and form has all of them in some type,
    /// and in [`N_WAYS`] rounds all in each.
    pub(crate) fn cases(self, round: usize) -> Vec<Case> {
        let mut cases = Vec::new();
        for (a, op) in self.ops().enumerate() {
            for (b, form) in FORMS.into_iter().enumerate() {
                let turn = a + b + round;
                let storage = match form {
                    Form::All => [Storage::Variable, Storage::Arrays, Storage::Pointers][turn % 3],
                    _ => [Storage::Arrays, Storage::Pointers][turn % 2],
                };
                cases.push(Case { op, form, way: (turn + self.turn()) % N_WAYS, storage });
            }
        }
        cases
    }

    /// Every operator once; forms take turns, too.
    pub(crate) fn few_cases(self) -> Vec<Case> {
        let every = self.cases(0).into_iter().enumerate();
        let n_forms = FORMS.len();
        let is_turn = |at: usize| at % n_forms == (at / n_forms + self.turn()) % n_forms;
        every.filter(|(at, _)| is_turn(*at)).map(|(_, case)| case).collect()
    }

    /// What C expressions are combined, and what elements have before: of `h`, a random number, `q`, the place in memory, and `sign`, which alternates
    /// along every loop. Sums and products of signed integers do not overflow in the original's order, but would in others; those of
    /// floating-point numbers are rounded.
    pub(crate) fn values(self, op: Op) -> [String; 2] {
        let [contribution, before] = match (self.sort, op) {
            (Sort::Floating, _) => self.floating_values(op).map(str::to_owned),
            (_, And) => ["h % 3000 ? 1 + h % 3 : 0", "h % 10 ? 3 : 0"].map(str::to_owned),
            (_, Or) => ["h % 3000 ? 0 : 1 + h % 3", "h % 10 ? 0 : 3"].map(str::to_owned),
            (Sort::Truth, BitAnd) => ["h % 3000 != 0", "h % 10 != 0"].map(str::to_owned),
            (Sort::Truth, BitOr) => ["h % 3000 == 0", "h % 10 == 0"].map(str::to_owned),
            (Sort::Truth, _) => ["h & 1", "h >> 1 & 1"].map(str::to_owned),
            (_, BitAnd | BitOr) => {
                let bit = format!("(h % 200 ? 0 : 1ul << (h >> 9) % {})", self.bits);
                let not = if op == BitAnd { "~" } else { "" };
                [format!("{not}{bit}"), format!("{not}(h & 5)")]
            }
            (Sort::Signed, Sum | Difference) if self.bits >= 32 => {
                let large = 1_u64 << (self.bits - 2);
                [format!("sign * ({large}L - (long)(h % 1000))"), "h % 100".to_owned()]
            }
            (Sort::Signed, Product) if self.bits >= 32 => {
                let few = "q < 8 ? q + 2 : h & 4 ? 1 : -1";
                [few.to_owned(), "1 + (long)(h % 5)".to_owned()]
            }
            // What the product of two is converted to is an `int`.
            (Sort::Unsigned, Product) if self.bits == 16 => {
                ["(h | 1) & 32767", "h | 1"].map(str::to_owned)
            }
            (_, Product) => ["h | 1", "h | 1"].map(str::to_owned),
            _ => ["h", "h >> 3"].map(str::to_owned),
        };
        [contribution, before]
    }

    /// The same of floating-point numbers. Least and greatest ones are zeros of both signs at times; functions find what is no number, too.
    fn floating_values(self, op: Op) -> [&'static str; 2] {
        let least = "h % 11 ? (double)(h % 2000001) / 1e6 : h & 1024 ? 0.0 : -0.0";
        let greatest = "h % 11 ? (double)(h % 2000001) / -1e6 : h & 1024 ? 0.0 : -0.0";
        match op {
            Product => ["(h & 4 ? -1 : 1) * (1 + ((double)(h % 2001) - 1000) / 1e6)", "1.5"],
            MinTernary | MinIf => [least, "1 + (double)(h % 10)"],
            MaxTernary | MaxIf => [greatest, "-1 - (double)(h % 10)"],
            Fmin => [
                "h % 13 ? (double)(h % 2000001) / 1e6 : h & 1024 ? 0.0 / 0.0 : -0.0",
                "h % 3 ? 1.5 : 0.0 / 0.0",
            ],
            Fmax => [
                "h % 13 ? (double)(h % 2000001) / -1e6 : h & 1024 ? 0.0 / 0.0 : -0.0",
                "h % 3 ? -1.5 : 0.0 / 0.0",
            ],
            And => ["h % 3000 ? 0.5 + h % 3 : 0", "h % 10 ? 3 : 0"],
            Or => ["h % 3000 ? 0 : 0.5 + h % 3", "h % 10 ? 0 : 3"],
            _ => ["(double)(h % 2000001) / 1e6 - 1", "(double)(h % 100)"],
        }
    }
}

impl Case {
    /// A name that no other case has.
    pub(crate) fn name(self) -> String {
        format!("{:?}_{:?}_{}_{:?}", self.op, self.form, self.way, self.storage)
    }

    /// Whether it has three loops; else two.
    pub(crate) fn is_deep(self) -> bool {
        matches!(self.form, Form::Between | Form::Around)
    }

    /// The function, whose name begins with `prefix`.
    pub(crate) fn function(self, prefix: &str, ty: Type) -> String {
        let update = self.update(ty);
        let mut text = format!("{}\n{{\n", self.head(prefix, ty));
        if self.storage == Storage::Variable {
            text += &format!("  {} s = *r;\n", ty.name);
        }
        text += "#pragma scop\n";
        let loops = [("i", "n"), ("j", "m"), ("k", "l")];
        for (depth, (name, end)) in
            loops.iter().take(if self.is_deep() { 3 } else { 2 }).enumerate()
        {
            let indent = "  ".repeat(depth + 1);
            text += &format!("{indent}for (int {name} = 0; {name} < {end}; {name}++)\n");
        }
        text += &format!("        {update}\n#pragma endscop\n");
        if self.storage == Storage::Variable {
            text += "  *r = s;\n";
        }
        text + "}\n"
    }

    /// The function's head.
    pub(crate) fn head(self, prefix: &str, ty: Type) -> String {
        let name = ty.name;
        let [a, r] = match (self.storage, self.form) {
            (Storage::Pointers, _) => ["*a", "*r"],
            (Storage::Variable, _) => ["a[n][m]", "*r"],
            (_, Form::All) => ["a[n][m]", "r[1]"],
            (_, Form::X) => ["a[n][m]", "r[n]"],
            (_, Form::Y) => ["a[n][m]", "r[m]"],
            (_, Form::Between) => ["a[n][m][l]", "r[n][l]"],
            (_, Form::Around) => ["a[n][m][l]", "r[m]"],
        };
        format!("void {prefix}{}(int n, int m, int l, {name} {a}, {name} {r})", self.name())
    }

    /// The statement.
    fn update(self, ty: Type) -> String {
        let is_pointer = self.storage == Storage::Pointers;
        let x = match (self.storage, self.form) {
            (Storage::Variable, _) => "s",
            (_, Form::All) => "r[0]",
            (_, Form::X) => "r[i]",
            (_, Form::Y | Form::Around) => "r[j]",
            (Storage::Pointers, Form::Between) => "r[i * l + k]",
            (_, Form::Between) => "r[i][k]",
        };
        let e = match (is_pointer, self.is_deep()) {
            (true, true) => "a[(i * m + j) * l + k]",
            (true, false) => "a[i * m + j]",
            (false, true) => "a[i][j][k]",
            (false, false) => "a[i][j]",
        };
        self.op.written(ty, x, e)[self.way % N_WAYS].clone()
    }

    /// The operator as Farkas is to see it and what C says of its order; none where it is no update that Farkas knows.
    pub(crate) fn expected(self, ty: Type) -> Option<(Operator, Freedom)> {
        let operator = match self.op {
            Sum | Difference => Operator::Sum,
            Product => Operator::Product,
            MinTernary | MinIf => Operator::Min,
            MaxTernary | MaxIf => Operator::Max,
            Fmin => Operator::Fmin,
            Fmax => Operator::Fmax,
            And => Operator::And,
            Or => Operator::Or,
            BitAnd => Operator::BitAnd,
            BitOr => Operator::BitOr,
            BitXor => Operator::BitXor,
        };
        let is_arithmetic = matches!(operator, Operator::Sum | Operator::Product);
        let freedom = match (ty.sort, &operator) {
            // In `x = x && e`, it depends on the order whether `e` is evaluated, which might trap.
            (_, Operator::And | Operator::Or) => (self.way != 1).then_some(Freedom::Free),
            (Sort::Floating, Operator::Fmin | Operator::Fmax) => Some(Freedom::Value),
            (Sort::Floating, _) => Some(Freedom::Rounded),
            // Truth values are stored as zero or one: another operator than the one that is written.
            (Sort::Truth, Operator::BitAnd | Operator::BitOr) => Some(Freedom::Free),
            (Sort::Truth, _) => None,
            // What is narrower than `int` is computed as one.
            (_, _) if is_arithmetic && ty.bits < 32 => Some(Freedom::Unsigned(32)),
            (Sort::Signed, _) if is_arithmetic => Some(Freedom::Unsigned(ty.bits)),
            _ => Some(Freedom::Free),
        };
        freedom.map(|freedom| (operator, freedom))
    }

    /// The form as Farkas is to see it.
    pub(crate) fn expected_form(self) -> ReductionForm {
        match self.form {
            Form::All => ReductionForm::All,
            Form::X => ReductionForm::X,
            Form::Y => ReductionForm::Y,
            Form::Between | Form::Around => ReductionForm::Interleaved,
        }
    }
}

impl Op {
    /// `x` combined with `e`, in all ways: as compound assignment, with `x` first, with `e` first, or what is most like it.
    fn written(self, ty: Type, x: &str, e: &str) -> [String; N_WAYS] {
        let binary = |op: &str| {
            [
                format!("{x} {op}= {e};"),
                format!("{x} = {x} {op} {e};"),
                format!("{x} = {e} {op} {x};"),
            ]
        };
        let logical = |op: &str| {
            let first = format!("{x} = {e} {op} {x};");
            [first, format!("{x} = {x} {op} {e};"), format!("{x} = {e} != 0 {op} {x};")]
        };
        let selected = |op: &str, not: &str, turned: &str| {
            let usual = format!("{x} = {e} {op} {x} ? {e} : {x};");
            [
                usual,
                format!("{x} = {e} {not} {x} ? {x} : {e};"),
                format!("{x} = {x} {turned} {e} ? {e} : {x};"),
            ]
        };
        let conditional = |op: &str, turned: &str| {
            let usual = format!("if ({e} {op} {x}) {x} = {e};");
            [
                usual,
                format!("if ({x} {turned} {e}) {x} = {e};"),
                format!("if ({e} {op}= {x}) {x} = {e};"),
            ]
        };
        let called = |function: &str| {
            let f = if ty.bits == 32 { format!("{function}f") } else { function.to_owned() };
            let usual = format!("{x} = {f}({x}, {e});");
            [usual, format!("{x} = {f}({e}, {x});"), format!("{x} = __builtin_{f}({x}, {e});")]
        };
        match self {
            Sum => binary("+"),
            Difference => {
                [format!("{x} -= {e};"), format!("{x} = {x} - {e};"), format!("{x} = -{e} + {x};")]
            }
            Product => binary("*"),
            MinTernary => selected("<", ">=", ">"),
            MaxTernary => selected(">", "<=", "<"),
            MinIf => conditional("<", ">"),
            MaxIf => conditional(">", "<"),
            Fmin => called("fmin"),
            Fmax => called("fmax"),
            And => logical("&&"),
            Or => logical("||"),
            BitAnd => binary("&"),
            BitOr => binary("|"),
            BitXor => binary("^"),
        }
    }
}
