//! Making random programs of reductions: nests that update elements which data chooses, update under conditions on data, and keep what comes
//! with the least or the greatest value. Their loops run often enough for several parts and blocks.

use super::reductions::{Cell, Operator, Role};
use super::{Generator, MORE_ARRAYS, Walk, binary, literal};
use crate::program::{
    Array, Chosen, Cut, Expr, Fill, Linear, Node, Place, Quasi, Range, Scalar, Stmt, Storage, Type,
    Variable,
};

/// How far subscripts go in such nests.
const WIDEST: i64 = 130;

/// What a selection keeps: the value that it compares, and what comes with it.
#[derive(Clone, Debug)]
struct Selected {
    is_least: bool,
    /// The value that is compared first.
    kept: Vec<Slot>,
}

/// A scalar or an array that a selection keeps values in.
#[derive(Clone, Copy, Debug)]
struct Slot {
    ty: Type,
    at: usize,
    is_array: bool,
}

impl Generator<'_> {
    /// A nest of one or two loops; before it, at times, what begins a selection.
    pub(super) fn scattered_nest(&mut self) -> Vec<Node> {
        self.add_indices();
        self.is_pure = self.random.chance(65);
        self.is_plain = self.is_pure || self.random.chance(75);
        let outer_widest = std::mem::replace(&mut self.widest, WIDEST);
        self.chosen_percent = 70;
        let selected = self.random.chance(45).then(|| self.selected());
        let mut nodes = Vec::new();
        if let Some(selected) = selected.as_ref().filter(|s| !s.kept[0].is_array)
            && self.random.chance(75)
        {
            nodes.extend(self.selection_beginning(selected));
        }
        nodes.push(match self.random.weighted(&[55, 28, 17]) {
            0 => self.long_loop(0, |inside| inside.scattered_stmts(selected.as_ref())),
            1 => self.long_loop(0, |inside| {
                inside.around(|inside| inside.short_loop(1, selected.as_ref()), selected.as_ref())
            }),
            _ => self.short_outer(selected.as_ref()),
        });
        self.widest = outer_widest;
        self.chosen_percent = 0;
        nodes
    }

    /// A short loop around a long one, in which a selection into arrays mostly begins.
    fn short_outer(&mut self, selected: Option<&Selected>) -> Node {
        let walk = self.walk_to(3, 9);
        self.loop_of(0, walk, |inside| {
            let begins = inside.random.chance(60);
            let begun = selected.filter(|s| begins && s.kept[0].is_array);
            let mut nodes = begun.map_or_else(Vec::new, |s| inside.selection_beginning(s));
            nodes.extend(inside.around(
                |inside| inside.long_loop(1, |inside| inside.scattered_stmts(selected)),
                selected,
            ));
            nodes
        })
    }

    /// A node, at times with an update beside it.
    fn around(
        &mut self,
        node: impl FnOnce(&mut Self) -> Node,
        selected: Option<&Selected>,
    ) -> Vec<Node> {
        let percent = if self.is_pure { 6 } else { 18 };
        let before = self.random.chance(percent).then(|| self.scattered_stmt(selected));
        let node = node(self);
        let after = self.random.chance(percent).then(|| self.scattered_stmt(selected));
        before.into_iter().chain([node]).chain(after).collect()
    }

    /// A loop of a few iterations.
    fn short_loop(&mut self, depth: usize, selected: Option<&Selected>) -> Node {
        let walk = self.walk_to(3, 9);
        self.loop_of(depth, walk, |inside| inside.scattered_stmts(selected))
    }

    /// From zero to a number between two.
    fn walk_to(&mut self, low: i64, high: i64) -> Walk {
        let upper = Linear::int(self.random.between(low, high));
        let range = Range { low: 0, high: upper.constant - 1 };
        Walk { lower: vec![Linear::int(0)], upper: vec![upper], range, step: 1, down: false }
    }

    /// A loop of many iterations.
    fn long_loop(&mut self, depth: usize, body: impl FnOnce(&mut Self) -> Vec<Node>) -> Node {
        let mut walk = self.walk_to(24, 90);
        if let Some(mut upper) = self.parameter(0, 1).filter(|_| self.random.chance(60)) {
            upper.terms[0].0 = self.random.pick(&[1, 2, 3, 4]);
            walk.range.high = upper.range(&self.ranges).map_or(0, |range| range.high - 1);
            walk.upper = vec![upper];
        }
        if self.random.chance(15) {
            walk.lower = vec![Linear::int(1)];
            walk.range.low = 1;
        }
        walk.step = self.random.pick(&[1, 1, 1, 1, 1, 1, 1, 2]);
        walk.down = self.random.chance(8);
        self.loop_of(depth, walk, body)
    }

    /// What is in the innermost loop.
    fn scattered_stmts(&mut self, selected: Option<&Selected>) -> Vec<Node> {
        let n_locals = self.locals.len();
        let is_alone = self.is_pure && selected.is_some();
        let by_number = if self.is_pure { [80, 20, 0] } else { [45, 40, 15] };
        let n = if is_alone { 1 } else { 1 + self.random.weighted(&by_number) };
        let nodes = (0..n).map(|_| self.scattered_stmt(selected)).collect();
        self.locals.truncate(n_locals);
        nodes
    }

    /// An update, one under a condition, a selection, or anything that other nests have.
    fn scattered_stmt(&mut self, selected: Option<&Selected>) -> Node {
        self.stmts_left = self.stmts_left.saturating_sub(1);
        if let Some(selected) = selected.filter(|_| self.is_pure || self.random.chance(65)) {
            return Node::Stmt(self.select(selected));
        }
        let by_kind = if self.is_pure { [65, 35, 0] } else { [55, 30, 15] };
        match self.random.weighted(&by_kind) {
            0 => Node::Stmt(self.any_update()),
            1 => {
                let (condition, then) = (self.comparison(), vec![self.any_update()]);
                Node::Stmt(Stmt::If { condition, then, otherwise: Vec::new() })
            }
            _ => self.updates(),
        }
    }

    /// One or two arrays whose elements choose, where the program has none yet.
    fn add_indices(&mut self) {
        if self.array_roles.contains(&Role::Index) {
            return;
        }
        for _ in 0..1 + usize::from(self.random.chance(30)) {
            let ty = self.random.pick(&[
                Type::Int,
                Type::Int,
                Type::Byte,
                Type::Short,
                Type::Unsigned,
                Type::Long,
            ]);
            let rank = 1 + usize::from(self.random.chance(20));
            self.add_another(ty, rank, Fill::Indices, Role::Index);
        }
    }

    /// An array in the storage that the others have; its position.
    fn add_another(&mut self, ty: Type, rank: usize, fill: Fill, role: Role) -> Option<usize> {
        let n_more = self.array_roles.iter().filter(|r| matches!(r, Role::Index | Role::Kept));
        let name = (*MORE_ARRAYS.get(n_more.count())?).into();
        let storage = self.program.arrays.first().map_or(Storage::Global, |array| array.storage);
        let extent_params = vec![None; rank];
        self.program.arrays.push(Array { name, ty, rank, storage, extent_params, fill });
        self.array_roles.push(role);
        Some(self.program.arrays.len() - 1)
    }

    /// An element of an array that data chooses; a plain one where there is no such data.
    pub(super) fn chosen(&mut self, array: usize) -> Place {
        let rank = self.program.arrays[array].rank;
        let mut subscripts = self.reduced_subscripts(rank);
        let roles = self.array_roles.iter().enumerate();
        let indices: Vec<usize> =
            roles.filter(|(_, role)| **role == Role::Index).map(|(at, _)| at).collect();
        if indices.is_empty() {
            return Place::Element(array, subscripts);
        }
        let dim = if self.random.chance(75) { 0 } else { self.random.below(rank) };
        subscripts[dim] = Quasi::linear(match self.random.weighted(&[72, 18, 10]) {
            1 => self.outer(0, 1).unwrap_or_default(),
            2 => Linear::int(self.random.between(1, 3)),
            _ => Linear::int(0),
        });
        let index = self.random.pick(&indices);
        let is_low = subscripts[dim].range(&self.ranges).is_none_or(|range| range.low < 0);
        let cut = match self.random.weighted(&[70, 14, 16]) {
            1 if !is_low => Cut::Mod(self.random.between(2, 9)),
            2 if !is_low => Cut::None,
            _ => Cut::And(self.random.pick(&[1, 3, 3, 7, 7, 15])),
        };
        let index = self.choosing(index);
        Place::Chosen(Box::new(Chosen {
            element: Place::Element(array, subscripts),
            dim,
            index,
            cut,
        }))
    }

    /// An element that chooses: of the loops around.
    fn choosing(&mut self, array: usize) -> Place {
        let rank = self.program.arrays[array].rank;
        let subscript = |_| {
            let at = self.random.below(self.scope.len());
            self.reduced_subscript(self.scope.get(at).copied())
        };
        Place::Element(array, (0..rank).map(subscript).collect())
    }

    /// What a selection keeps: scalars, or elements of arrays, which no other statement touches.
    fn selected(&mut self) -> Selected {
        let wants_arrays = self.random.chance(35);
        let data = self.data_array(self.main_type);
        let compared = self.program.arrays[data].ty;
        let n = 2 + usize::from(self.random.chance(40));
        let mut kept = Vec::new();
        for at in 0..n {
            let ty = match self.random.below(3) {
                0 if at > 0 => Type::Int,
                1 if at > 0 => self.random.pick(&[Type::Double, Type::Long, Type::Int]),
                _ => compared,
            };
            let ty = if ty == Type::Truth { Type::Int } else { ty };
            let is_array = at == 0 || kept.iter().all(|slot: &Slot| slot.is_array);
            let array = (wants_arrays && is_array)
                .then(|| self.add_another(ty, 1, Fill::Small, Role::Kept))
                .flatten();
            kept.push(match array {
                Some(at) => Slot { ty, at, is_array: true },
                None => Slot { ty, at: self.add_kept_scalar(ty), is_array: false },
            });
        }
        Selected { is_least: self.random.chance(45), kept }
    }

    /// A scalar that selections alone write; its position.
    fn add_kept_scalar(&mut self, ty: Type) -> usize {
        let at = self.program.scalars.len();
        self.program.scalars.push(Scalar { name: format!("s{at}"), ty, is_printed: true });
        self.scalar_operators.push(None);
        at
    }

    /// The elements that a selection keeps values in, here; all with the same subscript.
    fn places(&mut self, selected: &Selected) -> Vec<Place> {
        let at = self.random.below(self.scope.len());
        let subscript = self.reduced_subscript(self.scope.get(at).copied());
        let chooses = !self.scope.is_empty() && self.random.chance(12);
        let slot = selected.kept.iter().find(|slot| slot.is_array && chooses);
        let chosen = slot.map(|slot| self.chosen(slot.at));
        let place = |slot: &Slot| match (&chosen, slot.is_array) {
            (_, false) => Place::Scalar(slot.at),
            (Some(Place::Chosen(chosen)), _) => {
                let mut chosen = chosen.clone();
                if let Place::Element(array, _) = &mut chosen.element {
                    *array = slot.at;
                }
                Place::Chosen(chosen)
            }
            _ => Place::Element(slot.at, vec![subscript.clone()]),
        };
        selected.kept.iter().map(place).collect()
    }

    /// What a selection begins with: worse than all, or some value.
    fn selection_beginning(&mut self, selected: &Selected) -> Vec<Node> {
        let worst = match (selected.is_least, selected.kept[0].ty.wraps()) {
            (true, _) => literal("100"),
            (false, true) => literal("0"),
            (false, false) => literal("-100"),
        };
        let mut value = if self.random.chance(80) { worst } else { literal("1") };
        let mut nodes = Vec::new();
        for target in self.places(selected) {
            nodes.push(Node::Stmt(Stmt::Assign { target, op: "=", value }));
            value = literal(self.random.pick(&["-1", "0", "7"]));
        }
        nodes
    }

    /// `if (e > m) { m = e; at = i; }`, in all forms.
    fn select(&mut self, selected: &Selected) -> Stmt {
        let places = self.places(selected);
        let key = selected.kept[0].ty;
        let value = if self.random.chance(70) { self.leaf(key) } else { self.term(key) };
        let condition = self.better(selected.is_least, &value, &places[0]);
        let condition = match self.random.weighted(&[70, 25, 5]) {
            0 => condition,
            1 => binary("&&", self.comparison(), condition),
            _ => binary("&&", condition, self.comparison()),
        };
        let mut then = vec![Stmt::Assign { target: places[0].clone(), op: "=", value }];
        for (slot, target) in selected.kept.iter().zip(places).skip(1) {
            let value = self.companion(slot.ty);
            then.push(Stmt::Assign { target, op: "=", value });
        }
        if self.random.chance(35) {
            let last = then.len() - 1;
            then.swap(0, last);
        }
        let has_more = self.random.chance(4);
        let otherwise = if has_more { vec![self.any_update()] } else { Vec::new() };
        Stmt::If { condition, then, otherwise }
    }

    /// Whether a value is better than what a place holds.
    fn better(&mut self, is_least: bool, value: &Expr, place: &Place) -> Expr {
        let is_strict = self.random.chance(if self.is_pure { 82 } else { 60 });
        let (new_first, old_first) = match (is_least, is_strict) {
            (true, true) => ("<", ">"),
            (true, false) => ("<=", ">="),
            (false, true) => (">", "<"),
            (false, false) => (">=", "<="),
        };
        let old = Expr::Read(place.clone());
        if self.random.chance(60) {
            binary(new_first, value.clone(), old)
        } else {
            binary(old_first, old, value.clone())
        }
    }

    /// What comes with a value: mostly where it is.
    fn companion(&mut self, ty: Type) -> Expr {
        let at = self.random.below(self.scope.len());
        let iterator = self.scope.get(at).map(|id| Linear::variable(Variable::Iterator(*id), 0));
        let by_kind = if self.is_pure { [65, 12, 13, 10] } else { [50, 12, 13, 25] };
        match self.random.weighted(&by_kind) {
            1 => literal(self.random.pick(&["1", "0", "5"])),
            2 => self.combination(1).map_or_else(|| literal("2"), Expr::Index),
            3 => self.leaf(ty),
            _ => iterator.map_or_else(|| literal("3"), Expr::Index),
        }
    }

    /// The scalars that updates may go to, with their operators.
    pub(super) fn updated_scalars(&self) -> Vec<(usize, Operator)> {
        let operators = self.scalar_operators.iter().enumerate();
        operators.filter_map(|(at, operator)| Some((at, (*operator)?))).collect()
    }

    /// Whether all iterators that a place mentions are in scope.
    pub(super) fn is_in_scope(&self, place: &Place) -> bool {
        match place {
            Place::Element(_, subscripts) => {
                subscripts.iter().all(|subscript| subscript.range(&self.ranges).is_some())
            }
            Place::Chosen(chosen) => {
                self.is_in_scope(&chosen.element) && self.is_in_scope(&chosen.index)
            }
            Place::Scalar(_) | Place::Local(_) => true,
        }
    }

    /// The cell, or one beside it that data does not choose: what it chooses is updated and nothing else.
    pub(super) fn plain_cell(&self, cell: &Cell) -> Cell {
        let place = match &cell.place {
            Place::Chosen(chosen) => chosen.element.clone(),
            place => place.clone(),
        };
        Cell { place, ..cell.clone() }
    }

    /// A cell of an array: one that data chooses, at times.
    pub(super) fn cell_of(&mut self, array: usize, operator: Operator) -> Cell {
        let (ty, rank) = (self.program.arrays[array].ty, self.program.arrays[array].rank);
        let place = if self.random.chance(self.chosen_percent) {
            self.chosen(array)
        } else {
            Place::Element(array, self.reduced_subscripts(rank))
        };
        Cell { place, ty, operator }
    }
}
