//! The calls that a group of statements may be.

use super::group::{Group, Product};
use super::shape::Shape;
use crate::Result;
use farkas_poly::Set;
use farkas_scop::blas::{Affine, Call, Factor, Form, Operand, Reading, Routine, Scaling, Start};
use farkas_scop::{AccessId, ArrayId, Expr, Scop, StmtId};

/// The routines in the order in which they are tried: what knows more of its operands first.
const ROUTINES: [Routine; 13] = [
    Routine::Trmm,
    Routine::Trsm,
    Routine::Syrk,
    Routine::Syr2k,
    Routine::Symm,
    Routine::Gemm,
    Routine::Trmv,
    Routine::Trsv,
    Routine::Symv,
    Routine::Syr,
    Routine::Syr2,
    Routine::Gemv,
    Routine::Ger,
];

/// All calls of which the operands have the shapes of what a group touches.
pub(super) fn calls(scop: &Scop, group: &Group) -> Result<Vec<Call>> {
    let Some(instances) = instances(group)? else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for turned in [false, true] {
        let Some(products) = oriented(scop, group, turned) else { continue };
        let Some(boxes) = Boxes::of(scop, group, &products)? else { continue };
        for routine in ROUTINES.into_iter().filter(|routine| fits(*routine, products.len())) {
            for form in Form::all(routine) {
                let Some((operands, sizes)) = boxes.operands(&form) else { continue };
                let Some((alpha, beta)) = scalings(scop, group, &form)? else { continue };
                let call = Call {
                    stmt: group.name.clone(),
                    form,
                    operands,
                    sizes,
                    alpha,
                    beta,
                    instances: instances.clone(),
                    members: group.members.clone(),
                };
                found.push(call);
            }
        }
    }
    Ok(found)
}

/// Whether so many products of statements may be those of a routine: a matrix and its mirror image are two.
fn fits(routine: Routine, n: usize) -> bool {
    match routine {
        Routine::Symm | Routine::Symv | Routine::Syr2k | Routine::Syr2 => n > 1,
        _ => true,
    }
}

/// The instances of a call.
fn instances(group: &Group) -> Result<Option<Set>> {
    let ranges = group.members.iter().map(|member| member.instances.range());
    Ok(Set::union_all(ranges.collect::<farkas_poly::Result<Vec<_>>>()?)?
        .map(|all| all.coalesce())
        .transpose()?)
}

/// The products with factors of one array first, the first product's, or turned; none where others have other arrays.
fn oriented(scop: &Scop, group: &Group, turned: bool) -> Option<Vec<Product>> {
    let arrays = |product: &Product| {
        product.factors.map(|access| scop.stmts()[product.stmt].accesses[access].array)
    };
    let [a, b] = arrays(group.products.first()?);
    let wanted = if turned { [b, a] } else { [a, b] };
    let one = |product: &Product| {
        let mut product = product.clone();
        let of = arrays(&product);
        let is_turned = if a == b { turned } else { of != wanted };
        if is_turned {
            product.factors.reverse();
        }
        (arrays(&product) == wanted).then_some(product)
    };
    group.products.iter().map(one).collect()
}

/// The boxes of what is updated and of both factors.
struct Boxes {
    target: Shape,
    /// What is updated, where that is a factor, too.
    in_place: Option<Shape>,
    first: Shape,
    second: Shape,
    /// Both factors, where they are of one array.
    both: Option<Shape>,
}

impl Boxes {
    /// Those of a group.
    fn of(scop: &Scop, group: &Group, products: &[Product]) -> Result<Option<Self>> {
        let targets: Vec<(StmtId, AccessId)> = group
            .members
            .iter()
            .filter_map(|member| {
                let reading = Reading::of(scop.arrays(), &scop.stmts()[member.stmt])?;
                Some((member.stmt, reading.target))
            })
            .collect();
        let of = |at: usize| -> Vec<(StmtId, AccessId)> {
            products.iter().map(|product| (product.stmt, product.factors[at])).collect()
        };
        let (firsts, seconds) = (of(0), of(1));
        let shape = |accesses: &[(StmtId, AccessId)]| Shape::of(scop, group, accesses);
        let (Some(target), Some(first), Some(second)) =
            (shape(&targets)?, shape(&firsts)?, shape(&seconds)?)
        else {
            return Ok(None);
        };
        let in_place = match second.array == target.array {
            true => shape(&[targets, seconds.clone()].concat())?,
            false => None,
        };
        let both = match first.array == second.array {
            true => shape(&[firsts, seconds].concat())?,
            false => None,
        };
        Ok(Some(Self { target, in_place, first, second, both }))
    }

    /// The operands of a form, and its sizes; none where the boxes are none of such.
    fn operands(&self, form: &Form) -> Option<(Vec<Operand>, Vec<Affine>)> {
        let routine = form.routine;
        let is_in_place = routine.multiplies() || routine.solves();
        let target = if is_in_place { self.in_place.as_ref()? } else { &self.target };
        let is_alone = matches!(routine, Routine::Syrk | Routine::Syr);
        let first = if is_alone { self.both.as_ref()? } else { &self.first };
        let is_vector = |routine| {
            matches!(routine, Routine::Gemv | Routine::Symv | Routine::Trmv | Routine::Trsv)
        };
        let updates_vector = is_vector(routine);
        let takes_vectors = matches!(routine, Routine::Ger | Routine::Syr | Routine::Syr2);
        let of = |shape: &Shape, as_vector: bool| {
            if as_vector { shape.vector() } else { shape.matrix() }
        };
        let mut operands = vec![of(target, updates_vector)?, of(first, takes_vectors)?];
        if !is_in_place && !is_alone {
            operands.push(of(&self.second, updates_vector || takes_vectors)?);
        }
        if is_in_place {
            let (row, col) = (operands[1].row, operands[1].col?);
            // Without its diagonal, a triangle begins one row, or one column, later.
            let late = if form.lower { row } else { col };
            operands[1].corner[late] = operands[1].corner[late].plus(-1, &Affine::number(1));
        }
        let (of_target, of_first) = (target.sizes(), first.sizes());
        let inner = |transposed: bool| of_first.get(usize::from(!transposed)).cloned();
        let sizes = match routine {
            Routine::Gemm => [of_target, vec![inner(form.transposed[0])?]].concat(),
            Routine::Syrk | Routine::Syr2k => {
                vec![of_target.first()?.clone(), inner(form.transposed[0])?]
            }
            Routine::Gemv => of_first,
            Routine::Syr | Routine::Syr2 => vec![of_target.first()?.clone()],
            Routine::Symm | Routine::Trmm | Routine::Trsm | Routine::Ger => of_target,
            Routine::Symv | Routine::Trmv | Routine::Trsv => of_target,
        };
        // Triangles without their diagonals are smaller.
        let has = |operand: usize, shape: &Shape| {
            let wanted: Vec<Affine> = form
                .sizes_of(operand)
                .into_iter()
                .filter_map(|at| sizes.get(at).cloned())
                .collect();
            wanted == shape.sizes()
        };
        let are_right = is_in_place || has(1, first) && (is_alone || has(2, &self.second));
        are_right.then_some((operands, sizes))
    }
}

/// The factors of what is added, and of what is updated, as the statements have them; none where the routine has no such.
fn scalings(scop: &Scop, group: &Group, form: &Form) -> Result<Option<(Scaling, Option<Scaling>)>> {
    let one = Scaling::default;
    let (mut alpha, mut beta, mut scaled) = (None, Some(one()), None);
    for member in &group.members {
        let stmt = &scop.stmts()[member.stmt];
        let Some(reading) = Reading::of(scop.arrays(), stmt) else { return Ok(None) };
        let same = Same { scop, member };
        if let Some(summand) = reading.summands.first() {
            alpha = Some(same.scaling(&summand.factors, summand.negative)?);
        }
        match &reading.start {
            Start::Zero => beta = None,
            Start::Scaled(factors, negative) => {
                let scaling = same.scaling(factors, *negative)?;
                // By an element that moves.
                if scaling.factors.len() == factors.len() {
                    scaled = Some(scaling.clone());
                    beta = Some(scaling);
                }
            }
            Start::Kept | Start::Divided(_) => {}
        }
    }
    let Some(alpha) = alpha else { return Ok(None) };
    let routine = form.routine;
    Ok(match (routine.multiplies() || routine.solves(), beta) {
        (true, None) => None,
        (true, Some(_)) => Some((scaled.unwrap_or_else(one), Some(one()))),
        (false, beta) => Some((alpha, beta)),
    })
}

/// What is the same in all instances of a member of one call.
struct Same<'a> {
    scop: &'a Scop,
    member: &'a farkas_scop::blas::Member,
}

impl Same<'_> {
    /// The part of a product that is.
    fn scaling(&self, factors: &[&Expr], negative: bool) -> Result<Scaling> {
        let mut scaling = Scaling { negative, factors: Vec::new() };
        for factor in factors {
            match factor {
                Expr::Int { text, .. } | Expr::Float(text) => {
                    scaling.factors.push(Factor::Text(text.clone()));
                }
                Expr::Param(param) => {
                    let name = self.scop.params()[*param].name.clone();
                    scaling.factors.push(Factor::Text(name));
                }
                Expr::Access(access) => {
                    scaling.factors.extend(self.element(*access)?);
                }
                _ => {}
            }
        }
        Ok(scaling)
    }

    /// An element, where it is the same.
    fn element(&self, access: AccessId) -> Result<Option<Factor>> {
        let access = &self.scop.stmts()[self.member.stmt].accesses[access];
        let domain = self.scop.domain_of(self.member.stmt)?;
        let elements = access.relation.intersect_domain(&domain)?;
        let of_call = elements.apply_domain(&self.member.instances)?;
        let array: ArrayId = access.array;
        if !of_call.is_single_valued()? {
            return Ok(None);
        }
        // Other statements may use it in more calls.
        let everywhere = of_call.gist_domain(&of_call.domain()?)?;
        Ok(Some(Factor::Element(array, everywhere)))
    }
}
