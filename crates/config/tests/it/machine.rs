//! Machine files.

use crate::common::{json_files, messages};
use crate::schema::{Pair, pair};
use farkas_base::{Diagnostic, SourceFile};
use farkas_config::{MachineFile, machine_schema, print_machine};
use farkas_damage::{Random, damage_text, damage_value};
use farkas_machine::Machine;
use serde_json::Value;
use std::sync::Arc;

/// Reads a machine file.
fn machine_file(text: &str) -> Result<MachineFile, Vec<Diagnostic>> {
    MachineFile::parse(&Arc::new(SourceFile::new("machine.json", text)))
}

/// The schema and the parser.
fn machines() -> Pair {
    pair(machine_schema(), |text| machine_file(text).err().unwrap_or_default())
}

#[test]
fn shipped_machines_are_named_described_and_documented() {
    let readme = include_str!("../../../../machines/README.md");
    let files = json_files("../../machines");
    assert!(files.len() >= 7);
    for (name, text) in files {
        let file = machine_file(&text).unwrap_or_else(|errors| panic!("{}", messages(&errors)));
        assert_eq!(file.machine.name, name);
        assert!(file.description.is_some_and(|d| readme.contains(&format!("`{name}.json` | {d}"))));
        assert_eq!(machines().check(&text), Some(true), "{name}");
    }
}

#[test]
fn machines_are_printed_and_read_again() {
    let files = json_files("../../machines").into_iter();
    let shipped = files.map(|(_, text)| machine_file(&text).expect("a machine").machine);
    let mut odd = Machine { clock_mhz: Some(2600), memory_mb_per_s: Some(1), ..Machine::generic() };
    odd.name = "a \"quoted\" name".into();
    odd.caches[0].ways = None;
    odd.stack_bytes = 64 << 10;
    for machine in shipped.chain([odd]) {
        let printed = print_machine(&machine);
        assert_eq!(machines().check(&printed), Some(true), "{printed}");
        assert_eq!(machine_file(&printed).expect("a machine").machine, machine);
    }
}

#[test]
fn what_a_file_leaves_out_is_typical() {
    let text = r#"{ "machine": { "name": "mine", "cores": 1,
        "caches": [{ "level": 1, "size_kib": 32, "line_bytes": 64 }],
        "vector": { "width_bytes": 16, "registers": 16 } } }"#;
    let machine = machine_file(text).expect("a machine").machine;
    assert_eq!((machine.threads_per_core, machine.page_bytes), (1, 4096));
    assert_eq!(machine.stack_bytes, 8 << 10);
    assert_eq!((machine.caches[0].shared_by, machine.caches[0].fill_cycles), (1, 4));
    assert_eq!((machine.vector.fma_per_cycle, machine.clock_mhz), (2, None));
}

#[test]
fn every_error_has_its_message() {
    let good = print_machine(&Machine::generic());
    let mut all = Vec::new();
    for (from, to) in [
        ("\"cores\"", "\"core\""),
        ("\"cores\": 4", "\"cores\": 0"),
        ("\"cores\": 4", "\"cores\": \"four\""),
        ("\"line_bytes\": 64", "\"line_bytes\": 48"),
        ("\"level\": 2", "\"level\": 1"),
        ("\"size_kib\": 8192", "\"size_kib\": 128"),
        ("\"registers\": 16, ", ""),
        (
            "\"vector\": {",
            "\"vector\": 32, \"cpus\": [{ \"vendor\": \"x\", \"family\": 1, \"models\": [[1]] }], \"v\": {",
        ),
    ] {
        assert!(good.contains(from), "{from}");
        let text = good.replacen(from, to, 1);
        let errors = machine_file(&text).expect_err(to);
        assert!(errors.iter().all(|e| e.source.is_some() && e.primary.is_some()), "{to}");
        machines().check(&text);
        all.push(messages(&errors));
    }
    for text in ["", "[]", "{}", "{ \"machine\": { \"caches\": [] } }"] {
        all.push(messages(&machine_file(text).expect_err("an error")));
    }
    insta::assert_snapshot!(all.join("\n\n"));
}

#[test]
fn damaged_files_have_located_errors() {
    let good = include_str!("../../../../machines/amd-zen4.json");
    let value: Value = serde_json::from_str(good).expect("JSON");
    let (mut random, mut accepted) = (Random::new(3), 0);
    for _ in 0..2000 {
        let mut changed = value.clone();
        damage_value(&mut changed, &mut random);
        accepted += usize::from(machines().check(&changed.to_string()) == Some(true));
        if let Err(errors) = machine_file(&damage_text(good, 4, &mut random)) {
            assert!(!errors.is_empty());
            assert!(errors.iter().all(|e| e.source.is_some() && e.primary.is_some()));
        }
    }
    assert!((100..1900).contains(&accepted), "{accepted} of 2000 accepted");
}
