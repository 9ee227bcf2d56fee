//! Machines by name, from files, and the one that this program runs on.

use farkas_base::{Diagnostic, DiagnosticId, SourceFile};
use farkas_config::MachineFile;
use farkas_machine::{Cache, Detected, KnownCpu, Machine, detect};
use farkas_run::{read_source, read_system, size_words};
use std::path::Path;
use std::sync::Arc;

/// The machines that are files, by name.
const FILES: [(&str, &str); 11] = [
    ("x86-64-v3", include_str!("../../../machines/x86-64-v3.json")),
    ("amd-zen3", include_str!("../../../machines/amd-zen3.json")),
    ("amd-zen4", include_str!("../../../machines/amd-zen4.json")),
    ("amd-zen5", include_str!("../../../machines/amd-zen5.json")),
    ("intel-skylake-sp", include_str!("../../../machines/intel-skylake-sp.json")),
    ("intel-icelake-sp", include_str!("../../../machines/intel-icelake-sp.json")),
    ("intel-sapphire-rapids", include_str!("../../../machines/intel-sapphire-rapids.json")),
    ("intel-alder-lake-p", include_str!("../../../machines/intel-alder-lake-p.json")),
    ("apple-m1", include_str!("../../../machines/apple-m1.json")),
    ("aws-graviton2", include_str!("../../../machines/aws-graviton2.json")),
    ("aws-graviton3", include_str!("../../../machines/aws-graviton3.json")),
];

/// The word for the machine that the program runs on.
const HOST: &str = "host";

/// The names of all machines.
pub fn machine_names() -> Vec<&'static str> {
    [HOST].into_iter().chain(FILES.iter().map(|(name, _)| *name)).collect()
}

/// The machine that the program runs on, completed by the shipped files, and what of it is assumed.
pub fn host_machine() -> Detected {
    let known: Vec<(KnownCpu, Machine)> = FILES
        .iter()
        .filter_map(|(name, text)| shipped(name, text).ok())
        .flat_map(|file| file.cpus.into_iter().map(move |cpu| (cpu, file.machine.clone())))
        .collect();
    detect(&read_system(Path::new("/")), &known)
}

/// The machine that `word` names: `host`, one of the shipped ones, or a file that ends in `.json`.
///
/// # Errors
/// That there is none, or what is wrong with the file.
pub fn machine_named(word: &str) -> Result<Detected, Vec<Diagnostic>> {
    if word == HOST {
        return Ok(host_machine());
    }
    let file = match FILES.iter().find(|(name, _)| *name == word) {
        Some((name, text)) => shipped(name, text)?,
        None if word.ends_with(".json") => {
            let source = read_source(Path::new(word)).map_err(|diagnostic| vec![*diagnostic])?;
            MachineFile::parse(&source)?
        }
        None => {
            let message = format!(
                "unknown machine `{word}`: expected one of {}, or a file that ends in .json",
                machine_names().join(", ")
            );
            return Err(vec![Diagnostic::new(DiagnosticId::BadOption, message)]);
        }
    };
    Ok(Detected { machine: file.machine, assumed: Vec::new() })
}

/// A shipped file.
fn shipped(name: &str, text: &str) -> Result<MachineFile, Vec<Diagnostic>> {
    MachineFile::parse(&Arc::new(SourceFile::new(format!("{name}.json"), text)))
}

/// A machine for people to read: a line a property.
pub fn describe_machine(detected: &Detected) -> String {
    let Detected { machine, assumed } = detected;
    let vector = &machine.vector;
    let mut rows =
        vec![("machine".to_owned(), machine.name.clone()), ("cores".to_owned(), cores(machine))];
    rows.extend(machine.caches.iter().map(|c| (format!("L{}", c.level), cache(c))));
    let registers = format!("{} registers of {} bytes", vector.registers, vector.width_bytes);
    let speed = format!(
        "{} fused multiply-adds a cycle, a result after {}",
        vector.fma_per_cycle, vector.fma_latency_cycles
    );
    rows.push(("vectors".into(), format!("{registers}; {speed}")));
    let [doubles, floats] = [8, 4].map(|bytes| machine.peak_flops_per_cycle(bytes));
    let peak = format!("{doubles} operations on doubles a cycle and core, {floats} on floats");
    rows.push(("peak".into(), peak));
    rows.push(("in flight".into(), format!("{} instructions a core", machine.in_flight)));
    let page = size_words(u64::from(machine.page_bytes));
    rows.push(("pages".into(), format!("{page}, {} of them at hand", machine.tlb_pages)));
    let threads = &machine.threads;
    let threads =
        format!("started in {} cycles, woken in {}", threads.start_cycles, threads.wake_cycles);
    rows.push(("threads".into(), threads));
    let stack = format!("{} for buffers", size_words(u64::from(machine.stack_bytes)));
    rows.push(("stack".into(), stack));
    rows.extend(machine.clock_mhz.map(|mhz| ("clock".into(), format!("{mhz} MHz"))));
    rows.extend(machine.memory_mb_per_s.map(|r| ("memory".into(), format!("{r} MB/s a core"))));
    rows.extend(assumed.iter().map(|sentence| ("note".into(), sentence.clone())));
    let width = rows.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    rows.iter().map(|(name, words)| format!("{name:width$}  {words}\n")).collect()
}

/// The cores, and threads where there are several a core.
fn cores(machine: &Machine) -> String {
    match machine.threads_per_core {
        1 => machine.cores.to_string(),
        threads => format!("{} of {threads} threads", machine.cores),
    }
}

/// A cache.
fn cache(cache: &Cache) -> String {
    let lines = format!("{} in lines of {}", size_words(cache.size_bytes), cache.line_bytes);
    let ways = cache.ways.map_or_else(String::new, |ways| format!(", {ways} ways"));
    let shared = match cache.shared_by {
        1 => String::new(),
        threads => format!(", shared by {threads} threads"),
    };
    let (fill, miss) = (cache.fill_cycles, cache.miss_cycles);
    format!("{lines}{ways}{shared}; filled with a line in {fill} cycles, after a miss in {miss}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_machine() {
        for name in machine_names() {
            let found = machine_named(name).unwrap_or_else(|errors| panic!("{name}: {errors:?}"));
            assert!(name == HOST || found.machine.name == name, "{name}");
        }
        assert!(machine_named("z80").is_err());
    }

    #[test]
    fn the_machine_of_the_library_is_the_generic_file() {
        let file = machine_named("x86-64-v3").expect("a machine");
        assert_eq!(file.machine, Machine::generic());
    }

    #[test]
    fn machines_are_described() {
        let detected = machine_named("amd-zen4").expect("a machine");
        let detected = Detected { assumed: vec!["something is assumed".into()], ..detected };
        insta::assert_snapshot!(describe_machine(&detected));
    }
}
