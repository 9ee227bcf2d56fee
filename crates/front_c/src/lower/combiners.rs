//! Whether a function that a pragma says to be an operator can be one: `#pragma farkas reduction(gcd: g) neutral(0)`.

use super::neutral;
use super::parse::Parser;
use super::pure::library_function;
use super::reductions::{Granted, Wrong};
use super::vars::{Var, element_kind};
use crate::source::{BaseType, CType, Layer, Node, for_each_node, parameters};
use farkas_base::nearest;
use farkas_scop::{BodyStmt, Combiner, ElementKind, Expr, Operator, Scop, Statement};

/// The type in which a function computes.
struct Computes {
    /// As the file writes it.
    text: String,
    base: BaseType,
}

/// Checks what pragmas say of functions.
///
/// # Errors
/// The first pragma that says what cannot be, and why.
pub(super) fn check<'g, 'u>(
    parser: &Parser<'u, '_>,
    function: Node<'u>,
    granted: &'g [Granted<'u>],
) -> Result<(), (&'g Granted<'u>, Wrong)> {
    for (at, one) in granted.iter().enumerate() {
        let Operator::Function(combiner) = &one.operator else { continue };
        let wrong = |wrong: Wrong| (one, wrong);
        is_told_once(combiner, &granted[..at]).map_err(wrong)?;
        let computes = computes(parser, &combiner.name).map_err(wrong)?;
        fits_constant(combiner, &computes).map_err(wrong)?;
        is_in_reach(parser, function, one).map_err(wrong)?;
    }
    Ok(())
}

/// Checks that no earlier pragma gives the function another neutral element.
fn is_told_once(combiner: &Combiner, before: &[Granted<'_>]) -> Result<(), Wrong> {
    let same = before.iter().find_map(|one| match &one.operator {
        Operator::Function(known) if known.name == combiner.name => Some((one, known)),
        _ => None,
    });
    match same {
        Some((one, known)) if known.neutral != combiner.neutral => {
            let Combiner { name, neutral } = combiner;
            let message =
                format!("`{name}` has two neutral elements, {} and {neutral}", known.neutral);
            let help = "write the same one in both pragmas";
            Err(Wrong::new(message, "an operator has one neutral element", help)
                .beside(one.pragma.span))
        }
        _ => Ok(()),
    }
}

/// The type in which a function combines two values.
fn computes(parser: &Parser<'_, '_>, name: &str) -> Result<Computes, Wrong> {
    if let Some(definition) = parser.unit.function(name) {
        return computes_as_declared(parser, name, definition);
    }
    let of_library = match library_function(name) {
        Some(ElementKind::Float) => Some(("float", BaseType::Float)),
        Some(ElementKind::Double) => Some(("double", BaseType::Double)),
        Some(ElementKind::LongDouble) => Some(("long double", BaseType::LongDouble)),
        _ => None,
    };
    if let Some((text, base)) = of_library {
        return Ok(Computes { text: text.to_owned(), base });
    }
    let is_known = parser.options.pure_functions.iter().any(|known| known == name);
    match parser.table.get(name).filter(|_| is_known) {
        Some(symbol) => computes_as_declared(parser, name, symbol.declaration),
        None => Err(unknown(parser, name)),
    }
}

/// The message on a function of which nothing is known.
fn unknown(parser: &Parser<'_, '_>, name: &str) -> Wrong {
    let functions: Vec<&str> = parser.unit.functions().map(|(name, _)| name).collect();
    let help = match nearest(name, &functions) {
        Some(meant) => format!("did you mean `{meant}`?"),
        None => format!(
            "define `{name}` in the file; where another file defines it and it is pure, declare it here and say `--pure {name}`"
        ),
    };
    let note =
        "its definition is not in the file, and it is no function of C's mathematics library";
    Wrong::new(format!("`{name}` is no function that is known"), note, help)
}

/// The same as a declaration says it.
fn computes_as_declared(
    parser: &Parser<'_, '_>,
    name: &str,
    declaration: Node<'_>,
) -> Result<Computes, Wrong> {
    let help =
        format!("an operator has the form `T {name}(T a, T b)`, where `T` is a type of numbers");
    let type_of = |node: Node<'_>| {
        let ctype = CType::of_declarator(parser.unit, node, node.child_by_field_name("declarator"));
        (ctype.base_text, ctype.base, ctype.layers.iter().map(is_function).collect::<Vec<_>>())
    };
    let of_parameters: Vec<_> = parameters(declaration).into_iter().map(type_of).collect();
    let [first, second] = of_parameters.as_slice() else {
        let message =
            format!("`{name}` does not combine two values: it takes {}", of_parameters.len());
        return Err(Wrong::new(message, "an operator combines two values", help));
    };
    let (text, base, layers) = type_of(declaration);
    let is_plain =
        |(_, of, layers): &(String, BaseType, Vec<bool>)| *of == base && layers.is_empty();
    if layers != [true] || !base.is_arithmetic() || !is_plain(first) || !is_plain(second) {
        let message = format!("`{name}` takes and gives values of different types, or no numbers");
        let note = "what it gives is combined again, so that all its types are to be one";
        return Err(Wrong::new(message, note, help));
    }
    Ok(Computes { text, base })
}

/// Whether a part of a type says that it is a function.
fn is_function(layer: &Layer<'_>) -> bool {
    matches!(layer, Layer::Function)
}

/// Checks that a neutral element is a number of the type in which its function computes.
fn fits_constant(combiner: &Combiner, computes: &Computes) -> Result<(), Wrong> {
    let kind = element_kind(&computes.base);
    let fits = match (kind, neutral::value(&combiner.neutral)) {
        (ElementKind::Signed(bits), Some(value)) if bits < 128 => {
            let end = 1_i128 << (bits - 1);
            (-end..end).contains(&value)
        }
        (ElementKind::Unsigned(bits), Some(value)) if bits < 127 => {
            (0..1_i128 << bits).contains(&value)
        }
        (kind, None) => kind.is_floating(),
        _ => true,
    };
    if fits {
        return Ok(());
    }
    let Combiner { name, neutral } = combiner;
    let message = format!("`{neutral}` is no value of the type `{}` of `{name}`", computes.text);
    let note = "partial results begin with the neutral element, in that type";
    Err(Wrong::new(message, note, "write the number as a value of that type"))
}

/// Checks that a pragma in a function names something that the function mentions. Before functions, it may be for any of them.
fn is_in_reach<'u>(
    parser: &Parser<'u, '_>,
    function: Node<'u>,
    one: &Granted<'_>,
) -> Result<(), Wrong> {
    let mut is_mentioned = !function.byte_range().contains(&one.pragma.at);
    for_each_node(function, &mut |node| {
        is_mentioned |= node.kind() == "identifier" && parser.unit.text(node) == one.name;
    });
    if is_mentioned {
        return Ok(());
    }
    let message = format!("`{}` is no variable of the function", one.name);
    let note = "the pragma stands in the function, which does not mention the name";
    Err(Wrong::new(message, note, "name a variable or an array that the loops update"))
}

/// The first statement that calls what is granted otherwise than an operator.
pub(super) fn wrong_use<'s>(
    parser: &Parser<'_, '_>,
    scop: &'s Scop,
    granted: &Granted<'_>,
) -> Option<(&'s Statement, Wrong)> {
    let Operator::Function(combiner) = &granted.operator else { return None };
    let computes = computes(parser, &combiner.name).ok()?;
    scop.stmts().iter().find_map(|stmt| {
        let wrong = other_number(scop, stmt, (granted, combiner))
            .or_else(|| other_type(parser, scop, stmt, (granted, combiner, &computes)))?;
        Some((stmt, wrong))
    })
}

/// The message on a statement that sets what is granted to a call of the function with more or fewer values than two.
fn other_number(
    scop: &Scop,
    stmt: &Statement,
    (granted, combiner): (&Granted<'_>, &Combiner),
) -> Option<Wrong> {
    let is_other = |part: &BodyStmt| match part {
        BodyStmt::Assign { target, value: Expr::Call(name, values), .. } => {
            let array = &scop.arrays()[stmt.accesses[*target].array];
            array.source_name == granted.name && *name == combiner.name && values.len() != 2
        }
        _ => false,
    };
    stmt.body.iter().any(is_other).then(|| {
        Wrong::new(
            format!("`{}` does not combine two values here", combiner.name),
            "a pragma says that it is an operator",
            "name a function of two values, or leave the pragma out",
        )
    })
}

/// The message on a statement that updates elements of another type than that in which the function computes.
fn other_type(
    parser: &Parser<'_, '_>,
    scop: &Scop,
    stmt: &Statement,
    (granted, combiner, computes): (&Granted<'_>, &Combiner, &Computes),
) -> Option<Wrong> {
    let update = stmt.update(scop.arrays())?;
    let array = &scop.arrays()[stmt.accesses[update.target].array];
    if update.operator != granted.operator || array.source_name != granted.name {
        return None;
    }
    let is_other = |var: &&Var<'_>| {
        let is_same = match &var.symbol {
            Some(symbol) => symbol.ctype.base == computes.base,
            None => var.element.text == computes.text,
        };
        var.name == granted.name && !is_same
    };
    let other = parser.vars.iter().find(is_other)?;
    Some(Wrong::new(
        format!(
            "`{}` computes in `{}`, but `{}` is of type `{}`",
            combiner.name, computes.text, other.name, other.element.text
        ),
        "what is converted between updates may depend on their order",
        "give both the same type",
    ))
}
