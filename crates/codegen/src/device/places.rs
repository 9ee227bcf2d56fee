//! Where arrays and scalars live while kernels run; what cannot be there.

use super::narrow::narrowed;
use super::tables::{Table, definition, tables};
use super::{Device, Language};
use crate::body::bare;
use crate::options::Options;
use crate::types::{Width, needs_cast, width};
use farkas_astgen::{Ast, BlockKind, Cond, Ends, Node, Shape, User};
use farkas_scop::{Array, ArrayId, ArrayScope, BodyStmt, ElementType, Expr, Scop, Statement};
use std::collections::{BTreeMap, BTreeSet};

/// Where an array lives.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Place {
    /// In the device's memory, to which a variable of the host points.
    Memory(Memory),
    /// In a structure of these extents that kernels are called with, by value.
    Table(Vec<i64>),
    /// A scalar that kernels are called with.
    Value,
    /// In a kernel: threads of a block share it, or each has one.
    Kernel,
}

/// An array in the device's memory.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Memory {
    /// The variable of the host that points there.
    pub(super) pointer: String,
    /// Whether what is there before the region is copied to the device.
    pub(super) copied_in: bool,
    /// Whether what is there after the kernels is copied back.
    pub(super) copied_out: bool,
    /// Whether no kernel writes it.
    pub(super) is_constant: bool,
    /// Whether it is in the part of memory that gives one value to all threads.
    pub(super) is_table: bool,
}

/// Where all arrays live, and what kernels need to be defined.
#[derive(Clone, Debug)]
pub(super) struct Places<'a> {
    pub(super) of: BTreeMap<ArrayId, Place>,
    pub(super) shapes: BTreeMap<ArrayId, &'a Shape>,
    pub(super) definitions: BTreeSet<String>,
    /// Where one of these holds, no kernel runs: a structure would be read that need not be there.
    pub(super) untouched: Vec<Cond>,
}

impl<'a> Places<'a> {
    /// The places of the arrays that `ast` uses.
    ///
    /// # Errors
    /// Why one of them, or what is done with them, cannot be on the device.
    pub(super) fn of(
        scop: &Scop,
        ast: &Ast,
        device: &Device<'a>,
        options: &Options,
    ) -> Result<Self, String> {
        let shapes = device.shapes.iter().map(|shape| (shape.array, shape)).collect();
        let (definitions, untouched) = (BTreeSet::new(), Vec::new());
        let mut found = Self { of: BTreeMap::new(), shapes, definitions, untouched };
        let (mut used, mut stmts) = (BTreeSet::new(), BTreeSet::new());
        let mut look = |user: &User| {
            stmts.insert(user.stmt);
            used.extend(scop.stmts()[user.stmt].accesses.iter().map(|access| access.array));
        };
        ast.body.iter().for_each(|node| node.for_each_user(&mut look));
        for stmt in stmts {
            let stmt = &scop.stmts()[stmt];
            let narrowed =
                narrowed(scop, stmt).map_err(|reason| format!("`{}` {reason}", stmt.name))?;
            found.statement(&narrowed, device.language)?;
        }
        let in_kernels = declared_in_kernels(ast);
        let tables = tables(scop, ast, device);
        for id in used {
            let place =
                found.place(scop, id, in_kernels.contains(&id), device.language, options)?;
            let place = match (place, tables.get(&id), device.language) {
                (Place::Memory(memory), Some(_), Language::OpenCl) => {
                    Place::Memory(Memory { is_table: true, ..memory })
                }
                (Place::Memory(_), Some(Table { extents, untouched }), Language::Cuda) => {
                    found
                        .untouched
                        .extend(Some(untouched.clone()).filter(|of| of.as_bool() != Some(false)));
                    let ty = device.language.type_of(&scop.arrays()[id].element).unwrap_or("int");
                    found.definitions.insert(definition(ty, extents));
                    Place::Table(extents.clone())
                }
                (place, ..) => place,
            };
            found.of.insert(id, place);
        }
        for param in scop.params() {
            if width(&param.ty) == Width::LongLong && needs_cast(&param.ty) {
                return Err(format!(
                    "`{}` is wider than what loops on a device count with",
                    param.name
                ));
            }
        }
        Ok(found)
    }

    /// The place of an array.
    fn place(
        &self,
        scop: &Scop,
        id: ArrayId,
        in_kernel: bool,
        language: Language,
        options: &Options,
    ) -> Result<Place, String> {
        let array = &scop.arrays()[id];
        let name = array.printed_name();
        if language.type_of(&array.element).is_none() {
            let ty = &array.element.text;
            return Err(format!(
                "`{name}` has elements of type `{ty}`, which kernels do not compute with yet"
            ));
        }
        if !is_identifier(name) {
            return Err(format!(
                "`{name}` is a part of something else, which is not copied to a device yet"
            ));
        }
        if in_kernel {
            return Ok(Place::Kernel);
        }
        let is_written = scop.stmts().iter().any(|stmt| {
            stmt.accesses.iter().any(|access| access.array == id && access.kind.is_write())
        });
        if array.rank() == 0 && !is_written {
            return Ok(Place::Value);
        }
        if array.rank() > 0 && array.scope != ArrayScope::Buffer {
            self.has_shape(id, array)?;
        }
        let is_own =
            matches!(array.scope, ArrayScope::Region | ArrayScope::Buffer | ArrayScope::Expanded);
        let copied_out = is_written && array.is_live_out && !is_own;
        // What is not written keeps its value.
        let copied_in = (array.is_live_in || copied_out) && !is_own;
        let mut pointer = format!("gpu_{name}");
        while options.reserved.contains(&pointer) {
            pointer.push('_');
        }
        Ok(Place::Memory(Memory {
            pointer,
            copied_in,
            copied_out,
            is_constant: !is_written,
            is_table: false,
        }))
    }

    /// Refuses an array of which it is not known how it lies in memory.
    fn has_shape(&self, id: ArrayId, array: &Array) -> Result<(), String> {
        let name = array.printed_name();
        let Some(shape) = self.shapes.get(&id) else { return Ok(()) };
        if shape.extents.iter().skip(1).any(Option::is_none) {
            return Err(format!("it is not known how long the rows of `{name}` are"));
        }
        if shape.touched.is_none() && (shape.is_linear || shape.extents.iter().any(Option::is_none))
        {
            return Err(format!("subscripts of `{name}` are data, and its size is not known"));
        }
        let is_in_front = |ends: &Ends| ends.in_front.as_bool() == Some(true);
        if shape.touched.as_ref().is_some_and(is_in_front) {
            return Err(format!(
                "elements in front of where `{name}` points are not copied to a device yet"
            ));
        }
        Ok(())
    }

    /// Refuses a statement that a kernel has no words for; notes what is to be defined for it.
    fn statement(&mut self, stmt: &Statement, language: Language) -> Result<(), String> {
        let mut refused = None;
        for part in &stmt.body {
            self.part(part, language, &mut refused);
        }
        for access in stmt.accesses.iter() {
            access.subscripts.iter().for_each(|e| self.expr(e, language, &mut refused));
        }
        match refused {
            Some(reason) => Err(format!("`{}` {reason}", stmt.name)),
            None => Ok(()),
        }
    }

    /// The same for a part of a body.
    fn part(&mut self, part: &BodyStmt, language: Language, refused: &mut Option<String>) {
        match part {
            BodyStmt::Assign { value, .. } | BodyStmt::AssignLocal { value, .. } => {
                self.expr(value, language, refused);
            }
            BodyStmt::Local { ty, value, .. } => {
                self.ty(ty, language, refused);
                value.iter().for_each(|value| self.expr(value, language, refused));
            }
            BodyStmt::If { condition, then, otherwise } => {
                self.expr(condition, language, refused);
                then.iter().chain(otherwise).for_each(|part| self.part(part, language, refused));
            }
            BodyStmt::Block(parts) => {
                parts.iter().for_each(|part| self.part(part, language, refused))
            }
            BodyStmt::Loop(inner) => {
                let parts = inner.first.iter().chain(&inner.step).chain(&inner.body);
                parts.for_each(|part| self.part(part, language, refused));
                inner.condition.iter().for_each(|e| self.expr(e, language, refused));
            }
            BodyStmt::Break | BodyStmt::Continue => {}
            BodyStmt::Text(_) => *refused = Some("is text that is not looked into".to_owned()),
        }
    }

    /// The same for an expression.
    fn expr(&mut self, expr: &Expr, language: Language, refused: &mut Option<String>) {
        expr.walk(&mut |e| match e {
            Expr::Call(name, _) => match language.function(name) {
                Some(definition) => self.definitions.extend(definition),
                None => *refused = Some(format!("calls `{name}`, which devices do not have")),
            },
            Expr::Cast(ty, _) => self.ty(ty, language, refused),
            Expr::Verbatim(text) => {
                *refused = Some(format!("has `{text}`, whose value is not known on a device"));
            }
            Expr::Float(text) if text.ends_with(['l', 'L', 'i', 'j']) => {
                *refused = Some(format!("has `{text}`, a number that devices do not have"));
            }
            _ => {}
        });
    }

    /// Refuses a type that kernels do not compute with; notes what its name stands for.
    fn ty(&mut self, ty: &ElementType, language: Language, refused: &mut Option<String>) {
        let text = bare(&ty.text);
        match language.type_of(ty) {
            None => *refused = Some(format!("computes with type `{text}`")),
            Some(known) if !is_of_language(&text) && is_identifier(&text) => {
                self.definitions.insert(format!("typedef {known} {text};"));
            }
            Some(_) => {}
        }
    }
}

/// The buffers that kernels declare.
fn declared_in_kernels(ast: &Ast) -> BTreeSet<ArrayId> {
    fn collect(nodes: &[Node], in_kernel: bool, found: &mut BTreeSet<ArrayId>) {
        for node in nodes {
            match node {
                Node::For(node) => {
                    if in_kernel {
                        found.extend(&node.info.buffers);
                    }
                    collect(&node.body, in_kernel, found);
                }
                Node::If(node) => {
                    collect(&node.then, in_kernel, found);
                    collect(&node.otherwise, in_kernel, found);
                }
                Node::Block(node) => {
                    let is_kernel = matches!(node.kind, BlockKind::Kernel(_));
                    found.extend(&node.buffers);
                    collect(&node.body, in_kernel || is_kernel, found);
                }
                Node::User(_) => {}
            }
        }
    }
    let mut found = BTreeSet::new();
    collect(&ast.body, false, &mut found);
    found
}

/// Whether a text is a name.
pub(super) fn is_identifier(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.starts_with(is_letter) && text.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

/// Whether a type is one that both languages have under that name.
fn is_of_language(text: &str) -> bool {
    let words = [
        "char",
        "short",
        "int",
        "long",
        "signed",
        "unsigned",
        "float",
        "double",
        "size_t",
        "ptrdiff_t",
    ];
    text.split_whitespace().all(|word| words.contains(&word))
}
