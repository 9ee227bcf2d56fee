//! Memory that stays on the device from one region of a function to the next.
//!
//! Each array that stays has a variable of the host, `struct farkas_kept` (`runtime/kept.c`), which says where its memory is, which part of it has
//! values, and which of these are newer than the host's. A region takes the memory as it is, where what it touches is there; what kernels wrote is
//! copied back at the end, or before: where a region's original runs, and where a region copies what shares memory with it.

use super::DeviceMemory;

/// What stays on the device around a region.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Kept {
    /// What is said of it, a comment each.
    pub comments: Vec<String>,
    /// What begins to stay with the region.
    pub begins: Vec<Begin>,
    /// What stays, in the order in which it began.
    pub held: Vec<Held>,
    /// What stays no longer.
    pub ends: Vec<End>,
}

/// An array that begins to stay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Begin {
    /// The variable of the host that knows its memory.
    pub variable: String,
    /// The one that began last before, of those that still stay.
    pub next: Option<String>,
}

/// An array that stays.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Held {
    /// The variable of the host that knows its memory.
    pub variable: String,
    /// Its name, where the region uses it.
    pub array: Option<String>,
    /// Whether it is an object, and no pointer.
    pub is_object: bool,
}

/// An array that stays no longer.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct End {
    /// The variable of the host that knows its memory.
    pub variable: String,
    /// Whether somebody may read it on the host.
    pub is_read: bool,
}

impl Begin {
    /// The declaration.
    pub fn declaration(&self) -> String {
        let next = self.next.as_ref().map_or_else(|| "0".to_owned(), |next| format!("&{next}"));
        format!("struct farkas_kept {} = {{{next}}};", self.variable)
    }
}

impl End {
    /// The statement that gives the memory back.
    pub fn statement(&self) -> String {
        let function = if self.is_read { "farkas_back" } else { "farkas_drop" };
        format!("{function}(&{});", self.variable)
    }
}

impl Kept {
    /// Whether something stays.
    pub fn is_any(&self) -> bool {
        !self.held.is_empty()
    }

    /// The lines in front of the region.
    pub(super) fn first_lines(&self) -> Vec<String> {
        let comments = self.comments.iter().map(|text| format!("/* farkas: {text} */"));
        comments.chain(self.begins.iter().map(Begin::declaration)).collect()
    }

    /// The lines at the end of the region.
    pub(super) fn last_lines(&self) -> Vec<String> {
        self.ends.iter().map(End::statement).collect()
    }

    /// The variable from which all others are found.
    pub(super) fn head(&self) -> Option<&str> {
        self.held.last().map(|held| held.variable.as_str())
    }

    /// What stays of an array that the region has on the device.
    pub(super) fn of(&self, memory: &DeviceMemory) -> Option<&Held> {
        self.held.iter().find(|held| held.array.as_ref() == Some(&memory.array))
    }

    /// Whether the host's part of an array may share memory with what stays of another. What begins with the region has no values yet.
    pub(super) fn may_meet(&self, memory: &DeviceMemory) -> bool {
        let is_new = |held: &Held| self.begins.iter().any(|begin| begin.variable == held.variable);
        let is_other = |held: &&Held| !is_new(held) && held.array.as_ref() != Some(&memory.array);
        let mut others = self.held.iter().filter(is_other);
        memory.copied_in && others.any(|held| !(held.is_object && memory.is_object))
    }

    /// The statement that brings back what shares memory with an array.
    pub(super) fn cleared(&self, memory: &DeviceMemory) -> String {
        let own =
            self.of(memory).map_or_else(|| "0".to_owned(), |held| format!("&{}", held.variable));
        let (head, written) = (self.head().unwrap_or("0"), i32::from(memory.is_written));
        format!("farkas_clear(&{head}, {own}, {}, {}, {written});", memory.host, memory.touched.1)
    }
}

impl Held {
    /// The declaration of the pointer to the device's memory.
    pub(super) fn taken(&self, memory: &DeviceMemory) -> String {
        let DeviceMemory { name, bytes, host, touched: (at, n), is_written, .. } = memory;
        let (variable, written) = (&self.variable, i32::from(*is_written));
        format!("void *{name} = farkas_take(&{variable}, {bytes}, {at}, {host}, {n}, {written});")
    }

    /// The statement that notes what kernels wrote.
    pub(super) fn written(&self, memory: &DeviceMemory) -> String {
        let (at, n) = &memory.touched;
        format!("farkas_wrote(&{}, {at}, {n});", self.variable)
    }
}
