//! What a database is asked for a region, and what it is told of it.

use super::key::{Keyed, compiler_of, key_of};
use super::replay::program;
use crate::{Error, Input, Options, Strategy, optimize};
use farkas_codegen::Target;
use farkas_db::{Compiler, Embedding, Key};
use farkas_scop::{Array, ArrayScope, Host, Region};

/// A region as databases know it.
#[derive(Clone, PartialEq, Debug)]
pub struct Subject {
    /// Its key and where it lies among others; the machine and the compiler are others where it runs elsewhere.
    keyed: Keyed,
    /// The region as a program of its own; why there is none, where there is none.
    pub program: Result<String, String>,
}

impl Subject {
    /// What a database knows a region as.
    ///
    /// # Errors
    /// When its normal form takes too much work, or isl refuses.
    pub fn of(region: &Region, options: &Options) -> Result<Self, Error> {
        let keyed = key_of(region, options, &unknown_compiler(""))?;
        let program = by_itself(region, options, &keyed.key.nest);
        Ok(Self { keyed, program })
    }

    /// The hash of its normal form, in hexadecimal digits.
    pub fn nest(&self) -> &str {
        &self.keyed.key.nest
    }

    /// Where it lies among others.
    pub fn embedding(&self) -> &Embedding {
        &self.keyed.embedding
    }

    /// The key on a machine with a compiler, which calls itself by this line.
    pub fn key(&self, machine: &str, compiler: &str) -> Key {
        let compiler = compiler_of(compiler).unwrap_or_else(|| unknown_compiler(compiler));
        Key { machine: machine.to_owned(), compiler, ..self.keyed.key.clone() }
    }
}

/// A compiler that does not say its version.
fn unknown_compiler(line: &str) -> Compiler {
    let unknown = || "unknown".to_owned();
    let name = line.split_whitespace().next().map_or_else(unknown, str::to_owned);
    Compiler { name, version: unknown() }
}

/// A region as a program of its own, which has the same normal form, of this hash.
///
/// # Errors
/// Why there is none.
pub(super) fn by_itself(region: &Region, options: &Options, nest: &str) -> Result<String, String> {
    let text = program_of(region)?;
    let read = program("program of an entry", &text);
    let regions = read.as_ref().map_or(&[][..], |input: &Input| &input.regions);
    let key = |region| key_of(region, options, &unknown_compiler(""));
    match regions {
        [own] if key(own).is_ok_and(|own| own.key.nest == nest) => Ok(text),
        _ => Err("what can be said of it in a function of its own is not the same".into()),
    }
}

/// A region as a program without directives for the preprocessor: its arrays, and a function with its loops in their own order.
fn program_of(region: &Region) -> Result<String, String> {
    let options = Options { strategy: Strategy::Original, target: Target::C, ..Options::default() };
    // Variables of the function around it, which is another one now.
    let host = Host { outer_iterators: Vec::new(), dropped: Vec::new(), ..region.host.clone() };
    let alone = Region { host, ..region.clone() };
    let code = optimize(&alone, &options).map_err(|error| error.to_string())?.code;
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
    let is_taken = region.scop.names().contains(&region.function);
    let name = if is_taken || region.function.is_empty() { "nest" } else { &region.function };
    Ok(format!("{outside}void {name}({inside})\n{{\n#pragma scop\n{code}#pragma endscop\n}}\n"))
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
        text.push_str(&match (at, extent.as_deref().and_then(plain)) {
            (0, Some(extent)) => format!("[restrict {extent}]"),
            // As what a pointer leads to: nobody says how much that is.
            (0, None) => "[restrict]".to_owned(),
            (_, Some(extent)) => format!("[{extent}]"),
            (_, None) => return Err(unknown()),
        });
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
    use super::plain;

    #[test]
    fn sums_are_taken_as_they_are() {
        assert_eq!(plain("[n] -> { [(1 + n)] }"), Some("1 + n"));
        assert_eq!(plain("[n] -> { [(2n)] }"), None);
        assert_eq!(plain("[n] -> { [(n)] : n > 0; [(0)] : n <= 0 }"), None);
    }
}
