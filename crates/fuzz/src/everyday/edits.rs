//! Making failing everyday programs small, by edits that keep them without undefined behaviour.

use super::model::{
    Access, Assign, Call, End, Everyday, Form, Function, IntType, Item, Layout, Loop, LoopForm,
    Nest, Placement, Subscript, Term,
};

/// The smallest program found, after at most `most` tries. `fails` must hold for `program`.
pub fn shrink_everyday(
    program: &Everyday,
    most: usize,
    fails: &mut dyn FnMut(&Everyday) -> bool,
) -> Everyday {
    let (mut best, mut tries, mut at, mut since_success) = (program.clone(), 0, 0, 0);
    while tries < most {
        let candidates = candidates(&best);
        if candidates.is_empty() || since_success >= candidates.len() {
            break;
        }
        at %= candidates.len();
        tries += 1;
        if candidates[at] != best && fails(&candidates[at]) {
            best = candidates[at].clone();
            since_success = 0;
        } else {
            at += 1;
            since_success += 1;
        }
    }
    best
}

/// Programs with one part dropped or made plain, large steps first.
fn candidates(program: &Everyday) -> Vec<Everyday> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Everyday)| {
        let mut changed = program.clone();
        change(&mut changed);
        all.push(changed);
    };
    if program.functions.len() > 1 {
        (0..program.functions.len()).for_each(|at| with(&|p| drop_function(p, at)));
    }
    if program.calls.len() > 1 {
        (0..program.calls.len()).for_each(|at| with(&|p| drop(p.calls.remove(at))));
    }
    (0..program.names.len()).for_each(|at| with(&|p| drop_name(p, at)));
    for (at, function) in program.functions.iter().enumerate() {
        for smaller in smaller_function(function) {
            with(&|p| p.functions[at].clone_from(&smaller));
        }
        for array in (0..function.arrays.len()).filter(|_| function.arrays.len() > 1) {
            if !mentions(function, array) {
                with(&|p| drop_array(p, at, array));
            }
        }
    }
    for (at, call) in program.calls.iter().enumerate() {
        for smaller in smaller_call(call) {
            with(&|p| p.calls[at].clone_from(&smaller));
        }
    }
    all
}

/// Without a function and its calls.
fn drop_function(program: &mut Everyday, at: usize) {
    program.functions.remove(at);
    program.calls.retain(|call| call.function != at);
    for call in &mut program.calls {
        call.function -= usize::from(call.function > at);
    }
}

/// Without a name of the user's.
fn drop_name(program: &mut Everyday, at: usize) {
    program.names.remove(at);
    for_each_assign(program, &|assign| {
        for term in &mut assign.terms {
            match term {
                Term::Name(name) if *name == at => *term = Term::One,
                Term::Name(name) if *name > at => *name -= 1,
                _ => {}
            }
        }
    });
}

/// Whether a function reads or writes an array.
fn mentions(function: &Function, array: usize) -> bool {
    format!("{:?}", function.nests).contains(&format!("Element({array},"))
}

/// Without an array that a function does not mention.
fn drop_array(program: &mut Everyday, function: usize, array: usize) {
    program.functions[function].arrays.remove(array);
    for call in program.calls.iter_mut().filter(|call| call.function == function) {
        call.arguments.remove(array);
    }
    let renumber = |access: &mut Access| {
        if let Access::Element(at, _) = access
            && *at > array
        {
            *at -= 1;
        }
    };
    for nest in &mut program.functions[function].nests {
        each_access(&mut nest.root.body, &renumber);
    }
}

/// Calls `f` on every access.
fn each_access(items: &mut [Item], f: &dyn Fn(&mut Access)) {
    for item in items {
        match item {
            Item::Loop(inner) => each_access(&mut inner.body, f),
            Item::If(guard, then) => {
                if let super::model::Guard::Data(access) = guard {
                    f(access);
                }
                each_access(then, f);
            }
            Item::Assign(assign) => {
                f(&mut assign.target);
                for term in &mut assign.terms {
                    if let Term::Read(_, access) = term {
                        f(access);
                    }
                }
            }
        }
    }
}

/// Calls `f` on every assignment.
fn for_each_assign(program: &mut Everyday, f: &dyn Fn(&mut Assign)) {
    fn walk(items: &mut [Item], f: &dyn Fn(&mut Assign)) {
        for item in items {
            match item {
                Item::Loop(inner) => walk(&mut inner.body, f),
                Item::If(_, then) => walk(then, f),
                Item::Assign(assign) => f(assign),
            }
        }
    }
    for function in &mut program.functions {
        function.nests.iter_mut().for_each(|nest| walk(&mut nest.root.body, f));
    }
}

/// Calls with smaller sizes.
fn smaller_call(call: &Call) -> Vec<Call> {
    let mut all = Vec::new();
    if call.first != 0 {
        all.push(Call { first: 0, ..call.clone() });
    }
    // Null pointers need loops that do not run.
    for at in (0..call.sizes.len()).filter(|_| call.layout != Layout::Null) {
        for size in [call.sizes[at] / 2, call.sizes[at] - 1] {
            if (0..call.sizes[at]).contains(&size) {
                let mut smaller = call.clone();
                smaller.sizes[at] = size;
                all.push(smaller);
            }
        }
    }
    all
}

/// A function with something dropped or made plain.
fn smaller_function(function: &Function) -> Vec<Function> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Function)| {
        let mut changed = function.clone();
        change(&mut changed);
        all.push(changed);
    };
    for at in 0..function.nests.len() {
        if function.nests.len() > 1 {
            with(&|f| drop(f.nests.remove(at)));
        }
        for nest in smaller_nest(&function.nests[at], function.arrays_are_free()) {
            with(&|f| f.nests[at].clone_from(&nest));
        }
    }
    with(&|f| f.has_ends = false);
    for at in 0..function.sizes.len() {
        with(&|f| f.sizes[at].ty = IntType::Int);
    }
    for at in 0..function.arrays.len() {
        if function.arrays[at].form == Form::Restrict {
            with(&|f| f.arrays[at].form = Form::Pointer);
        }
    }
    if function.scalars.iter().any(|s| *s != super::model::ScalarKind::Local) {
        with(&|f| f.scalars.fill(super::model::ScalarKind::Local));
    }
    if function.scalars.len() == 1 && !format!("{:?}", function.nests).contains("Scalar(") {
        with(&|f| f.scalars.clear());
    }
    all
}

impl Function {
    /// Whether every array takes any subscript near the iterators.
    fn arrays_are_free(&self) -> bool {
        !self.arrays.iter().any(|array| matches!(array.form, Form::Rows(..)))
    }
}

/// A nest with something dropped or made plain; where nothing is `free`, bounds and subscripts stay.
fn smaller_nest(nest: &Nest, free: bool) -> Vec<Nest> {
    let mut all = Vec::new();
    if nest.place != Placement::Plain {
        all.push(Nest { place: Placement::Plain, ..nest.clone() });
    }
    if nest.pragma.is_some() {
        all.push(Nest { pragma: None, ..nest.clone() });
    }
    let free = free && !nest.promises();
    // A loop alone becomes the nest.
    if let [Item::Loop(inner)] = nest.root.body.as_slice()
        && !format!("{inner:?}").contains(&format!("\"{}\"", nest.root.name))
    {
        all.push(Nest { root: inner.clone(), ..nest.clone() });
    }
    all.extend(
        smaller_loop(&nest.root, free).into_iter().map(|root| Nest { root, ..nest.clone() }),
    );
    all
}

/// A loop with something dropped or made plain.
fn smaller_loop(node: &Loop, free: bool) -> Vec<Loop> {
    let mut all = Vec::new();
    let mut with = |change: &dyn Fn(&mut Loop)| {
        let mut changed = node.clone();
        change(&mut changed);
        all.push(changed);
    };
    for items in smaller_items(&node.body, free) {
        with(&|l| l.body.clone_from(&items));
    }
    with(&|l| l.step = 1);
    with(&|l| l.from_first = false);
    with(&|l| l.counter = None);
    if node.form != LoopForm::DownShifted || free {
        with(&|l| l.form = LoopForm::Up);
    }
    with(&|l| l.ty = IntType::Int);
    if free {
        with(&|l| l.low = 0);
        with(&|l| l.less = 0);
        if let End::Iterator(_, size) = node.end {
            with(&|l| l.end = End::Size(size));
        }
    }
    all
}

/// Items with one dropped, taken out of a condition or made smaller.
fn smaller_items(items: &[Item], free: bool) -> Vec<Vec<Item>> {
    let mut all = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let mut with = |new: Vec<Item>| {
            let mut changed = items.to_vec();
            changed.splice(at..=at, new);
            all.push(changed);
        };
        if items.len() > 1 {
            with(Vec::new());
        }
        match item {
            Item::Loop(inner) => {
                if !format!("{:?}", inner.body).contains(&format!("\"{}\"", inner.name)) {
                    with(inner.body.clone());
                }
                smaller_loop(inner, free).into_iter().for_each(|l| with(vec![Item::Loop(l)]));
            }
            Item::If(guard, then) => {
                with(then.clone());
                for smaller in smaller_items(then, free) {
                    with(vec![Item::If(guard.clone(), smaller)]);
                }
            }
            Item::Assign(assign) => {
                for smaller in smaller_assign(assign, free) {
                    with(vec![Item::Assign(smaller)]);
                }
            }
        }
    }
    all
}

/// An assignment with a term dropped or a subscript made smaller.
fn smaller_assign(assign: &Assign, free: bool) -> Vec<Assign> {
    let mut all = Vec::new();
    for at in 0..assign.terms.len() {
        let mut rest = assign.clone();
        rest.terms.remove(at);
        all.push(rest);
        if let Term::Read(_, access) = &assign.terms[at] {
            for smaller in smaller_access(access, free) {
                let mut changed = assign.clone();
                changed.terms[at] = Term::Read(0, smaller);
                all.push(changed);
            }
        }
    }
    if assign.op != "=" {
        all.push(Assign { helper: None, ..assign.clone() });
        all.push(Assign { op: "=", ..assign.clone() });
    }
    for target in smaller_access(&assign.target, free) {
        all.push(Assign { target, ..assign.clone() });
    }
    all
}

/// An access with a subscript made smaller.
fn smaller_access(access: &Access, free: bool) -> Vec<Access> {
    let Access::Element(array, subscripts) = access else { return Vec::new() };
    let mut all = Vec::new();
    for at in (0..subscripts.len()).filter(|_| free) {
        for smaller in smaller_subscript(&subscripts[at]) {
            let mut changed = subscripts.clone();
            changed[at] = smaller;
            all.push(Access::Element(*array, changed));
        }
    }
    all
}

/// A subscript with a term dropped, or factors and constant made plain.
fn smaller_subscript(subscript: &Subscript) -> Vec<Subscript> {
    let mut all = Vec::new();
    if subscript.constant != 0 {
        all.push(Subscript { constant: 0, ..subscript.clone() });
    }
    if subscript.size.is_none() && subscript.terms.len() > 1 {
        all.push(Subscript { terms: subscript.terms[..1].to_vec(), ..subscript.clone() });
    }
    for at in 0..subscript.terms.len() {
        if subscript.terms[at].0 > 1 {
            let mut changed = subscript.clone();
            changed.terms[at].0 = 1;
            all.push(changed);
        }
    }
    all
}
