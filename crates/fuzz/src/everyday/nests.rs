//! Making everyday programs: loop nests and what is in them.

use super::functions::Maker;
use super::kinds::Kind;
use super::model::{
    Access, Assign, Counter, CounterForm, End, Form, Function, Guard, Helper, IntType, Item, Loop,
    LoopForm, Nest, Placement, Subscript, Term,
};

/// Names of iterators by depth.
const ITERATORS: [&[&str]; 3] = [&["i", "it"], &["j", "jt"], &["k", "t1"]];

/// Loops around a place, outermost first.
type Around<'a> = Vec<&'a Loop>;

impl Maker {
    /// A nest and its place.
    pub(super) fn nest(&mut self, function: &Function) -> Nest {
        let place = self.placement();
        let pragma = self.pragma();
        let probe = Nest { place, pragma, root: self.head(function, &Vec::new(), None) };
        if probe.promises()
            && let Some(root) = self.promised(function, &probe.root)
        {
            return Nest { root, ..probe };
        }
        let pragma = pragma.filter(|_| !probe.promises());
        let depth = 1 + self.random.weighted(&[35, 50, 15]);
        Nest { place, pragma, root: self.looped(function, &Vec::new(), depth) }
    }

    /// Where a nest stands.
    fn placement(&mut self) -> Placement {
        if self.likes(Kind::UnbracedBodies) {
            self.random.pick(&[Placement::UnbracedIf, Placement::UnbracedElse])
        } else if self.likes(Kind::Labels) {
            Placement::Label
        } else if self.likes(Kind::HalfLines) {
            Placement::HalfLine
        } else if self.likes(Kind::Macros) {
            self.random.pick(&[Placement::Macro, Placement::HeadMacro])
        } else {
            Placement::Plain
        }
    }

    /// A pragma before a nest.
    fn pragma(&mut self) -> Option<&'static str> {
        if self.likes(Kind::ParallelPragmas) {
            Some(self.random.pick(&[
                "omp parallel for",
                "omp parallel for schedule(static)",
                "omp simd",
                "GCC ivdep",
            ]))
        } else if self.likes(Kind::Pragmas) {
            Some(self.random.pick(&["GCC unroll 4", "GCC unroll 2"]))
        } else {
            None
        }
    }

    /// A loop whose iterations are independent, in the form that OpenMP asks for: each writes an element of its own, and
    /// reads that and other arrays.
    fn promised(&mut self, function: &Function, head: &Loop) -> Option<Loop> {
        let plain = head.clone();
        let mut root = Loop { form: LoopForm::Up, step: 1, less: 0, from_first: false, ..plain };
        let target = function.arrays.iter().position(|a| a.form == Form::Pointer)?;
        let own = Subscript { terms: vec![(1, root.name.clone())], size: None, constant: 0 };
        let around = vec![&root];
        let mut terms = vec![Term::Read(0, Access::Element(target, vec![own.clone()]))];
        for _ in 0..1 + self.random.below(2) {
            let source = self.random.below(function.arrays.len());
            if source != target
                && let Some(access) = self.element(function, source, &around)
            {
                terms.push(Term::Read(1, access));
            }
        }
        let target = Access::Element(target, vec![own]);
        root.body = vec![Item::Assign(Assign { target, op: "=", terms, helper: None })];
        Some(root)
    }

    /// A loop with `depth` loops from here on.
    fn looped(&mut self, function: &Function, around: &Around<'_>, depth: usize) -> Loop {
        let outer = around.last().copied();
        let mut node = self.head(function, around, outer);
        let mut inside = around.clone();
        let head = node.clone();
        inside.push(&head);
        node.body = self.body(function, &inside, depth - 1);
        node
    }

    /// What a loop has inside.
    fn body(&mut self, function: &Function, around: &Around<'_>, depth: usize) -> Vec<Item> {
        let mut items = Vec::new();
        if depth == 0 {
            for _ in 0..1 + self.random.below(2) {
                let item = Item::Assign(self.assign(function, around));
                items.push(self.guarded(function, around, item));
            }
            return items;
        }
        if self.random.chance(30) {
            items.push(Item::Assign(self.assign(function, around)));
        }
        let inner = Item::Loop(self.looped(function, around, depth));
        items.push(self.guarded(function, around, inner));
        if self.random.chance(30) {
            items.push(Item::Assign(self.assign(function, around)));
        }
        items
    }

    /// An item, at times under a condition.
    fn guarded(&mut self, function: &Function, around: &Around<'_>, item: Item) -> Item {
        let guard = if self.likes(Kind::WrappingGuards) {
            self.wrapping(function, around).map(Guard::Wrapping)
        } else if matches!(item, Item::Assign(_)) && self.likes(Kind::DataGuards) {
            let array = self.random.below(function.arrays.len());
            self.element(function, array, around).map(Guard::Data)
        } else if self.random.chance(8) {
            around.last().map(|node| {
                let bound = self.random.between(0, 5);
                Guard::Affine(format!("{} {} {bound}", node.name, self.random.pick(&[">", "!="])))
            })
        } else {
            None
        };
        match guard {
            Some(guard) => Item::If(guard, vec![item]),
            None => item,
        }
    }

    /// A condition whose value depends on whether a difference wraps.
    fn wrapping(&mut self, function: &Function, around: &Around<'_>) -> Option<String> {
        let is_wide = |ty: IntType| matches!(ty, IntType::Unsigned | IntType::Size);
        let iterators = around.iter().filter(|node| !node.from_first);
        let mut names: Vec<(&str, bool)> =
            iterators.map(|node| (node.name.as_str(), is_wide(node.ty))).collect();
        names.extend(function.sizes.iter().map(|size| (size.name, is_wide(size.ty))));
        let (left, _) = self.random.pick(&names);
        let (right, _) = self.random.pick(&names);
        let number = self.random.between(0, 6);
        Some(match self.random.below(6) {
            0 => format!("{left} - {right} == {}", self.random.pick(&[1, 0, 2])),
            1 => format!("{left} - {number} > 0"),
            2 => format!("{left} - {number} < {right}"),
            3 => format!("{left} - {right} >= {number}"),
            4 => format!("{left} - {number} <= {right} - {number}"),
            _ => format!("({left} - {number}) % 3 == 1"),
        })
    }

    /// A loop's head.
    fn head(&mut self, function: &Function, around: &Around<'_>, outer: Option<&Loop>) -> Loop {
        let names = ITERATORS[around.len().min(2)];
        let liked = names[names.len() - 1];
        let is_free = !self.numbers.contains(&liked);
        let name = if self.likes(Kind::UserNames) && is_free { liked } else { names[0] };
        let ty = self.iterator_type();
        let size = self.random.below(function.sizes.len());
        let triangle = outer.filter(|o| !o.from_first && o.form != LoopForm::DownShifted);
        let end = match triangle {
            Some(outer) if self.likes(Kind::Triangles) => match outer.end {
                End::Size(size) => End::Iterator(outer.name.clone(), size),
                _ => End::Size(size),
            },
            _ if self.random.chance(8) => End::Number(self.random.between(1, 9)),
            _ => End::Size(size),
        };
        let from_first = ty == IntType::Int
            && matches!(end, End::Size(size) if function.sizes[size].ty == IntType::Int)
            && self.likes(Kind::EndOfType);
        let form = self.loop_form(ty);
        let low = self.random.pick(&[0, 0, 1, 2]);
        let less = match (&end, form) {
            (End::Iterator(..), _) => 0,
            _ => self.random.pick(&[0, 0, 0, 1, 2]),
        };
        let step = if self.likes(Kind::Strides) { self.random.pick(&[2, 3, 5]) } else { 1 };
        let mut node = Loop {
            name: name.into(),
            ty,
            form,
            end,
            low,
            less,
            step,
            from_first,
            counter: self.counter(),
            body: Vec::new(),
        };
        node.settle();
        node
    }

    /// What moves along with a loop.
    fn counter(&mut self) -> Option<Counter> {
        use CounterForm::{Added, Left, Named, Pointer, While};
        let form = if self.likes(Kind::Counters) {
            self.random.pick(&[Added, Added, Named, Left])
        } else if self.likes(Kind::Walks) {
            Pointer
        } else if self.likes(Kind::WhileLoops) {
            While
        } else {
            return None;
        };
        let is_outer = !matches!(form, Pointer | While) && self.random.chance(50);
        let is_read_later = is_outer && self.random.chance(20);
        Some(Counter { form, is_outer, is_read_later })
    }

    /// The type of an iterator.
    fn iterator_type(&mut self) -> IntType {
        if self.likes(Kind::UnsignedIterators)
            || self.likes(Kind::WrappingGuards)
            || self.likes(Kind::DownUnsigned)
        {
            IntType::Unsigned
        } else if self.likes(Kind::NarrowIterators) {
            self.random.pick(&[
                IntType::Short,
                IntType::SignedChar,
                IntType::UnsignedChar,
                IntType::UnsignedShort,
            ])
        } else if self.likes(Kind::WideIterators) {
            self.random.pick(&[IntType::Long, IntType::Size])
        } else {
            IntType::Int
        }
    }

    /// How a loop is written.
    fn loop_form(&mut self, ty: IntType) -> LoopForm {
        let down = if ty.is_unsigned() { Kind::DownUnsigned } else { Kind::Down };
        if self.likes(down) {
            let forms = [LoopForm::Down, LoopForm::DownShifted, LoopForm::DownTested];
            forms[self.random.weighted(&[45, 45, 10])]
        } else {
            // The last one is refused where a size may be negative.
            let forms = [LoopForm::Up, LoopForm::UpInclusive, LoopForm::UpUnequal];
            forms[self.random.weighted(&[80, 18, 2])]
        }
    }

    /// A statement.
    fn assign(&mut self, function: &Function, around: &Around<'_>) -> Assign {
        let target = self.access(function, around);
        let mut terms = Vec::new();
        for _ in 0..1 + self.random.below(3) {
            let access = self.access(function, around);
            terms.push(Term::Read(self.random.below(4), access));
        }
        if self.random.chance(15)
            && let Some(node) = around.last()
        {
            terms.push(Term::Index(node.name.clone()));
        }
        if self.random.chance(30) {
            terms.push(Term::One);
        }
        if self.n_names > 0 && self.random.chance(40) {
            terms.push(Term::Name(self.random.below(self.n_names)));
        }
        let can_add = match &target {
            Access::Element(array, _) => {
                let element = function.arrays[*array].element;
                element.is_floating() || element == super::model::Element::Unsigned
            }
            Access::Scalar(_) => function.main != super::model::Element::Int,
        };
        let op = if can_add && self.random.chance(25) { "+=" } else { "=" };
        let helpers = [Helper::Put, Helper::Seen, Helper::Run];
        let helper = self.likes(Kind::Helpers).then(|| self.random.pick(&helpers));
        Assign { target, op, terms, helper }
    }

    /// An element or a scalar.
    fn access(&mut self, function: &Function, around: &Around<'_>) -> Access {
        if !function.scalars.is_empty() && self.random.chance(25) {
            return Access::Scalar(self.random.below(function.scalars.len()));
        }
        for _ in 0..4 {
            let array = self.random.below(function.arrays.len());
            if let Some(access) = self.element(function, array, around) {
                return access;
            }
        }
        // The first array takes any subscript.
        let subscript = self.subscript(function, around);
        let column = function.arrays[0].form.rank() > 1;
        let column = column.then(|| self.subscript(function, around));
        Access::Element(0, std::iter::once(subscript).chain(column).collect())
    }

    /// An element of an array, or nothing where no iterator around fits its rows.
    pub(super) fn element(
        &mut self,
        function: &Function,
        array: usize,
        around: &Around<'_>,
    ) -> Option<Access> {
        let subscripts = match function.arrays[array].form {
            Form::Rows(rows, columns) => {
                vec![self.inside(function, rows, around)?, self.inside(function, columns, around)?]
            }
            Form::Linear(size) => {
                vec![self.subscript(function, around), self.column(function, size, around)]
            }
            Form::PointerRows => {
                vec![self.subscript(function, around), self.subscript(function, around)]
            }
            Form::Pointer | Form::Restrict | Form::Global => {
                vec![self.subscript(function, around)]
            }
        };
        Some(Access::Element(array, subscripts))
    }

    /// A subscript that lies inside an extent.
    fn inside(
        &mut self,
        function: &Function,
        size: usize,
        around: &Around<'_>,
    ) -> Option<Subscript> {
        let fits = |node: &&&Loop| match &node.end {
            End::Size(end) | End::Iterator(_, end) => *end == size,
            End::Number(_) => false,
        };
        let fitting: Vec<&Loop> = around.iter().filter(fits).copied().collect();
        if fitting.is_empty() {
            return None;
        }
        let node = self.random.pick(&fitting);
        let mirrored = self.random.chance(10);
        let (least, most) = if mirrored { (-node.less, node.low) } else { (-node.low, node.less) };
        let constant = if self.random.chance(60) { 0 } else { self.random.between(least, most) };
        let constant =
            if mirrored { constant.max(unsigned_least(node, function)) } else { constant };
        Some(Subscript {
            terms: vec![(if mirrored { -1 } else { 1 }, node.name.clone())],
            size: mirrored.then_some(size),
            constant,
        })
    }

    /// The second part of `A[i * n + j]`: mostly inside a row.
    fn column(&mut self, function: &Function, size: usize, around: &Around<'_>) -> Subscript {
        if self.random.chance(70)
            && let Some(subscript) = self.inside(function, size, around)
        {
            return subscript;
        }
        self.subscript(function, around)
    }

    /// Any subscript near the iterators around.
    fn subscript(&mut self, function: &Function, around: &Around<'_>) -> Subscript {
        let node = self.random.pick(around);
        let mut terms = vec![(self.random.pick(&[1, 1, 1, 1, 1, 2]), node.name.clone())];
        let mut least = -node.low;
        if self.random.chance(10) {
            let other = self.random.pick(around);
            if other.name != node.name {
                terms.push((1, other.name.clone()));
                least -= other.low;
            }
        }
        if self.random.chance(8)
            && let End::Size(size) = node.end
        {
            let terms = vec![(-1, node.name.clone())];
            return Subscript { terms, size: Some(size), constant: unsigned_least(node, function) };
        }
        let constant = self.random.pick(&[0, 0, 0, -1, 1, -2, 2]).max(least);
        Subscript { terms, size: None, constant }
    }
}

/// The least constant of `n - 1 - i + constant` where nothing may wrap.
fn unsigned_least(node: &Loop, function: &Function) -> i64 {
    let is_unsigned = function.sizes.iter().any(|size| size.ty.is_unsigned());
    if is_unsigned || node.ty.is_unsigned() { 0 } else { -node.less }
}

impl Loop {
    /// Makes form, step and bounds fit each other, so that the loop ends and nothing wraps that must not.
    pub(super) fn settle(&mut self) {
        let signed_only = matches!(self.form, LoopForm::Down | LoopForm::UpInclusive);
        if signed_only && self.ty.is_unsigned() {
            self.form =
                if self.form == LoopForm::Down { LoopForm::DownTested } else { LoopForm::Up };
        }
        if matches!(self.end, End::Iterator(..)) && self.form != LoopForm::Down {
            self.form = LoopForm::Up;
        }
        if self.from_first && self.form != LoopForm::Down {
            self.form = LoopForm::Up;
        }
        match self.form {
            LoopForm::UpUnequal => (self.low, self.less, self.step) = (0, 0, 1),
            LoopForm::DownTested | LoopForm::DownShifted => (self.less, self.step) = (0, 1),
            LoopForm::Up | LoopForm::UpInclusive | LoopForm::Down => {}
        }
        if self.from_first {
            self.step = 1;
        }
        let is_up = matches!(self.form, LoopForm::Up | LoopForm::UpInclusive | LoopForm::UpUnequal);
        if !is_up || self.from_first {
            self.counter = None;
        }
        // What an iteration leaves to the next is below the first value at first.
        if let Some(Counter { form: form @ CounterForm::Left, .. }) = &mut self.counter
            && self.ty.is_unsigned()
        {
            *form = CounterForm::Added;
        }
    }
}
