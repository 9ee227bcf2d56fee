//! Time and size of code for chains of stencil statements, fused with shifts and tiled:
//! `cargo run --release -p farkas-astgen --example ast_growth -- SPACE_DIMS TIME_LOOP TILE STATEMENTS [CUTTING] [print]`.

#![expect(clippy::print_stdout, reason = "a program whose purpose is to print")]

use farkas_astgen::{Cutting, Options, generate};
use farkas_base::IdVec;
use farkas_poly::{Set, UnionPwAff, UnionSet, Val};
use farkas_scop::{Iterator, Scop, ScopBuilder, Statement};
use farkas_tree::{Band, Mark, Member, ScheduleTree};

type Result<T> = std::result::Result<T, Box<dyn std::error::Error>>;

fn main() -> Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |i: usize| args.get(i).and_then(|a| a.parse::<i64>().ok()).unwrap_or(1);
    let (space, time, tile, n) = (number(0), number(1), number(2), number(3));
    let scop = chain(space, time != 0, n)?;
    let tree = fused(&scop, space, time != 0, tile, n)?;
    let mut options = Options::default();
    match args.get(4).map(String::as_str) {
        Some("separate") => options.cuttings = vec![Cutting::Separate],
        Some("core") => options.cuttings = vec![Cutting::Core],
        Some("atomic") => options.cuttings = vec![Cutting::Atomic],
        _ => {}
    }
    let start = std::time::Instant::now();
    let ast = generate(&scop, &tree, &options)?;
    println!("{n} statements: {:?}, {} instances in the text", start.elapsed(), ast.n_users());
    if args.last().is_some_and(|a| a == "print") {
        print!("{ast}");
    }
    Ok(())
}

/// The names of the loops.
fn iterators(space: i64, time: bool) -> Vec<String> {
    let space = ["i", "j", "k"].iter().take(usize::try_from(space).unwrap_or(3));
    time.then_some("t").iter().chain(space).map(|s| (*s).to_owned()).collect()
}

/// `n` statements, each over the interior of a cube, inside a time loop or not.
fn chain(space: i64, time: bool, n: i64) -> Result<Scop> {
    let mut builder = ScopBuilder::new("chain")?;
    for name in ["T", "N"] {
        builder.params.push(farkas_scop::Parameter::new(name, "int"));
    }
    builder.context = "[T, N] -> { : T >= 1 and N >= 4 }".parse()?;
    let names = iterators(space, time);
    let dims = names.join(", ");
    for s in 0..n {
        let bound = |name: &String| {
            if name == "t" { "0 <= t < T".to_owned() } else { format!("1 <= {name} < N - 1") }
        };
        let bounds: Vec<String> = names.iter().map(bound).collect();
        let date = match names.first() {
            Some(t) if time => {
                format!("{{ S{s}[{dims}] -> [{t}, {s}, {}] }}", names[1..].join(", "))
            }
            _ => format!("{{ S{s}[{dims}] -> [0, {s}, {dims}] }}"),
        };
        let iterator = |name: &String| -> Result<Iterator> {
            let value = format!("{{ S{s}[{dims}] -> [({name})] }}").parse()?;
            Ok(Iterator { name: name.clone(), ty: "int".into(), value })
        };
        builder.stmts.push(Statement {
            name: format!("S{s}"),
            label: None,
            domain: format!("[T, N] -> {{ S{s}[{dims}] : {} }}", bounds.join(" and ")).parse()?,
            iterators: names.iter().map(iterator).collect::<Result<_>>()?,
            date: date.parse()?,
            accesses: IdVec::new(),
            body: Vec::new(),
            span: None,
        });
    }
    Ok(builder.build()?)
}

/// All statements in one tiled band, shifted and skewed so that three-point stencils are legal.
fn fused(scop: &Scop, space: i64, time: bool, tile: i64, n: i64) -> Result<ScheduleTree> {
    let names = iterators(space, time);
    let dims = names.join(", ");
    let mut members = Vec::new();
    for name in &names {
        let parts: Vec<String> = (0..n)
            .map(|s| {
                let date = match (name.as_str(), time) {
                    ("t", _) => "t".to_owned(),
                    (i, true) => format!("{n} * t + {i} + {s}"),
                    (i, false) => format!("{i} + {s}"),
                };
                format!("S{s}[{dims}] -> [({date})]")
            })
            .collect();
        let schedule: UnionPwAff = format!("{{ {} }}", parts.join("; ")).parse()?;
        members.push(Member::new(schedule, false));
    }
    let order: Vec<(UnionSet, ScheduleTree)> = scop
        .stmts()
        .iter()
        .map(|s| Ok((Set::universe(&s.domain.space()?)?.to_union_set()?, ScheduleTree::leaf())))
        .collect::<Result<_>>()?;
    let order = ScheduleTree::sequence(order);
    let points = ScheduleTree::band(Band { members: members.clone(), permutable: true }, order);
    if tile <= 1 {
        return Ok(ScheduleTree::domain(scop.domain()?, points));
    }
    let size = Val::int(tile)?;
    let tiles = members
        .iter()
        .map(|m| {
            Ok(Member::new(m.schedule.scale_down_val(&size)?.floor()?.scale_val(&size)?, false))
        })
        .collect::<Result<_>>()?;
    let points = ScheduleTree::mark(Mark::Point, points);
    let tiles = ScheduleTree::band(Band { members: tiles, permutable: true }, points);
    let tiles = ScheduleTree::mark(Mark::Tile(vec![tile; names.len()]), tiles);
    Ok(ScheduleTree::domain(scop.domain()?, tiles))
}
