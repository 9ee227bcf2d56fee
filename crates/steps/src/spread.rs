//! Updates of elements that data chooses, with an instance for each element that they may choose.

use crate::Result;
use crate::lift::Lifted;
use crate::numbered::{Around, Numbered, all};
use farkas_poly::{Aff, DimType, Map};
use farkas_scop::{AccessId, Expr, Iterator, Statement};
use farkas_tree::Program;

/// A statement such as `count[x[i]] += 1` with a dimension for each subscript of its element that is data: an instance for each element
/// that may be chosen. It computes nothing that is wanted, but says which elements there are.
pub(crate) struct Spread {
    /// The program with this statement in the place of the one that it is made of, and the loops around it.
    pub(crate) numbered: Numbered,
    /// The subscripts that are data: the first dimensions of the statement, in their order.
    pub(crate) chosen: Vec<Expr>,
    /// From instances that data lets choose any element: all that the statement has.
    choices: Lifted,
}

impl Spread {
    /// That of a statement whose `target` is written; `elements` are all its accesses with the same subscripts. None where no subscript says what is
    /// chosen.
    pub(crate) fn of(
        numbered: &Numbered,
        target: AccessId,
        elements: &[AccessId],
    ) -> Result<Option<Self>> {
        let Numbered { program, stmt, path } = numbered;
        let old = &program.scop.stmts()[*stmt];
        let target = &old.accesses[target];
        let places = target.chosen_dims()?;
        let rank = program.scop.arrays()[target.array].rank();
        if !places.is_empty() && target.subscripts.len() != rank {
            return Ok(None);
        }
        let chosen = places.iter().map(|at| target.subscripts[*at].clone()).collect();
        let choices = choices(old, &target.relation, &places)?;
        let n = u32::try_from(places.len()).unwrap_or(u32::MAX);
        let instances = all(&program.scop, *stmt)?.insert_dims(DimType::SET, 0, n)?;
        let instances = instances.with_tuple_name(&old.name)?.intersect(&choices.domain)?;
        let lifted = Lifted::named(&old.name, &old.name, &instances, n)?;
        let mut new = lifted.with_iterators(old, iterators(&lifted, places.len())?)?;
        for access in elements {
            choose(&mut new, *access, &places)?;
        }
        let mut builder = program.scop.to_builder();
        builder.stmts[*stmt] = new;
        let scop = builder.build().map_err(crate::Error::Scop)?;
        let program = Program { scop, ..program.clone() };
        let path = path.iter().map(|around| behind(around, places.len())).collect();
        let numbered = Numbered { program, stmt: *stmt, path };
        Ok(Some(Self { numbered, chosen, choices }))
    }

    /// A relation from the instances of this statement as one from those of the one that it is made of.
    pub(crate) fn relation(&self, relation: &Map) -> Result<Map> {
        if self.chosen.is_empty() {
            return Ok(relation.clone());
        }
        Ok(self.choices.to_new(&self.choices.domain)?.apply_range(relation)?)
    }

    /// A subscript over the iterators of this statement as one over those of the one that it is made of.
    pub(crate) fn subscript(&self, subscript: &Expr) -> Expr {
        subscript.rewritten(&mut |e| match e {
            Expr::Iterator(at) => Some(match self.chosen.get(*at as usize) {
                Some(chosen) => chosen.clone(),
                None => Expr::Iterator(at - u32::try_from(self.chosen.len()).unwrap_or(0)),
            }),
            _ => None,
        })
    }
}

/// All choices that data has, whatever the instance, as instances with what is chosen in front.
fn choices(old: &Statement, elements: &Map, places: &[usize]) -> Result<Lifted> {
    let mut chosen = elements.clone();
    for at in (0..elements.dim(DimType::Out)?).rev() {
        if !places.contains(&(at as usize)) {
            chosen = chosen.project_out(DimType::Out, at, 1)?;
        }
    }
    let all = chosen.reverse()?.wrap()?.flatten()?;
    Lifted::named(&old.name, &old.name, &all, u32::try_from(places.len()).unwrap_or(u32::MAX))
}

/// The iterators of what is chosen.
fn iterators(lifted: &Lifted, n: usize) -> Result<Vec<Iterator>> {
    let space = lifted.domain.space()?;
    let mut iterators = Vec::new();
    for at in 0..u32::try_from(n).unwrap_or(u32::MAX) {
        let value = Aff::var_on_domain(&space, DimType::SET, at)?.to_pw_aff()?;
        iterators.push(Iterator { name: "cell".to_owned(), ty: "long".to_owned(), value });
    }
    Ok(iterators)
}

/// Lets an access of the statement go to the element that its first dimensions name.
fn choose(new: &mut Statement, access: AccessId, places: &[usize]) -> Result<()> {
    let access = &mut new.accesses[access];
    for (dim, at) in places.iter().enumerate() {
        let [from, to] = [dim, *at].map(|at| i32::try_from(at).unwrap_or(i32::MAX));
        access.relation = access.relation.equate(DimType::In, from, DimType::Out, to)?;
        access.subscripts[*at] = Expr::Iterator(u32::try_from(dim).unwrap_or(u32::MAX));
    }
    Ok(())
}

/// A loop around a statement as one around the same with `n` dimensions in front.
fn behind(around: &Around, n: usize) -> Around {
    let mut around = around.clone();
    around.row = around.row.map(|row| row.behind(n));
    around.tiles = around.tiles.map(|mut tiles| {
        tiles.of = tiles.of.behind(n);
        tiles.number += n;
        tiles
    });
    around
}
