//! The original order, dimension by dimension of the dates.

use crate::Result;
use farkas_base::IdVec;
use farkas_poly::{Aff, DimType, Map, PwAff, Set};
use farkas_scop::{Dim, Scop, StmtId};

/// The date of a statement's instances in one dimension.
#[derive(Clone, Debug)]
pub(crate) enum DateDim {
    /// The same for all.
    Constant(i64),
    /// The iterator at this position.
    Iterator(u32),
    /// Another function of the iterators.
    Varying(PwAff),
    /// Another function of the parameters alone.
    Fixed(PwAff),
}

/// The dates of all statements.
pub(crate) struct Dates {
    dims: IdVec<StmtId, Vec<DateDim>>,
    maps: IdVec<StmtId, Map>,
}

/// Pairs of which the source comes before the sink, all decided in the same dimension of the dates.
#[derive(Clone, Debug)]
pub(crate) struct Piece {
    /// The dimension that decides.
    pub(crate) dim: usize,
    /// The source's date in that dimension, where it is constant and the sink's too: a later one hides an earlier one.
    pub(crate) constant: Option<i64>,
    /// The common loop that the dimension is, counted from 0.
    pub(crate) level: Option<u32>,
    /// The pairs; of [`Dates::split`], not empty, with explicit equalities.
    pub(crate) pairs: Map,
}

impl Dates {
    /// The dates of `scop`.
    pub(crate) fn of(scop: &Scop) -> Result<Self> {
        let mut dims = IdVec::new();
        for stmt in scop.stmts() {
            let function = stmt.date.to_pw_multi_aff()?;
            let n = i32::try_from(stmt.date.dim(DimType::Out)?).unwrap_or(i32::MAX);
            let dates: Result<Vec<DateDim>> =
                (0..n).map(|d| classify(&function.at(d)?, stmt.depth())).collect();
            dims.push(dates?);
        }
        Ok(Self { dims, maps: scop.stmts().map(|s| s.date.clone()) })
    }

    /// Those of `pairs` whose source comes before the sink, apart by the dimension that decides, outermost first. Only
    /// the dimensions `deciding`, where given, need to be looked at.
    pub(crate) fn split(
        &self,
        source: StmtId,
        sink: StmtId,
        pairs: &Map,
        deciding: Option<&[usize]>,
    ) -> Result<Vec<Piece>> {
        let mut pieces = Vec::new();
        for piece in self.split_roughly(source, sink, pairs, deciding)? {
            let pairs = piece.pairs.detect_equalities()?;
            if !pairs.plain_is_empty()? {
                pieces.push(Piece { pairs, ..piece });
            }
        }
        Ok(pieces)
    }

    /// [`Dates::split`] with pieces as they come: some may be empty.
    pub(crate) fn split_roughly(
        &self,
        source: StmtId,
        sink: StmtId,
        pairs: &Map,
        deciding: Option<&[usize]>,
    ) -> Result<Vec<Piece>> {
        let mut pieces = Vec::new();
        let last = deciding.map_or(usize::MAX, |dims| dims.iter().copied().max().unwrap_or(0));
        let mut same = pairs.clone();
        let mut loops = Some(0);
        for (dim, (a, b)) in self.dims[source].iter().zip(&self.dims[sink]).enumerate() {
            if dim > last {
                break;
            }
            let (mut constant, mut level) = (None, None);
            match (a, b) {
                (DateDim::Constant(x), DateDim::Constant(y)) if x == y => continue,
                (DateDim::Constant(x), DateDim::Constant(_)) => constant = Some(*x),
                _ if a.is_loop() && b.is_loop() => {
                    level = loops;
                    loops = loops.map(|n| n + 1);
                }
                _ => loops = None,
            }
            if deciding.is_none_or(|dims| dims.contains(&dim)) {
                let pairs = before(a, b, &same)?;
                if !pairs.plain_is_empty()? {
                    pieces.push(Piece { dim, constant, level, pairs });
                }
            }
            if constant.is_some() || dim == last {
                break;
            }
            same = equal(a, b, &same)?;
            if same.plain_is_empty()? {
                break;
            }
        }
        Ok(pieces)
    }

    /// All pairs of instances in the spaces of `domains` whose source comes before the sink.
    pub(crate) fn before(&self, source: StmtId, sink: StmtId, domains: [&Set; 2]) -> Result<Map> {
        let space = domains[0].space()?.map_from_domain_and_range(&domains[1].space()?)?;
        let mut same = Map::universe(&space)?;
        let mut all = Map::empty(&space)?;
        for (a, b) in self.dims[source].iter().zip(&self.dims[sink]) {
            all = all.union_disjoint(&before(a, b, &same)?)?;
            same = equal(a, b, &same)?;
            if same.plain_is_empty()? {
                break;
            }
        }
        Ok(all)
    }

    /// From the instances of `stmt` to their dates.
    pub(crate) fn date(&self, stmt: StmtId) -> &Map {
        &self.maps[stmt]
    }

    /// The dates of `stmt`, dimension by dimension.
    pub(crate) fn dims(&self, stmt: StmtId) -> &[DateDim] {
        &self.dims[stmt]
    }

    /// The positions of the iterators of the loops around both statements; `None` for a loop whose date is no iterator.
    pub(crate) fn common_loops(&self, source: StmtId, sink: StmtId) -> Vec<Option<(u32, u32)>> {
        let mut loops = Vec::new();
        for pair in self.dims[source].iter().zip(&self.dims[sink]) {
            match pair {
                (DateDim::Constant(x), DateDim::Constant(y)) if x == y => {}
                (DateDim::Iterator(a), DateDim::Iterator(b)) => loops.push(Some((*a, *b))),
                (a, b) if a.is_loop() && b.is_loop() => loops.push(None),
                _ => break,
            }
        }
        loops
    }

    /// The dimensions of both statements that count the loops around both, outermost first, up to the first loop that counts none.
    pub(crate) fn counted_by(&self, source: StmtId, sink: StmtId) -> Result<Vec<(Dim, Dim)>> {
        let mut found = Vec::new();
        for pair in self.dims[source].iter().zip(&self.dims[sink]) {
            match pair {
                (DateDim::Constant(x), DateDim::Constant(y)) if x == y => {}
                (a, b) => match (a.counted()?, b.counted()?) {
                    (Some(own), Some(other)) => found.push((own, other)),
                    _ => break,
                },
            }
        }
        Ok(found)
    }

    /// Whether the instances of `stmt` run in the lexicographic order of their iterators.
    pub(crate) fn is_lexicographic(&self, stmt: StmtId, depth: usize) -> bool {
        let mut next = 0;
        for dim in &self.dims[stmt] {
            match dim {
                DateDim::Constant(_) => {}
                DateDim::Iterator(i) if *i == next => next += 1,
                DateDim::Iterator(i) if *i < next => {}
                _ => return false,
            }
        }
        next as usize == depth
    }
}

/// What kind of function the date is.
fn classify(date: &PwAff, depth: usize) -> Result<DateDim> {
    if let [(_, aff)] = date.pieces()?.as_slice() {
        if aff.is_cst()? {
            return Ok(DateDim::Constant(aff.constant_val()?.to_i64()?));
        }
        let space = aff.domain_space()?;
        for i in 0..u32::try_from(depth).unwrap_or(u32::MAX) {
            if aff.plain_is_equal(&Aff::var_on_domain(&space, DimType::SET, i)?)? {
                return Ok(DateDim::Iterator(i));
            }
        }
    }
    let n = date.dim(DimType::In)?;
    let varies = date.involves_dims(DimType::In, 0, n)?;
    Ok(if varies { DateDim::Varying(date.clone()) } else { DateDim::Fixed(date.clone()) })
}

/// Those of `pairs` with an earlier date in this dimension at the source.
fn before(a: &DateDim, b: &DateDim, pairs: &Map) -> Result<Map> {
    if let (DateDim::Constant(x), DateDim::Constant(y)) = (a, b) {
        return if x < y { Ok(pairs.clone()) } else { Ok(Map::empty(&pairs.space()?)?) };
    }
    if let (DateDim::Iterator(i), DateDim::Iterator(j)) = (a, b) {
        return Ok(pairs.order_lt(DimType::In, position(*i), DimType::Out, position(*j))?);
    }
    compare(a, b, pairs, "{ [x] -> [y] : x < y }")
}

/// Those of `pairs` with the same date in this dimension.
fn equal(a: &DateDim, b: &DateDim, pairs: &Map) -> Result<Map> {
    if let (DateDim::Constant(x), DateDim::Constant(y)) = (a, b) {
        return if x == y { Ok(pairs.clone()) } else { Ok(Map::empty(&pairs.space()?)?) };
    }
    if let (DateDim::Iterator(i), DateDim::Iterator(j)) = (a, b) {
        return Ok(pairs.equate(DimType::In, position(*i), DimType::Out, position(*j))?);
    }
    compare(a, b, pairs, "{ [x] -> [x] }")
}

/// Those of `pairs` whose dates are related by `relation`.
fn compare(a: &DateDim, b: &DateDim, pairs: &Map, relation: &str) -> Result<Map> {
    let relation: Map = relation.parse()?;
    let space = pairs.space()?;
    let source = a.to_map(&space.domain()?)?;
    let sink = b.to_map(&space.range()?)?;
    Ok(pairs.intersect(&source.apply_range(&relation)?.apply_range(&sink.reverse()?)?)?)
}

impl DateDim {
    /// Whether the date is that of a loop.
    fn is_loop(&self) -> bool {
        matches!(self, Self::Iterator(_) | Self::Varying(_))
    }

    /// The dimension that the date counts; none where it is another function.
    fn counted(&self) -> Result<Option<Dim>> {
        let date = match self {
            Self::Iterator(at) => return Ok(Some(Dim { at: *at as usize, falls: false })),
            Self::Varying(date) => date,
            Self::Constant(_) | Self::Fixed(_) => return Ok(None),
        };
        let pieces = date.pieces()?;
        let [(_, aff)] = pieces.as_slice() else { return Ok(None) };
        let space = aff.domain_space()?;
        for at in 0..aff.dim(DimType::In)? {
            if aff.plain_is_equal(&Aff::var_on_domain(&space, DimType::SET, at)?.neg()?)? {
                return Ok(Some(Dim { at: at as usize, falls: true }));
            }
        }
        Ok(None)
    }

    /// As a map on `domain`.
    fn to_map(&self, domain: &farkas_poly::Space) -> Result<Map> {
        Ok(match self {
            Self::Varying(date) | Self::Fixed(date) => date.to_map()?,
            Self::Constant(value) => Map::from_aff(&Aff::constant_on_domain(domain, *value)?)?,
            Self::Iterator(i) => Map::from_aff(&Aff::var_on_domain(domain, DimType::SET, *i)?)?,
        })
    }
}

/// A dimension as isl takes it.
fn position(i: u32) -> i32 {
    i32::try_from(i).unwrap_or(i32::MAX)
}
