//! Temporaries that live in elements of other arrays: those where their values end up, or those that they are copies of.

use super::built;
use crate::Result;
use farkas_deps::Web;
use farkas_poly::{DimType, Map, Set};
use farkas_scop::{Access, AccessId, AccessKind, AssignOp, BodyStmt, Dim, Expr, Scop, StmtId};
use std::collections::BTreeSet;

/// Elements that a temporary's values may live in: those that a statement accesses which accesses the temporary, too.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Home {
    /// The statement.
    pub stmt: StmtId,
    /// Its access to the elements.
    pub access: AccessId,
    /// Its access to the temporary.
    pub of: AccessId,
    /// Whether the temporary is a copy of the elements; else its values end up there.
    pub is_source: bool,
}

/// The homes that a web may have: of its type, at subscripts of the loops around the web and of the temporary's alone.
pub(super) fn homes(scop: &Scop, web: &Web) -> Result<Vec<Home>> {
    let mut found = Vec::new();
    for &stmt in &web.stmts {
        let candidates = ends(scop, web, stmt).into_iter().chain(source(scop, web, stmt));
        for home in candidates {
            let accesses = &scop.stmts()[stmt].accesses;
            let (to, of) = (&accesses[home.access], &accesses[home.of]);
            let types = [web.array, to.array].map(|array| scop.arrays()[array].element.kind);
            let fits = to.array != web.array && types[0] == types[1] && !to.subscripts.is_empty();
            if fits && is_known(scop, web, stmt, (to, of))? {
                found.push(home);
            }
        }
    }
    Ok(found)
}

/// The accesses that a statement may leave the web's values in.
fn ends(scop: &Scop, web: &Web, stmt: StmtId) -> Vec<Home> {
    let accesses = &scop.stmts()[stmt].accesses;
    let reads = |a: &Access| a.array == web.array && a.kind == AccessKind::Read;
    let Some((of, _)) = accesses.iter_enumerated().find(|(_, a)| reads(a)) else {
        return Vec::new();
    };
    let writes = accesses.iter_enumerated().filter(|(_, a)| a.kind == AccessKind::MustWrite);
    writes.map(|(access, _)| Home { stmt, access, of, is_source: false }).collect()
}

/// The access that a statement copies to the web's array, if nothing else sets that.
fn source(scop: &Scop, web: &Web, stmt: StmtId) -> Option<Home> {
    let [BodyStmt::Assign { target, op: AssignOp::Set, read: None, value: Expr::Access(read) }] =
        scop.stmts()[stmt].body.as_slice()
    else {
        return None;
    };
    let writes = |stmt: &&StmtId| {
        let accesses = &scop.stmts()[**stmt].accesses;
        accesses.iter().any(|a| a.array == web.array && a.kind.is_write())
    };
    let is_set = scop.stmts()[stmt].accesses[*target].array == web.array
        && web.stmts.iter().filter(writes).count() == 1;
    is_set.then_some(Home { stmt, access: *read, of: *target, is_source: true })
}

/// Whether the subscripts of one access of a statement follow from the iterators of the loops around a web and the subscripts of another, each of
/// which is an iterator of its own.
fn is_known(scop: &Scop, web: &Web, stmt: StmtId, (to, of): (&Access, &Access)) -> Result<bool> {
    let loops = loops(web, stmt);
    let is_common = |at: u32| loops.iter().any(|dim| dim.at == at as usize);
    let mut given: BTreeSet<u32> = BTreeSet::new();
    for subscript in &of.subscripts {
        match subscript {
            Expr::Iterator(at) if !is_common(*at) && given.insert(*at) => {}
            _ => return Ok(false),
        }
    }
    let mut known = of.subscripts.len() == scop.arrays()[web.array].rank();
    for subscript in &to.subscripts {
        subscript.walk(&mut |e| {
            known &= !matches!(e, Expr::Iterator(at) if !is_common(*at) && !given.contains(at));
        });
    }
    let depth = to.relation.dim(DimType::In)?;
    let is_free = !to.relation.domain()?.involves_dims(DimType::SET, 0, depth)?;
    Ok(known && is_free && by_place(to, of, loops)?.is_single_valued()?)
}

/// The dimensions of a statement of a web that count the loops around all of it.
fn loops(web: &Web, stmt: StmtId) -> &[Dim] {
    web.common.get(&stmt).map_or(&[], Vec::as_slice)
}

/// The scop with the accesses of a web going to a home; `None` where one of them has no subscripts that say which element it is.
pub(super) fn moved(scop: &Scop, web: &Web, home: &Home) -> Result<Option<Scop>> {
    let accesses = &scop.stmts()[home.stmt].accesses;
    let (to, of) = (&accesses[home.access], &accesses[home.of]);
    let at_home = loops(web, home.stmt);
    let by_place = by_place(to, of, at_home)?;
    let mut builder = scop.to_builder();
    for &stmt in &web.stmts {
        let statement = &mut builder.stmts[stmt];
        let here = loops(web, stmt);
        for access in statement.accesses.iter_mut().filter(|a| a.array == web.array) {
            if access.subscripts.len() != of.subscripts.len() {
                return Ok(None);
            }
            let place = place(access, here)?;
            let elsewhere =
                Elsewhere { of, own: access.subscripts.clone(), loops: (at_home, here) };
            access.subscripts = to.subscripts.iter().map(|e| elsewhere.subscript(e)).collect();
            access.relation = place.apply_range(&by_place)?;
            access.array = to.array;
        }
    }
    built(builder).map(Some)
}

/// Where the subscripts of a home are to be said in another statement.
struct Elsewhere<'a> {
    /// The temporary at home.
    of: &'a Access,
    /// Its subscripts there.
    own: Vec<Expr>,
    /// The dimensions that count the loops around both, at home and there.
    loops: (&'a [Dim], &'a [Dim]),
}

impl Elsewhere<'_> {
    /// A subscript of the home, of the subscripts that the temporary has there and of the iterators of the loops around both.
    fn subscript(&self, at_home: &Expr) -> Expr {
        at_home.rewritten(&mut |e| {
            if let Some(position) = self.of.subscripts.iter().position(|given| given == e) {
                return self.own.get(position).cloned();
            }
            let Expr::Iterator(at) = e else { return None };
            let (home, there) = self.loops;
            let position = home.iter().position(|dim| dim.at == *at as usize)?;
            Some(Expr::Iterator(u32::try_from(there.get(position)?.at).ok()?))
        })
    }
}

/// From the iterations of the loops around a web and the subscripts of its array, as they are at `of`, to elements of a home.
fn by_place(to: &Access, of: &Access, loops: &[Dim]) -> Result<Map> {
    Ok(place(of, loops)?.reverse()?.apply_range(&to.relation)?)
}

/// From instances to the iterations of some loops and the subscripts of an access.
fn place(access: &Access, loops: &[Dim]) -> Result<Map> {
    let instances = Set::universe(&access.relation.domain()?.space()?)?;
    let mut place = Map::from_domain_and_range(&instances, &Set::unnamed_universe(0)?)?;
    for dim in loops {
        let count = dim.count(&instances.space()?)?;
        place = place.flat_range_product(&Map::from_aff(&count)?)?;
    }
    Ok(place.flat_range_product(&access.relation)?)
}
