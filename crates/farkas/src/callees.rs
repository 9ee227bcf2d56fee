//! Regions that are nothing but a call: where the function's own loops get the same form, the call stays.
//!
//! Both would be the same code twice, and a function that has grown, and is called from the text that stays beside the form as
//! well, is no longer one that compilers put in the place of its call.

/// What became of a region.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<'a> {
    /// The function that it is in.
    pub function: &'a str,
    /// Its text.
    pub text: &'a str,
    /// Its form, where one that was chosen takes the place of the text.
    pub form: Option<&'a str>,
}

/// Which of the regions of a file may stay calls, since each loop that has a form in the function that is called has the same.
pub fn left_to_callees(regions: &[Outcome<'_>]) -> Vec<bool> {
    let is_left = |region: &Outcome<'_>| {
        let (Some(form), Some(called)) = (region.form, called(region.text)) else { return false };
        let own = regions.iter().filter(|other| other.function == called);
        let forms: Vec<&str> = own.filter_map(|other| other.form).collect();
        !forms.is_empty() && forms.iter().all(|other| *other == form)
    };
    regions.iter().map(is_left).collect()
}

/// The function of which a text is a call and nothing else, but for a variable that is set to the result.
fn called(text: &str) -> Option<&str> {
    let statement = text.trim().strip_suffix(';')?.trim_end();
    let (before, inside) = statement.split_once('(')?;
    let arguments = inside.strip_suffix(')')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let name = before.trim_end().rsplit(|c| !is_part(c)).next().filter(|name| !name.is_empty())?;
    let set = before.trim_end().strip_suffix(name)?.trim();
    let is_name = |of: &str| of.chars().all(|c| is_part(c) || "->. []*".contains(c));
    let is_set = set.is_empty() || set.strip_suffix('=').is_some_and(is_name);
    (is_set && is_balanced(arguments)).then_some(name)
}

/// Whether a text has no other statements, and closes each parenthesis that it opens, and no other.
fn is_balanced(text: &str) -> bool {
    let mut depth = 0i32;
    let closes = text.chars().all(|c| {
        depth += match c {
            '(' => 1,
            ')' => -1,
            _ => 0,
        };
        depth >= 0 && !matches!(c, ';' | '{' | '}')
    });
    closes && depth == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_told_from_the_rest() {
        for (text, name) in [
            (" norm(y, n);\n", Some("norm")),
            ("s->size = norm (f(y), (n));", Some("norm")),
            ("for (i = 0; i < n; i++) f(i);", None),
            ("f(x); g(x);", None),
            ("f(x) + g(x);", None),
            ("a += f(x);", None),
            ("x", None),
        ] {
            assert_eq!(called(text), name, "{text}");
        }
    }

    #[test]
    fn a_call_stays_where_the_function_has_the_same_form() {
        let region = |function, text, form| Outcome { function, text, form };
        let regions = [
            region("f", "for (;;) g(x);", Some("parallel")),
            region("g", "for (;;) x();", None),
            region("main", "f(x);", Some("parallel")),
            region("main", "f(y);", Some("pluto")),
            region("main", "g(y);", Some("parallel")),
            region("main", "f(y);", None),
        ];
        assert_eq!(left_to_callees(&regions), [false, false, true, false, false, false]);
    }
}
