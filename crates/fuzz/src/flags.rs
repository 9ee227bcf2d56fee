//! Random command lines of `farkas opt`.

use crate::Random;

/// The flags of one run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Flags {
    /// The words of the command line.
    pub words: Vec<String>,
    /// Whether the result has OpenMP pragmas.
    pub openmp: bool,
}

impl Flags {
    /// The flags of a seed: fusion, kind of dependences, target, and tiles small enough that small programs have whole
    /// ones.
    pub fn of_seed(seed: u64) -> Self {
        let mut random = Random::new(seed ^ 0x00f1_a95f_00f1_a950);
        let openmp = random.chance(50);
        let mut words = vec![format!("--target={}", if openmp { "openmp" } else { "c" })];
        words.push(format!("--fuse={}", random.pick(&["smart", "smart", "max", "no"])));
        if random.chance(25) {
            words.push("--deps=memory".into());
        }
        if random.chance(5) {
            words.push("--solver=isl".into());
        }
        if random.chance(4) {
            words.push("--strategy=original".into());
        }
        let sizes =
            ["4,3,5", "2", "3", "4,4,4", "5,2,3", "8:4,3", "6,4:3,2", "4:2", "1,3", "7,1,2"];
        match random.below(10) {
            0..=2 => words.push("--no-tile".into()),
            3 => {}
            _ => words.push(format!("--tile-sizes={}", random.pick(&sizes))),
        }
        Self { words, openmp }
    }
}

impl std::fmt::Display for Flags {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.words.join(" "))
    }
}
