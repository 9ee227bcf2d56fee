//! What a host has to do to run the kernels of a region, for those who bring a runtime of their own.

/// The host's part, with all values as expressions in C over the names of the function that the region is in.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HostPlan {
    /// Variables that expressions use and the function does not have: declarations with their values.
    pub variables: Vec<String>,
    /// What must hold for the kernels to run; else the region's own text does.
    pub conditions: Vec<String>,
    /// Ranges of the host's memory, by address and number of bytes, that must have nothing in common, for the same.
    pub apart: Vec<[(String, String); 2]>,
    /// Memory on the device, each block by the name that kernels are called with.
    pub memory: Vec<DeviceMemory>,
    /// What runs between the copies in and the copies out, in this order.
    pub steps: Vec<HostStep>,
    /// Macros that expressions use.
    pub definitions: Vec<String>,
}

/// Memory on the device. An element lies as far from the beginning as it does from that of the host's array.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeviceMemory {
    /// What kernels are called with.
    pub name: String,
    /// The host's array.
    pub array: String,
    /// The type of its elements, in the host's C.
    pub element: String,
    /// Its bytes.
    pub bytes: String,
    /// The part that is touched: where it begins, in bytes, and how many bytes it has.
    pub touched: (String, String),
    /// Where that part is on the host.
    pub host: String,
    /// Whether that part is copied to the device before the first step.
    pub copied_in: bool,
    /// Whether it is copied back after the last one.
    pub copied_out: bool,
    /// Whether kernels write it.
    pub is_written: bool,
    /// Whether the array is an object, and no pointer: no other one has a part of it.
    pub is_object: bool,
}

/// Something that the host does.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum HostStep {
    /// A loop.
    For {
        /// Its variable.
        iterator: String,
        /// Its first value.
        first: String,
        /// What its values do not reach.
        end: String,
        /// From one value to the next; negative downward.
        step: i64,
        /// What each iteration does.
        body: Vec<HostStep>,
    },
    /// A condition.
    If {
        /// What is asked.
        condition: String,
        /// Where it holds.
        then: Vec<HostStep>,
        /// Where it does not.
        otherwise: Vec<HostStep>,
    },
    /// A launch.
    Launch {
        /// The kernel's position among those of the region.
        kernel: usize,
        /// How many blocks there are work for along x, y and z: any number from one on is right, and nothing runs where one is no more than zero.
        blocks: Vec<String>,
    },
}

impl HostPlan {
    /// All expressions.
    pub(super) fn expressions(&self) -> Vec<&str> {
        let mut all: Vec<&str> =
            self.variables.iter().chain(&self.conditions).map(String::as_str).collect();
        for (address, bytes) in self.apart.iter().flatten() {
            all.extend([address.as_str(), bytes.as_str()]);
        }
        for memory in &self.memory {
            all.extend(
                [&memory.bytes, &memory.touched.0, &memory.touched.1, &memory.host]
                    .map(String::as_str),
            );
        }
        self.steps.iter().for_each(|step| step.expressions(&mut all));
        all
    }
}

impl HostStep {
    /// Adds all expressions to others.
    fn expressions<'s>(&'s self, all: &mut Vec<&'s str>) {
        match self {
            Self::For { first, end, body, .. } => {
                all.extend([first.as_str(), end.as_str()]);
                body.iter().for_each(|step| step.expressions(all));
            }
            Self::If { condition, then, otherwise } => {
                all.push(condition);
                then.iter().chain(otherwise).for_each(|step| step.expressions(all));
            }
            Self::Launch { blocks, .. } => all.extend(blocks.iter().map(String::as_str)),
        }
    }
}
