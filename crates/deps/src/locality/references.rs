//! What the accesses of a scop touch, as functions of the instance.

use crate::Result;
use crate::analysis::Prepared;
use crate::form::Form;
use farkas_base::Id;
use farkas_poly::{DimType, Map, Space};
use farkas_scop::{AccessId, AccessKind, ArrayId, Scop, StmtId};
use std::collections::HashMap;
use std::rc::Rc;

farkas_base::define_id!(
    /// A class of references whose subscripts differ in their constants alone.
    pub struct PatternId("P")
);

/// A reference to an array: an access other than a kill.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reference {
    /// The statement.
    pub stmt: StmtId,
    /// The access of the statement.
    pub access: AccessId,
    /// The array.
    pub array: ArrayId,
    /// The same for two references exactly if they are to the same array and have the same subscripts up to constants, as
    /// functions of the parameters and of as many iterators, which correspond by position. A reference whose subscripts
    /// are no functions of the instance has a pattern of its own.
    pub pattern: PatternId,
    /// The linear part of each subscript: a coefficient for each iterator of the statement. `None` where a subscript is not
    /// affine.
    pub subscripts: Option<Vec<Vec<i64>>>,
}

/// A reference with its subscripts as functions.
pub(crate) struct Function {
    pub(crate) reference: Reference,
    pub(crate) kind: AccessKind,
    /// Number of iterators of the statement.
    pub(crate) depth: usize,
    /// The subscripts; `None` where they are not, for all instances, one quasi-affine function each, of small numbers.
    pub(crate) forms: Option<Rc<Vec<Form>>>,
}

/// The patterns so far.
#[derive(Default)]
struct Patterns {
    known: HashMap<(ArrayId, usize, Vec<Form>), PatternId>,
    n: usize,
}

/// The references of `scop`, by statement and access.
pub(crate) fn functions(scop: &Scop, prepared: &Prepared) -> Result<Vec<Function>> {
    let mut all = Vec::new();
    let mut patterns = Patterns::default();
    for (stmt, statement) in scop.stmts().iter_enumerated() {
        let mut known: HashMap<AccessId, Option<Rc<Vec<Form>>>> = HashMap::new();
        for (access, a) in statement.accesses.iter_enumerated() {
            if a.kind == AccessKind::Kill {
                continue;
            }
            let like = prepared.tables.like(stmt, access);
            let forms = match known.get(&like) {
                Some(known) => known.clone(),
                None => forms(prepared, stmt, access, &a.relation)?,
            };
            known.insert(like, forms.clone());
            let depth = statement.depth();
            let pattern = patterns.of(a.array, depth, forms.as_deref().map(Vec::as_slice));
            let subscripts = forms.as_ref().and_then(|forms| linear_parts(forms, depth));
            let reference = Reference { stmt, access, array: a.array, pattern, subscripts };
            all.push(Function { reference, kind: a.kind, depth, forms });
        }
    }
    Ok(all)
}

impl Patterns {
    /// The pattern of a reference with these subscripts.
    fn of(&mut self, array: ArrayId, depth: usize, forms: Option<&[Form]>) -> PatternId {
        let new = PatternId::from_index(self.n);
        let pattern = match forms {
            Some(forms) => {
                let forms = forms.iter().map(Form::without_constant).collect();
                *self.known.entry((array, depth, forms)).or_insert(new)
            }
            None => new,
        };
        self.n += usize::from(pattern == new);
        pattern
    }
}

/// The subscripts of an access.
fn forms(
    prepared: &Prepared,
    stmt: StmtId,
    access: AccessId,
    relation: &Map,
) -> Result<Option<Rc<Vec<Form>>>> {
    let rank = relation.dim(DimType::Out)? as usize;
    let forms = match prepared.tables.subscripts(stmt, access, rank) {
        Some(rows) => {
            let form = |linear| Form { linear, floors: Vec::new() };
            Some(rows.into_iter().map(form).collect())
        }
        None => by_isl(relation, &prepared.params)?,
    };
    Ok(forms.filter(|forms: &Vec<Form>| forms.iter().all(Form::is_small)).map(Rc::new))
}

/// The functions that a relation is, where it is a function of all instances and without pieces.
fn by_isl(relation: &Map, params: &Space) -> Result<Option<Vec<Form>>> {
    if !relation.is_single_valued()? || !relation.domain()?.plain_is_universe()? {
        return Ok(None);
    }
    let function = relation.align_params(params)?.to_pw_multi_aff()?;
    let mut forms = Vec::new();
    for i in 0..i32::try_from(relation.dim(DimType::Out)?).unwrap_or(i32::MAX) {
        let Some(form) = Form::of(&function.at(i)?)? else { return Ok(None) };
        forms.push(form);
    }
    Ok(Some(forms))
}

/// The coefficients of the iterators, where nothing is rounded.
fn linear_parts(forms: &[Form], depth: usize) -> Option<Vec<Vec<i64>>> {
    let part = |form: &Form| form.floors.is_empty().then(|| form.linear[..depth].to_vec());
    forms.iter().map(part).collect()
}
