//! The text of a schedule as a tree, with messages that say where it is wrong.

use crate::locate;
use farkas_base::{Diagnostic, DiagnosticId, SourceFile, Span};
use farkas_poly::{DimType, Map, MultiUnionPwAff, Set, UnionMap, UnionPwAff, UnionSet};
use farkas_scop::{Scop, StmtId};
use farkas_tree::{Band, Member, Node, ScheduleTree};
use std::collections::BTreeMap;
use std::sync::Arc;

/// A schedule of a region.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Schedule {
    /// The order. A union map becomes one band a dimension, none of them permutable.
    pub tree: ScheduleTree,
    /// Whether it was a union map, so that its loops are called dimensions.
    pub is_map: bool,
}

/// The keys of isl's schedule trees.
const KEYS: [&str; 15] = [
    "domain",
    "child",
    "context",
    "schedule",
    "permutable",
    "coincident",
    "options",
    "sequence",
    "set",
    "filter",
    "guard",
    "mark",
    "extension",
    "contraction",
    "expansion",
];

/// What a schedule is read for.
struct Reader<'a> {
    scop: &'a Scop,
    /// The C file.
    source: &'a Arc<SourceFile>,
    /// The schedule's file.
    file: &'a Arc<SourceFile>,
    /// Its text without comments.
    text: String,
}

/// A result or what is wrong with the text.
type Read<T> = Result<T, Box<Diagnostic>>;

/// Reads the schedule in `file` for `scop`, which comes from `source`: an isl union map, or a schedule tree in YAML.
///
/// In a union map, all dates lie in one space: those with fewer dimensions than the longest are filled up with zeros.
/// Parameters of the scop need not be declared.
///
/// # Errors
/// The diagnostic of a text that is neither, or does not speak of just the statements of `scop`.
pub fn read_schedule(
    scop: &Scop,
    source: &Arc<SourceFile>,
    file: &Arc<SourceFile>,
) -> Result<Schedule, Box<Diagnostic>> {
    let reader = Reader { scop, source, file, text: locate::without_comments(file.text()) };
    if reader.text.trim().is_empty() {
        return Err(Box::new(
            Diagnostic::new(DiagnosticId::BadSchedule, format!("`{}` is empty", file.name()))
                .help("write an isl union map such as `{ S0[i, j] -> [j, i] }`"),
        ));
    }
    let is_map = !reader.is_tree();
    let tree = if is_map { reader.map()? } else { reader.tree()? };
    Ok(Schedule { tree, is_map })
}

impl Reader<'_> {
    /// Whether the text is a tree: its first key is `domain`.
    fn is_tree(&self) -> bool {
        let start = self.text.trim_start_matches(|c: char| c.is_whitespace() || "{-\"".contains(c));
        let key: String = start.chars().take_while(char::is_ascii_alphanumeric).collect();
        let rest = start.get(key.len()..).unwrap_or("").trim_start_matches(['"', ' ', '\t']);
        !key.is_empty() && rest.starts_with(':')
    }

    /// A message at a place of the schedule.
    fn wrong(&self, message: impl Into<String>, span: Span, label: &str) -> Box<Diagnostic> {
        let diagnostic = Diagnostic::new(DiagnosticId::BadSchedule, message);
        Box::new(diagnostic.at(self.file, span, label))
    }

    /// isl's refusal of a text that seemed right.
    fn refused(&self, error: impl std::fmt::Display) -> Box<Diagnostic> {
        Box::new(Diagnostic::new(
            DiagnosticId::BadSchedule,
            format!("`{}` is no schedule: {error}", self.file.name()),
        ))
    }

    /// `[n, m] -> `, to declare the scop's parameters; empty when there are none.
    fn declared_params(&self) -> String {
        let params: Vec<&str> = self.scop.params().iter().map(|p| p.name.as_str()).collect();
        if params.is_empty() { String::new() } else { format!("[{}] -> ", params.join(", ")) }
    }

    /// The tree of a union map.
    fn map(&self) -> Read<ScheduleTree> {
        let map = self.union_map()?;
        let maps = map.maps().map_err(|e| self.refused(e))?;
        let mut of: BTreeMap<StmtId, Vec<Map>> = BTreeMap::new();
        let mut date_names = Vec::new();
        for map in maps {
            let stmt = self.stmt(map.tuple_name(DimType::In), map.dim(DimType::In))?;
            self.check_params(&map)?;
            date_names.push(map.tuple_name(DimType::Out));
            of.entry(stmt).or_default().push(map);
        }
        date_names.dedup();
        if date_names.len() > 1 {
            return Err(
                self.refused("the dates of the statements lie in spaces of different names")
            );
        }
        self.check_complete(&of.keys().copied().collect::<Vec<_>>())?;
        self.bands(&of)
    }

    /// The union map of the text; the scop's parameters are declared where the text alone is not understood.
    fn union_map(&self) -> Read<UnionMap> {
        let text = self.text.trim();
        let declared = format!("{}{text}", self.declared_params());
        if let Ok(map) = text.parse::<UnionMap>().or_else(|_| declared.parse()) {
            return Ok(map);
        }
        if let Some((span, what)) = locate::unbalanced(&self.text) {
            return Err(self.wrong(format!("the schedule cannot be read: {what}"), span, &what));
        }
        self.bad_piece(&self.text, 0, |text| text.parse::<UnionMap>().is_ok())?;
        Err(self.refused("it is neither an isl union map nor a schedule tree"))
    }

    /// The message on the first part between semicolons of `text`, which stands at `offset`, that is not understood.
    fn bad_piece(&self, text: &str, offset: usize, good: impl Fn(&str) -> bool) -> Read<()> {
        let Some((head, parts)) = locate::pieces(text) else { return Ok(()) };
        let head = if head.trim().is_empty() { self.declared_params() } else { head.to_owned() };
        for (span, part) in parts {
            if !good(&format!("{head}{{ {part} }}")) {
                let place = Span::new(span.range().start + offset..span.range().end + offset);
                let error = self.wrong(
                    "the schedule cannot be read: this part is not in isl notation",
                    place,
                    "not understood",
                );
                let params = self.declared_params();
                let params =
                    if params.is_empty() { "none".into() } else { params.replace(" -> ", "") };
                return Err(Box::new(error.note(format!(
                    "names in it must be dimensions of its own tuple or declared parameters; those of the region: {params}"
                ))));
            }
        }
        Ok(())
    }

    /// The statement called `name`, which must have `dims` dimensions.
    fn stmt(&self, name: Option<String>, dims: farkas_poly::Result<u32>) -> Read<StmtId> {
        let known: Vec<&str> = self.scop.stmts().iter().map(|s| s.name.as_str()).collect();
        let known = format!("the region's statements are {}", known.join(", "));
        let Some(name) = name else {
            return Err(Box::new(self.refused("a tuple has no statement's name").note(known)));
        };
        let span = locate::tuple(&self.text, &name).unwrap_or(Span::new(0..1));
        let Some(stmt) = self.scop.stmt_by_name(&name) else {
            let message = format!("the region has no statement `{name}`");
            return Err(Box::new(self.wrong(message, span, "unknown statement").note(known)));
        };
        let depth = self.scop.stmts()[stmt].depth();
        let dims = dims.map_err(|e| self.refused(e))?;
        if dims as usize != depth {
            let iterators: Vec<&str> =
                self.scop.stmts()[stmt].iterators.iter().map(|i| i.name.as_str()).collect();
            let message = format!("`{name}` has {depth} dimensions, the schedule gives it {dims}");
            let expected = format!("expected `{name}[{}]`", iterators.join(", "));
            return Err(self.wrong(message, span, &expected));
        }
        Ok(stmt)
    }

    /// Every parameter that the map uses is one of the scop's.
    fn check_params(&self, map: &Map) -> Read<()> {
        let params = map.space().and_then(|s| s.param_names()).map_err(|e| self.refused(e))?;
        for (at, name) in (0..).zip(params) {
            let used = map.involves_dims(DimType::Param, at, 1).map_err(|e| self.refused(e))?;
            if used && !self.scop.params().iter().any(|p| p.name == name) {
                let known: Vec<&str> = self.scop.params().iter().map(|p| p.name.as_str()).collect();
                let span = self.text.find(&name).map_or(0..1, |at| at..at + name.len());
                let message = format!("the region has no parameter `{name}`");
                let error = self.wrong(message, Span::new(span), "unknown parameter");
                return Err(Box::new(
                    error.note(format!("the region's parameters: {}", known.join(", "))),
                ));
            }
        }
        Ok(())
    }

    /// Every statement is among `found`.
    fn check_complete(&self, found: &[StmtId]) -> Read<()> {
        let Some(missing) = self.scop.stmts().ids().find(|stmt| !found.contains(stmt)) else {
            return Ok(());
        };
        let stmt = &self.scop.stmts()[missing];
        let message = format!("the schedule has no date for statement `{}`", stmt.name);
        let diagnostic = Diagnostic::new(DiagnosticId::BadSchedule, message);
        let diagnostic = match stmt.span {
            Some(span) => diagnostic.at(self.source, span, "not scheduled"),
            None => diagnostic,
        };
        let iterators: Vec<&str> = stmt.iterators.iter().map(|i| i.name.as_str()).collect();
        let example = format!("add `{}[{}] -> [...]`", stmt.name, iterators.join(", "));
        Err(Box::new(diagnostic.help(example)))
    }

    /// One band for each dimension of the dates.
    fn bands(&self, of: &BTreeMap<StmtId, Vec<Map>>) -> Read<ScheduleTree> {
        let refused = |e: farkas_poly::Error| self.refused(e);
        let dims = of.values().flatten().map(|m| m.dim(DimType::Out));
        let dims: Vec<u32> = dims.collect::<farkas_poly::Result<_>>().map_err(refused)?;
        let n_dims = dims.into_iter().max().unwrap_or(0);
        let mut columns: Vec<Vec<farkas_poly::PwAff>> = vec![Vec::new(); n_dims as usize];
        for (&stmt, maps) in of {
            let date = self.date(stmt, maps, n_dims).map_err(refused)?;
            if !date.is_single_valued().map_err(refused)? {
                let name = &self.scop.stmts()[stmt].name;
                let span = locate::tuple(&self.text, name).unwrap_or(Span::new(0..1));
                let message = format!("the schedule gives instances of `{name}` several dates");
                return Err(self.wrong(message, span, "not a function"));
            }
            let function = date.to_pw_multi_aff().map_err(refused)?;
            for (at, column) in (0..).zip(&mut columns) {
                column.push(function.at(at).map_err(refused)?);
            }
        }
        let mut child = ScheduleTree::leaf();
        for column in columns.into_iter().rev() {
            let schedule = UnionPwAff::union_all(column).map_err(refused)?;
            let members = vec![Member::new(schedule, false)];
            child = ScheduleTree::band(Band { members, permutable: false }, child);
        }
        Ok(ScheduleTree::domain(self.scop.domain().map_err(refused)?, child))
    }

    /// The dates of a statement's instances, filled up with zeros.
    fn date(&self, stmt: StmtId, maps: &[Map], n_dims: u32) -> farkas_poly::Result<Map> {
        let domain: Set = self.scop.domain_of(stmt)?;
        let mut all: Option<Map> = None;
        for map in maps {
            let mut map = map.flatten_range()?.reset_tuple_id(DimType::Out)?;
            let own = map.dim(DimType::Out)?;
            map = map.add_dims(DimType::Out, n_dims - own)?;
            for at in own..n_dims {
                map = map.fix_si(DimType::Out, at, 0)?;
            }
            let map = map.intersect_domain(&domain)?;
            all = Some(match all {
                Some(all) => all.union(&map)?,
                None => map,
            });
        }
        match all {
            Some(all) => all.coalesce(),
            None => Map::from_domain_and_range(&domain, &Set::unnamed_universe(n_dims as usize)?),
        }
    }

    /// A schedule tree.
    fn tree(&self) -> Read<ScheduleTree> {
        let tree = match self.text.parse::<ScheduleTree>() {
            Ok(tree) => tree,
            Err(farkas_tree::Error::Mark(mark)) => {
                let span = self.text.find(&mark.0).map_or(0..1, |at| at..at + mark.0.len());
                return Err(self.wrong(mark.to_string(), Span::new(span), "unknown mark"));
            }
            Err(error) => return Err(self.bad_tree(&error)),
        };
        let Node::Domain { domain, .. } = tree.node() else {
            return Err(self.refused(format!(
                "the root of a tree is a domain node, not a {} node",
                tree.kind()
            )));
        };
        let mut found = Vec::new();
        for set in domain.sets().map_err(|e| self.refused(e))? {
            found.push(self.stmt(set.tuple_name(), set.dim(DimType::SET))?);
        }
        self.check_complete(&found)?;
        Ok(tree)
    }

    /// What is wrong with a tree that isl refuses.
    fn bad_tree(&self, error: &farkas_tree::Error) -> Box<Diagnostic> {
        if let Some((span, what)) = locate::unbalanced(&self.text) {
            return self.wrong(format!("the schedule tree cannot be read: {what}"), span, &what);
        }
        for (span, key) in locate::keys(&self.text) {
            if !KEYS.contains(&key) {
                let message = format!("a schedule tree has no key `{key}`");
                let error = self.wrong(message, span, "unknown key");
                return Box::new(error.help(format!("the keys are {}", KEYS.join(", "))));
            }
        }
        for (key, span, value) in locate::values(&self.text) {
            let good = |text: &str| match key {
                "schedule" => text.parse::<MultiUnionPwAff>().is_ok(),
                "context" | "guard" => text.parse::<Set>().is_ok(),
                "domain" | "filter" => text.parse::<UnionSet>().is_ok(),
                "extension" | "expansion" => text.parse::<UnionMap>().is_ok(),
                _ => true,
            };
            if good(value) {
                continue;
            }
            if key != "schedule"
                && let Err(error) = self.bad_piece(value, span.range().start, good)
            {
                return error;
            }
            let message = format!("the {key} of this node is not in isl notation");
            return self.wrong(message, span, "not understood");
        }
        match error {
            farkas_tree::Error::Poly(farkas_poly::Error::Parse { message, .. }) => {
                Box::new(self.refused(message).help(
                    "check the indentation and the order of the keys against what `farkas show --tree` prints",
                ))
            }
            other => self.refused(other),
        }
    }
}
