//! Statements that a call may take the place of together.

use crate::Result;
use farkas_poly::{DimType, Map, Set};
use farkas_scop::blas::{Member, Reading};
use farkas_scop::{AccessId, Expr, Scop, Statement, StmtId};

/// Up to so many statements beside the first are tried in all combinations.
const MAX_OTHERS: usize = 4;

/// The most sets of loops that are left around a call.
const MAX_AROUND: usize = 12;

/// Statements of which one adds products, with the loops that stay around a call in their place.
#[derive(Clone, Debug)]
pub(super) struct Group {
    /// What the statement that makes the call is called.
    pub(super) name: String,
    /// The dimensions of the first statement that stay.
    pub(super) around: Vec<usize>,
    /// The statements, each with the map from its instances to those of the call.
    pub(super) members: Vec<Member>,
    /// The products that they add.
    pub(super) products: Vec<Product>,
}

/// A product of two elements that move in a call.
#[derive(Clone, Debug)]
pub(super) struct Product {
    pub(super) stmt: StmtId,
    pub(super) factors: [AccessId; 2],
}

/// The groups that begin with a statement, the ones that a larger routine might take first.
pub(super) fn groups(scop: &Scop, first: StmtId) -> Result<Vec<Group>> {
    let stmt = &scop.stmts()[first];
    let Some(reading) = Reading::of(scop.arrays(), stmt) else { return Ok(Vec::new()) };
    if reading.summands.is_empty() || scop.domain_of(first)?.is_empty()? {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for inner in inner_loops(stmt, &reading)? {
        let around: Vec<usize> = (0..stmt.depth()).filter(|at| !inner.contains(at)).collect();
        let Some(products) = products(scop, first, &inner)? else { continue };
        let calls = to_call(scop, first, &around)?;
        let member = Member { stmt: first, instances: calls };
        let others = others(scop, first, &member, &reading)?;
        for chosen in (0..1_usize << others.len()).rev() {
            let chosen = others.iter().enumerate().filter(|(at, _)| chosen >> at & 1 == 1);
            let mut members = vec![member.clone()];
            let mut all = products.clone();
            let mut is_known = true;
            for (_, other) in chosen {
                members.push(other.clone());
                match self::products(scop, other.stmt, &free_dims(scop, other)?)? {
                    Some(more) => all.extend(more),
                    None => is_known = false,
                }
            }
            if is_known {
                let (name, around) = (name(scop), around.clone());
                found.push(Group { name, around, members, products: all });
            }
        }
    }
    Ok(found)
}

/// A name for the statement of a call.
fn name(scop: &Scop) -> String {
    let names = scop.names();
    let name = |n: usize| format!("farkas_call_{n}");
    (0..).map(name).find(|name| !names.contains(name)).unwrap_or_default()
}

/// The sets of loops that may run in a call, three before two: each moves two of what is updated and both factors of some product, no more.
fn inner_loops(stmt: &Statement, reading: &Reading<'_>) -> Result<Vec<Vec<usize>>> {
    let mut usable = Vec::new();
    for dim in 0..stmt.depth() {
        for summand in &reading.summands {
            let mut moved = usize::from(moves(stmt, reading.target, dim)?);
            for factor in &summand.factors {
                if let Expr::Access(access) = factor {
                    moved += usize::from(moves(stmt, *access, dim)?);
                }
            }
            if moved == 2 {
                usable.push(dim);
                break;
            }
        }
    }
    let mut sets: Vec<Vec<usize>> = (0..1_usize << usable.len().min(8))
        .map(|chosen| (0..usable.len()).filter(|at| chosen >> at & 1 == 1).collect::<Vec<_>>())
        .filter(|set| set.len() == 2 || set.len() == 3)
        .map(|set| set.into_iter().map(|at| usable[at]).collect())
        .collect();
    // Inner loops first, as far as nothing else is said.
    sets.sort_by_key(|set| (std::cmp::Reverse(set.len()), std::cmp::Reverse(set.clone())));
    sets.truncate(MAX_AROUND);
    Ok(sets)
}

/// Whether an access moves along a dimension.
fn moves(stmt: &Statement, access: AccessId, dim: usize) -> Result<bool> {
    let relation = &stmt.accesses[access].relation;
    Ok(relation.involves_dims(DimType::In, u32::try_from(dim).unwrap_or(u32::MAX), 1)?)
}

/// The products of a statement of which both factors move along some dimensions; none where one has more or fewer.
fn products(scop: &Scop, id: StmtId, inner: &[usize]) -> Result<Option<Vec<Product>>> {
    let stmt = &scop.stmts()[id];
    let Some(reading) = Reading::of(scop.arrays(), stmt) else { return Ok(None) };
    let mut found = Vec::new();
    for summand in &reading.summands {
        let mut moving = Vec::new();
        for factor in &summand.factors {
            if let Expr::Access(access) = factor {
                let mut is_moved = false;
                for dim in inner {
                    is_moved |= moves(stmt, *access, *dim)?;
                }
                moving.extend(is_moved.then_some(*access));
            }
        }
        let [a, b] = moving.as_slice() else { return Ok(None) };
        found.push(Product { stmt: id, factors: [*a, *b] });
    }
    Ok(Some(found))
}

/// From a statement's instances to those of a call in some of its loops.
fn to_call(scop: &Scop, id: StmtId, around: &[usize]) -> Result<Map> {
    let domain = scop.domain_of(id)?;
    let mut map = Map::from_domain_and_range(&domain, &Set::unnamed_universe(0)?)?;
    let identity = domain.identity()?;
    let depth = domain.dim(DimType::SET)?;
    for at in around.iter().filter_map(|at| u32::try_from(*at).ok()) {
        let one = identity.project_out(DimType::Out, at + 1, depth - at - 1)?;
        map = map.flat_range_product(&one.project_out(DimType::Out, 0, at)?)?;
    }
    Ok(map.with_tuple_name(DimType::Out, &name(scop))?)
}

/// The dimensions of a statement that its instances of one call differ in.
fn free_dims(scop: &Scop, member: &Member) -> Result<Vec<usize>> {
    let depth = scop.stmts()[member.stmt].depth();
    let n_around = member.instances.dim(DimType::Out)?;
    if n_around == 0 {
        return Ok((0..depth).collect());
    }
    let same = member.instances.apply_range(&member.instances.reverse()?)?;
    let mut free = Vec::new();
    for dim in 0..depth {
        let at = i32::try_from(dim).unwrap_or(i32::MAX);
        let equal = same.equate(DimType::In, at, DimType::Out, at)?;
        if !equal.is_equal(&same)? {
            free.push(dim);
        }
    }
    Ok(free)
}

/// The other statements that set elements of the same array, where each instance belongs to the call that has the element.
fn others(
    scop: &Scop,
    first: StmtId,
    member: &Member,
    reading: &Reading<'_>,
) -> Result<Vec<Member>> {
    let target = &scop.stmts()[first].accesses[reading.target];
    let touched = touched(scop, member, reading)?;
    let mut found = Vec::new();
    for (id, stmt) in scop.stmts().iter_enumerated().filter(|(id, _)| *id != first) {
        let Some(other) = Reading::of(scop.arrays(), stmt) else { continue };
        let access = &stmt.accesses[other.target];
        let domain = scop.domain_of(id)?;
        if access.array != target.array || domain.is_empty()? || found.len() == MAX_OTHERS {
            continue;
        }
        let instances = match member.instances.dim(DimType::Out)? {
            0 => to_call(scop, id, &[])?,
            _ => {
                let elements = access.relation.intersect_domain(&domain)?;
                elements.apply_range(&touched.reverse()?)?
            }
        };
        if instances.is_single_valued()? && instances.domain()?.is_equal(&domain)? {
            found.push(Member { stmt: id, instances });
        }
    }
    Ok(found)
}

/// From the calls to the elements around what the first statement sets: those that other statements may set for it.
fn touched(scop: &Scop, member: &Member, reading: &Reading<'_>) -> Result<Map> {
    let stmt = &scop.stmts()[member.stmt];
    let target = &stmt.accesses[reading.target];
    let domain = scop.domain_of(member.stmt)?;
    let own = target.relation.intersect_domain(&domain)?.apply_domain(&member.instances)?;
    let mut all = own.clone();
    for summand in &reading.summands {
        for factor in &summand.factors {
            let Expr::Access(access) = factor else { continue };
            let access = &stmt.accesses[*access];
            if access.array == target.array {
                let read = access.relation.intersect_domain(&domain)?;
                all = all.union(&read.apply_domain(&member.instances)?)?;
            }
        }
    }
    if all.reverse()?.is_single_valued()? { Ok(all) } else { Ok(own) }
}
