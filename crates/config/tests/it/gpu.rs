//! Files of GPUs.

use crate::common::{json_files, messages};
use crate::schema::{Pair, pair};
use farkas_base::{Diagnostic, SourceFile};
use farkas_config::{GpuFile, gpu_schema, print_gpu};
use farkas_damage::{Random, damage_text, damage_value};
use farkas_machine::Gpu;
use serde_json::Value;
use std::sync::Arc;

/// Reads a file of a GPU.
fn gpu_file(text: &str) -> Result<GpuFile, Vec<Diagnostic>> {
    GpuFile::parse(&Arc::new(SourceFile::new("gpu.json", text)))
}

/// The schema and the parser.
fn gpus() -> Pair {
    pair(&gpu_schema(), |text| gpu_file(text).err().unwrap_or_default())
}

#[test]
fn shipped_gpus_are_named_described_and_documented() {
    let readme = include_str!("../../../../machines/README.md");
    let files = json_files("../../machines/gpus");
    assert!(files.len() >= 7);
    for (name, text) in files {
        let file = gpu_file(&text).unwrap_or_else(|errors| panic!("{}", messages(&errors)));
        assert_eq!(file.gpu.name, name);
        let described = file.description.expect("a description");
        assert!(readme.contains(&format!("`gpus/{name}.json` | {described}")), "{name}");
        assert_eq!(gpus().check(&text), Some(true), "{name}");
        let printed = print_gpu(&file.gpu);
        assert_eq!(gpu_file(&printed).expect("a GPU").gpu, file.gpu, "{printed}");
    }
}

#[test]
fn files_of_processors_are_none() {
    let is_one = |text: &str| GpuFile::is_one(&Arc::new(SourceFile::new("x.json", text)));
    assert!(is_one(&print_gpu(&Gpu::generic())));
    assert!(!is_one(include_str!("../../../../machines/amd-zen4.json")));
    assert!(!is_one("{"));
}

#[test]
fn every_error_has_its_message() {
    let good = print_gpu(&Gpu::generic());
    let mut all = Vec::new();
    for (from, to) in [
        ("\"warp_threads\"", "\"warp\""),
        ("\"warp_threads\": 32", "\"warp_threads\": 0"),
        ("\"clock_mhz\": 1000", "\"clock_mhz\": \"fast\""),
        ("\"count\": 65536, ", ""),
        ("\"fma_per_cycle\": {", "\"fma_per_cycle\": 1, \"fma\": {"),
    ] {
        assert!(good.contains(from), "{from}");
        let text = good.replacen(from, to, 1);
        gpus().check(&text);
        all.push(messages(&gpu_file(&text).expect_err(to)));
    }
    all.push(messages(&gpu_file("{ \"gpu\": 3 }").expect_err("an error")));
    insta::assert_snapshot!(all.join("\n\n"));
}

#[test]
fn damaged_files_have_located_errors() {
    let good = include_str!("../../../../machines/gpus/h100.json");
    let value: Value = serde_json::from_str(good).expect("JSON");
    let (mut random, mut accepted) = (Random::new(5), 0);
    for _ in 0..1000 {
        let mut changed = value.clone();
        damage_value(&mut changed, &mut random);
        accepted += usize::from(gpus().check(&changed.to_string()) == Some(true));
        if let Err(errors) = gpu_file(&damage_text(good, 4, &mut random)) {
            assert!(errors.iter().all(|e| e.source.is_some() && e.primary.is_some()));
        }
    }
    assert!((50..950).contains(&accepted), "{accepted} of 1000 accepted");
}
