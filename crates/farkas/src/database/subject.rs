//! What a database is asked for a region, and what it is told of it.

use crate::analyze::analyze;
use crate::normal::{expanding, normalized};
use crate::{Error, Input, Options, Session, Strategy, optimize};
use farkas_astgen::spans;
use farkas_codegen::Target;
use farkas_cost::{assumed_values, touched_bytes};
use farkas_db::{Compiler, Key};
use farkas_scop::{Array, ArrayScope, Region};
use std::collections::BTreeSet;

/// The version of the normal form whose hashes are keys.
pub(crate) const NORMAL_FORM: u32 = 1;

/// A region as databases know it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Subject {
    /// The hash of its normal form, in hexadecimal digits.
    pub nest: String,
    /// The types of the elements of its arrays, each once, with commas.
    pub elements: String,
    /// What it touches at the sizes for which it is to be fast, as a power of two: `2^24 bytes`.
    pub size_class: String,
    /// The region as a program of its own; why there is none, where there is none.
    pub program: Result<String, String>,
}

impl Subject {
    /// What a database knows a region as.
    ///
    /// # Errors
    /// When its normal form takes too much work, or isl refuses.
    pub fn of(region: &Region) -> Result<Self, Error> {
        let nest = hash(region)?;
        let program = program(region).and_then(|text| match is_same(&text, &nest) {
            true => Ok(text),
            false => Err("what can be said of it in a function of its own is not the same".into()),
        });
        let elements: BTreeSet<&str> =
            region.scop.arrays().iter().map(|array| array.element.text.as_str()).collect();
        let elements = elements.into_iter().collect::<Vec<_>>().join(",");
        let elements = if elements.is_empty() { "none".into() } else { elements };
        Ok(Self { nest, elements, size_class: size_class(region)?, program })
    }

    /// The key on a machine with a compiler, which calls itself by this line.
    pub fn key(&self, machine: &str, compiler: &str) -> Key {
        Key {
            nest: self.nest.clone(),
            normal_form: NORMAL_FORM,
            elements: self.elements.clone(),
            size_class: self.size_class.clone(),
            machine: machine.to_owned(),
            compiler: compiler_of(compiler),
        }
    }
}

/// The hash of a region's normal form.
fn hash(region: &Region) -> Result<String, Error> {
    let options = expanding(Options::default());
    let mut session = Session::default();
    let deps = analyze(&region.scop, &options, &mut session)?;
    Ok(normalized(&region.scop, &deps, &options, &mut session)?.whole.hash)
}

/// The class of what a region touches.
fn size_class(region: &Region) -> Result<String, Error> {
    let params = assumed_values(&region.scop, &region.host.sizes)?;
    let bytes = touched_bytes(&spans(&region.scop)?, &params);
    Ok(format!("2^{} bytes", bytes.max(1.0).log2().ceil()))
}

/// A compiler by the first line that it prints for `--version`: `gcc (Debian 14.2.0-19) 14.2.0` is gcc 14.2.0.
fn compiler_of(line: &str) -> Compiler {
    let mut depth = 0_u32;
    let plain: String = line
        .chars()
        .filter(|&c| {
            depth = if c == '(' { depth + 1 } else { depth };
            let is_outside = depth == 0;
            depth = if c == ')' { depth.saturating_sub(1) } else { depth };
            is_outside
        })
        .collect();
    let mut words = plain.split_whitespace();
    let is_version = |word: &&str| word.starts_with(|c: char| c.is_ascii_digit());
    let version = words.clone().find(is_version).unwrap_or("unknown");
    let known = ["clang", "gcc", "icx", "icc"];
    let name = known.into_iter().find(|name| plain.contains(name));
    let name = name.or_else(|| words.next()).unwrap_or("unknown");
    Compiler { name: name.into(), version: version.into() }
}

/// Whether a program has one region, of this normal form.
fn is_same(text: &str, nest: &str) -> bool {
    let read = super::replay::program("program", text);
    let regions = read.as_ref().map_or(&[][..], |input: &Input| &input.regions);
    matches!(regions, [region] if hash(region).is_ok_and(|hash| hash == nest))
}

/// A region as a program without directives for the preprocessor: its arrays, and a function with its loops in their own order.
fn program(region: &Region) -> Result<String, String> {
    let options = Options { strategy: Strategy::Original, target: Target::C, ..Options::default() };
    let code = optimize(region, &options).map_err(|error| error.to_string())?.code;
    let mut outside = String::new();
    let params = region.scop.params().iter();
    let mut inside: Vec<String> =
        params.map(|param| format!("{} {}", param.ty, param.name)).collect();
    let is_declared = |array: &&Array| array.scope != ArrayScope::Region;
    for array in region.scop.arrays().iter().filter(is_declared) {
        let (declaration, is_fixed) = declaration(array)?;
        match is_fixed {
            true => outside.push_str(&format!("{declaration};\n")),
            false => inside.push(declaration),
        }
    }
    let inside = if inside.is_empty() { "void".to_owned() } else { inside.join(", ") };
    Ok(format!("{outside}void nest({inside})\n{{\n#pragma scop\n{code}#pragma endscop\n}}\n"))
}

/// How an array is declared, and whether its extents are numbers.
fn declaration(array: &Array) -> Result<(String, bool), String> {
    let (element, name) = (&array.element.text, array.printed_name());
    let no_name = || format!("`{name}` is no array by itself");
    if !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return Err(no_name());
    }
    if let Some(extents) = array.constant_extents() {
        let extents: String = extents.iter().map(|extent| format!("[{extent}]")).collect();
        return Ok((format!("{element} {name}{extents}"), true));
    }
    let unknown = || format!("the extents of `{name}` are not known");
    let mut text = format!("{element} {name}");
    for (at, extent) in array.extents.iter().enumerate() {
        let extent = extent.as_ref().map(ToString::to_string);
        let extent = extent.as_deref().and_then(plain).ok_or_else(unknown)?;
        let restrict = if at == 0 { "restrict " } else { "" };
        text.push_str(&format!("[{restrict}{extent}]"));
    }
    Ok((text, false))
}

/// The sum in a text of isl's of one value, `[n] -> { [(1 + n)] }`; none where it says more.
fn plain(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("[(")?;
    let (sum, rest) = rest.split_once(")]")?;
    let is_sum = sum.split_whitespace().all(|word| {
        let is_name = !word.starts_with(|c: char| c.is_ascii_digit());
        let is_number = word.chars().all(|c| c.is_ascii_digit());
        let is_word = word.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
        word == "+" || word == "-" || is_word && (is_name || is_number)
    });
    (is_sum && rest.trim() == "}").then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn compilers_are_recognised() {
        let of = |line| compiler_of(line).to_string();
        assert_eq!(of("gcc (Debian 14.2.0-19) 14.2.0"), "gcc 14.2.0");
        assert_eq!(of("Debian clang version 19.1.7 (3)"), "clang 19.1.7");
        assert_eq!(of("cc"), "cc unknown");
        assert_eq!(of(""), "unknown unknown");
    }

    #[test]
    fn sums_are_taken_as_they_are() {
        assert_eq!(plain("[n] -> { [(1 + n)] }"), Some("1 + n"));
        assert_eq!(plain("[n] -> { [(2n)] }"), None);
        assert_eq!(plain("[n] -> { [(n)] : n > 0; [(0)] : n <= 0 }"), None);
    }
}
