//! Calls in C.

use super::statement::n_subscripts;
use crate::Result;
use farkas_poly::PwAff;
use farkas_scop::blas::{Affine, Call, Factor, Operand, Scaling};
use farkas_scop::{ArrayId, ElementKind, Scop, TextPiece};

/// What stands around the position of a loop in a text that is still to be cut into pieces.
const MARK: char = '\u{1}';

/// The function that a call calls.
pub(super) fn function(scop: &Scop, call: &Call) -> String {
    let is_float = call
        .operands
        .first()
        .is_some_and(|operand| scop.arrays()[operand.array].element.kind == ElementKind::Float);
    format!("cblas_{}{}", if is_float { 's' } else { 'd' }, call.form.routine)
}

/// The statement that makes a call; why there is none.
pub(super) fn body(
    scop: &Scop,
    call: &Call,
) -> Result<std::result::Result<Vec<TextPiece>, String>> {
    let writer = Writer { scop, call };
    Ok(writer
        .arguments()?
        .map(|arguments| pieces(&format!("{}({});", function(scop, call), arguments.join(", ")))))
}

/// The distance in memory of an operand's rows, or of a vector's entries, in elements; none where it is no affine function.
pub(super) fn distance(scop: &Scop, operand: &Operand) -> Option<Affine> {
    let array = &scop.arrays()[operand.array];
    let mut product = Affine::number(1);
    for extent in array.extents.iter().skip(operand.row + 1) {
        let extent = extent_of(extent.as_ref()?)?;
        product = match (product.as_number(), extent.as_number()) {
            (Some(number), _) => Affine::default().plus(number, &extent),
            (_, Some(number)) => Affine::default().plus(number, &product),
            _ => return None,
        };
    }
    Some(product)
}

/// An extent as an affine function.
fn extent_of(extent: &PwAff) -> Option<Affine> {
    Affine::of(&extent.project_domain_on_params().ok()?).ok()?
}

/// Writes the arguments of a call.
struct Writer<'a> {
    scop: &'a Scop,
    call: &'a Call,
}

/// What is asked for, or why there is none.
type Written<T> = std::result::Result<T, String>;

impl Writer<'_> {
    /// All arguments.
    fn arguments(&self) -> Result<Written<Vec<String>>> {
        let Call { form, operands, .. } = self.call;
        let mut all = vec!["CblasRowMajor".to_owned()];
        if form.routine.has_side() {
            all.push(if form.right { "CblasRight" } else { "CblasLeft" }.to_owned());
        }
        if form.routine.has_triangle() {
            all.push(if form.lower { "CblasLower" } else { "CblasUpper" }.to_owned());
        }
        for transposed in form.transposed.iter().take(form.routine.n_transposed()) {
            all.push(if *transposed { "CblasTrans" } else { "CblasNoTrans" }.to_owned());
        }
        if form.routine.multiplies() || form.routine.solves() {
            all.push(if form.unit { "CblasUnit" } else { "CblasNonUnit" }.to_owned());
        }
        for size in &self.call.sizes {
            all.push(self.size(size)?);
        }
        if form.routine.has_alpha() {
            match self.scaling(Some(&self.call.alpha)) {
                Ok(alpha) => all.push(alpha),
                Err(why) => return Ok(Err(why)),
            }
        }
        for operand in operands.iter().skip(1) {
            match self.operand(operand) {
                Ok(both) => all.extend(both),
                Err(why) => return Ok(Err(why)),
            }
        }
        if form.routine.has_beta() {
            match self.scaling(self.call.beta.as_ref()) {
                Ok(beta) => all.push(beta),
                Err(why) => return Ok(Err(why)),
            }
        }
        Ok(operands.first().map_or_else(
            || Err("nothing is updated".to_owned()),
            |operand| self.operand(operand).map(|both| all.into_iter().chain(both).collect()),
        ))
    }

    /// A size: never less than zero.
    fn size(&self, size: &Affine) -> Result<String> {
        let text = size.text(&around);
        let instances = &self.call.instances;
        let negative = super::statement::where_negative(instances, size)?;
        match negative.is_empty()? {
            true => Ok(text),
            false => Ok(format!("{} > 0 ? {text} : 0", size.text(&around))),
        }
    }

    /// A factor of a whole operand; zero for none.
    fn scaling(&self, scaling: Option<&Scaling>) -> Written<String> {
        let kind = self.call.operands.first().map(|of| self.scop.arrays()[of.array].element.kind);
        let suffix = if kind == Some(ElementKind::Float) { "f" } else { "" };
        let Some(scaling) = scaling else { return Ok(format!("0.0{suffix}")) };
        let sign = if scaling.negative { "-" } else { "" };
        if scaling.factors.is_empty() {
            return Ok(format!("{sign}1.0{suffix}"));
        }
        let factors: Written<Vec<String>> =
            scaling.factors.iter().map(|factor| self.factor(factor)).collect();
        Ok(format!("{sign}{}", factors?.join(" * ")))
    }

    /// A number or an element.
    fn factor(&self, factor: &Factor) -> Written<String> {
        match factor {
            Factor::Text(text) => Ok(text.clone()),
            Factor::Element(array, relation) => {
                let corner = corner(relation).ok().flatten();
                let corner = corner.ok_or("a factor is an element whose place is not affine")?;
                self.element(*array, &corner)
            }
        }
    }

    /// A pointer to an operand's first entry, and the distance of its rows or entries.
    fn operand(&self, operand: &Operand) -> Written<[String; 2]> {
        let array = &self.scop.arrays()[operand.array];
        let distance = distance(self.scop, operand).ok_or_else(|| {
            format!("the rows of `{}` are no known distance apart", array.source_name)
        })?;
        let element = self.element(operand.array, &operand.corner)?;
        Ok([format!("&{element}"), distance.text(&around)])
    }

    /// An element.
    fn element(&self, id: ArrayId, subscripts: &[Affine]) -> Written<String> {
        let array = &self.scop.arrays()[id];
        let name = array.printed_name();
        if array.is_member_of_elements() || !name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            return Err(format!("`{name}` is no array by itself"));
        }
        if n_subscripts(self.scop, id) == subscripts.len() {
            let texts = subscripts.iter().map(|subscript| format!("[{}]", subscript.text(&around)));
            return Ok(name.to_owned() + &texts.collect::<String>());
        }
        // One subscript for all dimensions.
        let mut text = String::new();
        for (dim, subscript) in subscripts.iter().enumerate() {
            if !text.is_empty() {
                let extent = array.extents[dim].as_ref().and_then(extent_of);
                let extent =
                    extent.ok_or_else(|| format!("the rows of `{name}` have no known length"))?;
                text = format!("({text}) * {}", extent.factor_text(&around));
            }
            match (subscript.as_number(), text.is_empty()) {
                (Some(0), _) => {}
                (_, true) => text = subscript.text(&around),
                (_, false) => text.push_str(&format!(" + {}", subscript.factor_text(&around))),
            }
        }
        if text.is_empty() {
            text.push('0');
        }
        Ok(format!("{name}[{text}]"))
    }
}

/// The subscripts of an element, as functions of the loops around.
fn corner(relation: &farkas_poly::Map) -> farkas_poly::Result<Option<Vec<Affine>>> {
    use farkas_poly::DimType;
    let (n, at) = (relation.dim(DimType::In)?, relation.dim(DimType::Param)?);
    let mut moved = relation.move_dims(DimType::Param, at, DimType::In, 0, n)?;
    for position in 0..n {
        let name = Affine::around_name(position as usize);
        moved = moved.with_dim_name(DimType::Param, at + position, &name)?;
    }
    let element = moved.range()?;
    let dims = 0..i32::try_from(element.dim(DimType::SET)?).unwrap_or(i32::MAX);
    dims.map(|dim| Affine::of(&element.dim_min(dim)?)).collect()
}

/// What stands for a loop in a text.
fn around(position: usize) -> String {
    format!("{MARK}{position}{MARK}")
}

/// A text cut where loops stand in it.
fn pieces(text: &str) -> Vec<TextPiece> {
    let piece = |(at, part): (usize, &str)| match (at % 2, part.parse()) {
        (1, Ok(position)) => TextPiece::Iterator(position),
        _ => TextPiece::Text(part.to_owned()),
    };
    text.split(MARK).enumerate().map(piece).collect()
}
