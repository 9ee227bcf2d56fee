//! The texts in which Linux describes its processors.

/// What the kernel shows of its processors: contents of files, `None` where there is no such file.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SystemText {
    /// `/proc/cpuinfo`
    pub cpuinfo: Option<String>,
    /// `/sys/devices/cpu_core/cpus`: where cores differ, the list of the fast ones.
    pub fast_cpus: Option<String>,
    /// `/proc/sys/abi/sve_default_vector_length`: bytes of a scalable register.
    pub sve_bytes: Option<String>,
    /// `/proc/self/smaps`, of which one line says how large a page is.
    pub smaps: Option<String>,
    /// The processors that are on line, by number.
    pub cpus: Vec<CpuText>,
}

/// One processor, that is a hardware thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CpuText {
    /// Its number.
    pub number: u32,
    /// `topology/core_id`
    pub core: Option<String>,
    /// `topology/physical_package_id`
    pub package: Option<String>,
    /// `cache/index*`; of a system of equal cores, those of one processor are enough.
    pub caches: Vec<CacheText>,
}

/// A cache of one processor.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CacheText {
    /// `level`
    pub level: Option<String>,
    /// `type`: `Data`, `Unified` or `Instruction`.
    pub kind: Option<String>,
    /// `size`, as in `32K`.
    pub size: Option<String>,
    /// `coherency_line_size`
    pub line: Option<String>,
    /// `ways_of_associativity`; 0 where it is unknown.
    pub ways: Option<String>,
    /// `shared_cpu_list`
    pub shared: Option<String>,
}
