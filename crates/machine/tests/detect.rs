//! What becomes of the texts of several systems.

use farkas_machine::{CacheText, CpuText, KnownCpu, Machine, SystemText, Vector, detect};

/// The caches of a processor: level, kind, size, processors that share it.
fn caches(texts: &[(&str, &str, &str, &str)]) -> Vec<CacheText> {
    let text = |text: &str| Some(format!("{text}\n"));
    let cache = |(level, kind, size, shared): &(&str, &str, &str, &str)| CacheText {
        level: text(level),
        kind: text(kind),
        size: text(size),
        line: text("64"),
        ways: text("8"),
        shared: text(shared),
    };
    texts.iter().map(cache).collect()
}

/// Two cores of two threads each, with caches.
fn server() -> SystemText {
    let cpuinfo = "processor\t: 0\nvendor_id\t: AuthenticAMD\ncpu family\t: 25\nmodel\t\t: 17\n\
                   model name\t: AMD EPYC\nflags\t\t: fpu sse2 avx avx2 fma avx512f\n\
                   TLB size\t: 3584 4K pages\n\nprocessor\t: 1\nmodel\t\t: 99\n";
    let cpu = |number: u32, core: &str| CpuText {
        number,
        core: Some(core.into()),
        package: Some("0\n".into()),
        caches: caches(&[
            ("1", "Instruction", "32K", "0,2"),
            ("3", "Unified", "32768K", "0-3"),
            ("1", "Data", "32K", "0,2"),
            ("2", "Unified", "1M", "0,2"),
        ]),
    };
    SystemText {
        cpuinfo: Some(cpuinfo.into()),
        smaps: Some("Size: 8 kB\nKernelPageSize:        4 kB\n".into()),
        cpus: vec![cpu(0, "0\n"), cpu(1, "1\n"), cpu(2, "0\n"), cpu(3, "1\n")],
        ..SystemText::default()
    }
}

/// Which processors are like the server's, and what is known of them.
fn known() -> Vec<(KnownCpu, Machine)> {
    let cpu = KnownCpu { vendor: "AuthenticAMD".into(), family: 25, models: vec![(16, 31)] };
    let vector = Vector { width_bytes: 64, registers: 32, fma_per_cycle: 1, fma_latency_cycles: 4 };
    vec![(cpu, Machine { name: "zen".into(), vector, ..Machine::generic() })]
}

#[test]
fn a_server_is_read() {
    let detected = detect(&server(), &known());
    assert_eq!(detected.assumed, Vec::<String>::new());
    let machine = detected.machine;
    assert_eq!((machine.name.as_str(), machine.cores, machine.threads_per_core), ("zen", 2, 2));
    let sizes: Vec<(u32, u64, u32)> =
        machine.caches.iter().map(|c| (c.level, c.size_bytes >> 10, c.shared_by)).collect();
    assert_eq!(sizes, [(1, 32, 2), (2, 1024, 2), (3, 32768, 4)]);
    assert_eq!((machine.vector.width_bytes, machine.vector.fma_per_cycle), (64, 1));
    assert_eq!((machine.page_bytes, machine.tlb_pages), (4096, 3584));
}

#[test]
fn an_unknown_processor_has_the_times_of_a_generic_one() {
    let detected = detect(&server(), &[]);
    assert_eq!(detected.machine.name, "AMD EPYC");
    assert_eq!(detected.machine.caches[1].size_bytes, 1 << 20);
    assert_eq!(detected.assumed.len(), 2, "{:?}", detected.assumed);
    assert!(detected.assumed[0].starts_with("times of the caches are those of a generic"));
}

#[test]
fn hidden_caches_are_those_of_the_known_processor() {
    let mut system = server();
    system.cpus.iter_mut().for_each(|cpu| cpu.caches.clear());
    let detected = detect(&system, &known());
    assert_eq!(detected.machine.caches, Machine::generic().caches);
    assert_eq!(detected.assumed, ["caches are those of zen: the system does not show them"]);
}

#[test]
fn caches_that_make_no_sense_are_not_believed() {
    for texts in [
        caches(&[("1", "Data", "2M", "0"), ("2", "Unified", "1M", "0")]),
        caches(&[("1", "Data", "", "0")]),
        caches(&[("2", "Unified", "1M", "0")]),
        caches(&[("1", "Data", "99999999999999999999M", "0")]),
    ] {
        let mut system = server();
        system.cpus[0].caches = texts;
        assert_eq!(detect(&system, &known()).machine.caches, Machine::generic().caches);
    }
}

#[test]
fn hidden_instructions_are_not_used() {
    let mut system = server();
    system.cpuinfo = system.cpuinfo.map(|text| text.replace(" avx512f", ""));
    let vector = detect(&system, &known()).machine.vector;
    assert_eq!((vector.width_bytes, vector.registers, vector.fma_per_cycle), (32, 16, 2));
}

#[test]
fn an_arm_server_is_read() {
    let cpuinfo = "processor\t: 0\nBogoMIPS\t: 2100.00\nFeatures\t: fp asimd sve\n\
                   CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd40\n";
    let cpu = KnownCpu { vendor: "0x41".into(), family: 8, models: vec![(0xd40, 0xd40)] };
    let system = SystemText {
        cpuinfo: Some(cpuinfo.into()),
        sve_bytes: Some("32\n".into()),
        ..SystemText::default()
    };
    let detected = detect(&system, &[(cpu, Machine { name: "v1".into(), ..Machine::generic() })]);
    let machine = detected.machine;
    assert_eq!((machine.name.as_str(), machine.cores), ("v1", 1));
    assert_eq!((machine.vector.width_bytes, machine.vector.registers), (32, 32));
    assert_eq!(detected.assumed.len(), 3, "{:?}", detected.assumed);
}

#[test]
fn fast_cores_are_looked_at_where_cores_differ() {
    let mut system = server();
    system.fast_cpus = Some("2-3\n".into());
    system.cpus[0].caches = caches(&[("1", "Data", "16K", "0")]);
    let detected = detect(&system, &known());
    assert_eq!(detected.machine.caches[0].size_bytes, 32 << 10);
    assert_eq!(detected.assumed, ["cores differ: caches are those of a fast one"]);
}

#[test]
fn nothing_at_all_is_a_generic_machine() {
    let detected = detect(&SystemText::default(), &[]);
    let generic = Machine::generic();
    let expected =
        Machine { name: "unknown processor".into(), cores: 1, threads_per_core: 1, ..generic };
    assert_eq!(detected.machine, expected);
    assert_eq!(detected.assumed.len(), 4, "{:?}", detected.assumed);
}
