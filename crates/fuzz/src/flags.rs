//! Random choices of what `farkas opt` shall do.

use crate::Random;
use farkas_damage::random_recipe;
use farkas_scop::Reassociation;
use farkas_transform::Planner;

/// The shipped strategies, each as often as it stands here.
const STRATEGIES: [&str; 25] = [
    "auto",
    "auto",
    "pluto",
    "pluto",
    "pluto",
    "pluto",
    "pluto",
    "pluto-plus",
    "pluto-plus",
    "pluto-deep",
    "pluto-deep",
    "tensor",
    "feautrier",
    "feautrier",
    "npu-vectorize",
    "npu-vectorize",
    "isl-listing-2",
    "isl",
    "isl",
    "locality-cpu",
    "locality-cpu",
    "locality-cpu",
    "locality-cpu",
    "locality-gpu",
    "original",
];

/// Those that kernels of a GPU are tried with.
const ON_DEVICES: [&str; 12] = [
    "locality-gpu",
    "locality-gpu",
    "locality-gpu",
    "locality-gpu",
    "pluto",
    "pluto",
    "pluto-plus",
    "feautrier",
    "isl",
    "locality-cpu",
    "tensor",
    "original",
];

/// The choices of one run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Flags {
    /// `--strategy`: one of the shipped ones.
    pub strategy: &'static str,
    /// `--fuse`: `smart`, `max`, `no`, `cluster`.
    pub fuse: &'static str,
    /// `--deps`: `value`, `memory`.
    pub deps: &'static str,
    /// `--solver`: `farkas`, `isl`.
    pub solver: &'static str,
    /// Whether the result has OpenMP pragmas; `--target`.
    pub openmp: bool,
    /// Whether the result has kernels of OpenCL, in the place of what `openmp` says; nothing but strategy, fusion and dependences is
    /// chosen then, or the recipe.
    pub opencl: bool,
    /// `--tile-sizes` or `--no-tile`.
    pub tiles: Tiles,
    /// Whether bands in which every loop carries dependences are tiled by rows; `--time-tiles`.
    pub row_tiles: bool,
    /// Whether sums of products have register tiles and packed operands; `--register-tiles`.
    pub register_tiles: bool,
    /// Whether loops are split where they wait for one iteration; `--split-index-sets`.
    pub index_sets: bool,
    /// Whether recurrences run side by side; `--strips`.
    pub strips: bool,
    /// Whether reductions whose order is free have a canonical form; `--flatten`.
    pub flatten: bool,
    /// Whether temporaries get places of their own; `--expand`.
    pub expand: bool,
    /// Whether loops over tiles are split at the tile that all others wait for; `--split-tiles`.
    pub split_tiles: bool,
    /// Whether statements that set several elements become several; `--divide`.
    pub divide: bool,
    /// `--recipe`: the text of a recipe, in the place of strategy, tiles and all else that is done to the order.
    pub recipe: Option<String>,
    /// `--reassociate`, `--reassociate=lanes`, `--deterministic`: what may be done to the order of floating-point updates.
    pub reassociation: Reassociation,
    /// Whether the machine starts threads in no time, so that the smallest loops are worth them.
    pub eager_threads: bool,
    /// Further words of the command line.
    pub more: Vec<String>,
}

/// How bands are tiled.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Tiles {
    /// Not at all.
    None,
    /// With the tool's own sizes.
    Default,
    /// With these sizes, outermost level first.
    Sizes(Vec<Vec<i64>>),
}

impl Flags {
    /// The choices of a seed; tiles are so small that small programs have whole ones.
    pub fn of_seed(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x00f1_a95f_00f1_a950);
        let tiles = match random.below(10) {
            0..=2 => Tiles::None,
            3 => Tiles::Default,
            _ => Tiles::Sizes(
                random
                    .pick(&[
                        &[&[4, 3, 5][..]][..],
                        &[&[2]],
                        &[&[3]],
                        &[&[4, 4, 4]],
                        &[&[5, 2, 3]],
                        &[&[1, 3]],
                        &[&[7, 1, 2]],
                        &[&[8], &[4, 3]],
                        &[&[6, 4], &[3, 2]],
                        &[&[4], &[2]],
                    ])
                    .iter()
                    .map(|level| level.to_vec())
                    .collect(),
            ),
        };
        Self {
            strategy: random.pick(&STRATEGIES),
            fuse: random.pick(&["smart", "smart", "max", "no", "cluster", "cluster"]),
            deps: if random.chance(25) { "memory" } else { "value" },
            solver: if random.chance(1) { "isl" } else { "farkas" },
            openmp: random.chance(50),
            opencl: false,
            tiles,
            row_tiles: random.chance(40),
            register_tiles: random.chance(60),
            index_sets: random.chance(50),
            strips: random.chance(40),
            expand: random.chance(40),
            split_tiles: random.chance(40),
            flatten: random.chance(20),
            divide: random.chance(30),
            recipe: None,
            reassociation: Reassociation::Exact,
            eager_threads: false,
            more: Vec::new(),
        }
    }

    /// The same with all tiles that there are, of bands, of rows and in registers, strips, and split index sets.
    pub fn tiled(self) -> Self {
        let tiles = match self.tiles {
            Tiles::None => Tiles::Default,
            chosen => chosen,
        };
        Self {
            tiles,
            row_tiles: true,
            register_tiles: true,
            index_sets: true,
            strips: true,
            split_tiles: true,
            ..self
        }
    }

    /// The same for programs of reductions: mostly on threads, often by `auto`, with a random order of the seed.
    pub fn for_reductions_of_seed(self, seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x5ed0_c7ed_5ed0_c7ed);
        let reassociation = random.pick(&[
            Reassociation::Rounded,
            Reassociation::Rounded,
            Reassociation::Lanes,
            Reassociation::Fixed,
            Reassociation::Exact,
        ]);
        let strategy = random.pick(&["auto", "pluto", "pluto", self.strategy]);
        let openmp = random.chance(94);
        let recipe = random.chance(60).then(|| in_small_parts(&mut random));
        Self { reassociation, strategy, openmp, recipe, eager_threads: true, ..self }
    }

    /// The same for long loops around recurrences: mostly by a recipe whose strips of lanes are short.
    pub fn for_lanes_of_seed(self, seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x1a9e_5000_1a9e_5000);
        let reassociation = random.pick(&[
            Reassociation::Exact,
            Reassociation::Exact,
            Reassociation::Rounded,
            Reassociation::Lanes,
            Reassociation::Fixed,
        ]);
        let openmp = random.chance(70);
        let recipe = random.chance(85).then(|| in_lanes(&mut random));
        Self { reassociation, strategy: "auto", openmp, recipe, eager_threads: true, ..self }
    }

    /// The same for bodies that set several elements: they come apart, half of the time by a recipe.
    pub fn for_bodies_of_seed(self, seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0xb0d1_e500_b0d1_e500);
        let recipe = random.chance(50).then(|| in_own_parts(&mut random));
        Self { divide: true, recipe, ..self }
    }

    /// The same for OpenCL: half of the time blocks are so small that small programs have several.
    pub fn for_opencl_of_seed(self, seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x09e2_c100_09e2_c100);
        let strategy = random.pick(&ON_DEVICES);
        let recipe = random.chance(50).then(|| in_small_blocks(&mut random, strategy));
        Self { strategy, recipe, opencl: true, openmp: false, ..self }
    }

    /// The same with a random recipe of the seed in the place of all else that is done to the order.
    pub fn with_recipe_of_seed(self, seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x7ec1_9e00_7ec1_9e00);
        let n_stmts = 1 + random.below(4);
        let recipe = random_recipe(&mut random, n_stmts, Planner::WORDS);
        Self { recipe: Some(recipe), ..self }
    }

    /// The words of the command line; those for a recipe leave out its file.
    pub fn words(&self) -> Vec<String> {
        let target = match (self.opencl, self.openmp) {
            (true, _) => "opencl",
            (false, true) => "openmp",
            (false, false) => "c",
        };
        let target = format!("--target={target}");
        if self.recipe.is_some() {
            let deps = format!("--deps={}", self.deps);
            let order = self.order().map(str::to_owned);
            let words = [target, deps].into_iter().chain(order);
            return words.chain(self.more.iter().cloned()).collect();
        }
        let mut words = vec![target, format!("--fuse={}", self.fuse)];
        let usual = [("strategy", self.strategy, "auto"), ("deps", self.deps, "value")];
        for (name, value, usual) in usual.into_iter().chain([("solver", self.solver, "farkas")]) {
            if value != usual {
                words.push(format!("--{name}={value}"));
            }
        }
        if self.opencl {
            words.extend(self.more.iter().cloned());
            return words;
        }
        match &self.tiles {
            Tiles::None => words.push("--no-tile".into()),
            Tiles::Default => {}
            Tiles::Sizes(levels) => {
                let level = |sizes: &Vec<i64>| {
                    sizes.iter().map(i64::to_string).collect::<Vec<_>>().join(",")
                };
                let levels: Vec<String> = levels.iter().map(level).collect();
                words.push(format!("--tile-sizes={}", levels.join(":")));
            }
        }
        if self.row_tiles {
            words.push("--time-tiles=rows".into());
        }
        if self.register_tiles {
            words.push("--register-tiles".into());
        }
        if self.index_sets {
            words.push("--split-index-sets".into());
        }
        if self.strips {
            words.push("--strips".into());
        }
        if self.flatten {
            words.push("--flatten".into());
        }
        if self.expand {
            words.push("--expand".into());
        }
        if self.divide {
            words.push("--divide".into());
        }
        if self.split_tiles {
            words.push("--split-tiles".into());
        }
        words.extend(self.order().map(str::to_owned));
        words.extend(self.more.iter().cloned());
        words
    }

    /// The word for what may be done to the order of updates.
    fn order(&self) -> Option<&'static str> {
        match self.reassociation {
            Reassociation::Kept | Reassociation::Exact => None,
            Reassociation::Lanes => Some("--reassociate=lanes"),
            Reassociation::Fixed => Some("--deterministic"),
            Reassociation::Rounded => Some("--reassociate"),
        }
    }
}

/// A recipe that cuts loops into parts and blocks which are so small that small programs have several.
fn in_small_parts(random: &mut Random) -> String {
    let strategy = random.pick(&["original", "original", "original", "pluto"]);
    let (parts, block) = (random.between(2, 5), random.pick(&[1, 2, 3, 4, 8]));
    let before = random.pick(&["", "", "", "{ \"plan\": \"parallel\" }, "]);
    let after = random.pick(&["", "", ", { \"plan\": \"vectors\" }, { \"plan\": \"reductions\" }"]);
    format!(
        "{{ \"recipe\": {{ \"name\": \"parts\", \"steps\": [{{ \"step\": \"schedule\", \"strategy\": \"{strategy}\" }}, \
         {before}{{ \"plan\": \"partials\", \"parts\": {parts}, \"block\": {block} }}{after}] }} }}"
    )
}

/// A recipe that lays loops in lanes, at times beside parts.
fn in_lanes(random: &mut Random) -> String {
    let strategy = random.pick(&["original", "original", "original", "pluto", "feautrier"]);
    let before = random.pick(&["", "", "{ \"plan\": \"partials\", \"parts\": 2, \"block\": 8 }, "]);
    let size =
        random.pick(&["", ", \"size\": 2", ", \"size\": 4", ", \"size\": 8", ", \"size\": 16"]);
    let parts = random.pick(&["", "", ", { \"plan\": \"partials\", \"parts\": 3, \"block\": 4 }"]);
    let sums = random.pick(&["", ", { \"plan\": \"reductions\" }"]);
    format!(
        "{{ \"recipe\": {{ \"name\": \"lanes\", \"steps\": [{{ \"step\": \"schedule\", \"strategy\": \"{strategy}\" }}, \
         {before}{{ \"plan\": \"outer-lanes\"{size} }}{parts}, {{ \"plan\": \"parallel\" }}, {{ \"plan\": \"vectors\" }}{sums}] }} }}"
    )
}

/// A recipe for kernels whose blocks have few threads.
fn in_small_blocks(random: &mut Random, strategy: &str) -> String {
    let [x, y, z] = [(); 3].map(|()| random.pick(&[1, 2, 2, 3, 4]));
    let tiles = random.pick(&["", "{ \"plan\": \"gpu-tiles\" }, "]);
    format!(
        "{{ \"recipe\": {{ \"name\": \"blocks\", \"steps\": [{{ \"step\": \"schedule\", \"strategy\": \"{strategy}\" }}, \
         {{ \"plan\": \"private-copies\" }}, {tiles}{{ \"plan\": \"kernels\", \"threads\": [{x}, {y}, {z}] }}, \
         {{ \"plan\": \"barriers\" }}] }} }}"
    )
}

/// A recipe that takes statements apart, and has temporaries in arrays or in strips.
fn in_own_parts(random: &mut Random) -> String {
    let strategy = random.pick(&["original", "original", "pluto", "feautrier"]);
    let size = random.pick(&[1, 2, 3, 4, 8]);
    let (before, after) = match random.chance(50) {
        true => (
            "",
            format!(
                "{{ \"plan\": \"part-strips\", \"size\": {size} }}, {{ \"plan\": \"vectors\" }}"
            ),
        ),
        false => ("{ \"plan\": \"expand\" }, ", "{ \"plan\": \"contract\" }".to_owned()),
    };
    format!(
        "{{ \"recipe\": {{ \"name\": \"bodies\", \"steps\": [{{ \"plan\": \"divide\" }}, {before}\
         {{ \"step\": \"schedule\", \"strategy\": \"{strategy}\" }}, {after}] }} }}"
    )
}

impl std::fmt::Display for Flags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.recipe.is_some() {
            f.write_str("--recipe=recipe.json ")?;
        }
        f.write_str(&self.words().join(" "))
    }
}
