//! The types of `include/farkas_strategy.h`, field by field; see there for what they mean.
//!
//! Nothing here is constructed from what a library wrote but [`Strategy`]; the others are written by the host, and of
//! [`Setup`] and [`Plan`] the numbers are read back.

use std::ffi::{c_char, c_int, c_void};

/// `FARKAS_ABI_VERSION`.
pub(crate) const VERSION: u32 = 1;
/// The function that a library exports.
pub(crate) const SYMBOL: &str = "farkas_strategy_v1";

pub(crate) const OK: c_int = 0;
pub(crate) const REFUSED: c_int = 1;

pub(crate) const FLOW: u32 = 1;
pub(crate) const ANTI: u32 = 2;
pub(crate) const OUTPUT: u32 = 4;
pub(crate) const INPUT: u32 = 8;

pub(crate) const FUSE_SMART: i32 = 0;
pub(crate) const FUSE_MAX: i32 = 1;
pub(crate) const FUSE_NO: i32 = 2;
pub(crate) const FUSE_CLUSTER: i32 = 3;

pub(crate) const ITERATOR: i32 = 0;
pub(crate) const PARAM: i32 = 1;
pub(crate) const CONSTANT: i32 = 2;
pub(crate) const VARIABLE: i32 = 3;

pub(crate) const ZERO: i32 = 0;
pub(crate) const NOT_NEGATIVE: i32 = 1;

/// `farkas_array`.
#[repr(C)]
pub(crate) struct Array {
    pub(crate) name: *const c_char,
    pub(crate) rank: usize,
    pub(crate) element_bytes: u32,
}

/// `farkas_access`.
#[repr(C)]
pub(crate) struct Access {
    pub(crate) array: u32,
    pub(crate) kind: i32,
    pub(crate) line: u32,
    pub(crate) is_affine: i32,
    pub(crate) rank: usize,
    pub(crate) subscripts: *const i64,
}

/// `farkas_statement`.
#[repr(C)]
pub(crate) struct Statement {
    pub(crate) name: *const c_char,
    pub(crate) label: *const c_char,
    pub(crate) line: u32,
    pub(crate) depth: usize,
    pub(crate) iterators: *const *const c_char,
    pub(crate) n_accesses: usize,
    pub(crate) accesses: *const Access,
}

/// `farkas_scop`.
#[repr(C)]
pub(crate) struct Scop {
    pub(crate) size: u32,
    pub(crate) abi_version: u32,
    pub(crate) name: *const c_char,
    pub(crate) n_params: usize,
    pub(crate) params: *const *const c_char,
    pub(crate) n_arrays: usize,
    pub(crate) arrays: *const Array,
    pub(crate) n_statements: usize,
    pub(crate) statements: *const Statement,
}

/// `farkas_dependence`.
#[repr(C)]
pub(crate) struct Dependence {
    pub(crate) kind: i32,
    pub(crate) source: u32,
    pub(crate) sink: u32,
    pub(crate) source_access: u32,
    pub(crate) sink_access: u32,
    pub(crate) is_loop_independent: i32,
    pub(crate) n_loops: usize,
    pub(crate) loops: *const u32,
    pub(crate) n_distance: usize,
    pub(crate) distance: *const i64,
}

/// `farkas_row`.
#[repr(C)]
pub(crate) struct Row {
    pub(crate) iterators: *const i64,
    pub(crate) params: *const i64,
    pub(crate) constant: i64,
}

/// `farkas_member`.
#[repr(C)]
pub(crate) struct Member {
    pub(crate) statement: u32,
    pub(crate) n_missing: u32,
    pub(crate) n_rows: usize,
    pub(crate) rows: *const Row,
}

/// `farkas_remaining`.
#[repr(C)]
pub(crate) struct Remaining {
    pub(crate) source: u32,
    pub(crate) sink: u32,
    pub(crate) kinds: u32,
    pub(crate) is_validity: i32,
    pub(crate) is_coincidence: i32,
    pub(crate) is_carried: i32,
    pub(crate) n_dependences: usize,
    pub(crate) dependences: *const u32,
}

/// `farkas_statement_row`.
#[repr(C)]
pub(crate) struct StatementRow {
    pub(crate) statement: u32,
    pub(crate) row: Row,
}

/// `farkas_cost`.
#[repr(C)]
pub(crate) struct Cost {
    pub(crate) name: *const c_char,
    pub(crate) value: i64,
}

/// `farkas_last_row`.
#[repr(C)]
pub(crate) struct LastRow {
    pub(crate) dimension: usize,
    pub(crate) member: usize,
    pub(crate) is_parallel: i32,
    pub(crate) carrier: i64,
    pub(crate) fallback: *const c_char,
    pub(crate) n_statements: usize,
    pub(crate) statements: *const StatementRow,
    pub(crate) n_costs: usize,
    pub(crate) costs: *const Cost,
    pub(crate) n_carried: usize,
    pub(crate) carried: *const u32,
}

/// `farkas_state`.
#[repr(C)]
pub(crate) struct State {
    pub(crate) size: u32,
    pub(crate) abi_version: u32,
    pub(crate) scop: *const Scop,
    pub(crate) n_dependences: usize,
    pub(crate) dependences: *const Dependence,
    pub(crate) dimension: usize,
    pub(crate) n_members: usize,
    pub(crate) attempt: usize,
    pub(crate) was_recomputed: i32,
    pub(crate) n_group: usize,
    pub(crate) group: *const Member,
    pub(crate) n_remaining: usize,
    pub(crate) remaining: *const Remaining,
    pub(crate) last: *const LastRow,
}

/// `farkas_setup`.
#[repr(C)]
pub(crate) struct Setup {
    pub(crate) size: u32,
    pub(crate) abi_version: u32,
    pub(crate) add_variable: unsafe extern "C" fn(*mut Setup, *const c_char, i32) -> c_int,
    pub(crate) add_link: unsafe extern "C" fn(*mut Setup, *const u32, usize) -> c_int,
    pub(crate) fail: unsafe extern "C" fn(*mut Setup, *const c_char) -> c_int,
    pub(crate) set_line: unsafe extern "C" fn(*mut Setup, i64) -> c_int,
}

/// `farkas_term`.
#[repr(C)]
pub(crate) struct Term {
    pub(crate) kind: i32,
    pub(crate) statement: u32,
    pub(crate) index: u32,
    pub(crate) factor: i64,
}

/// `farkas_plan`.
#[repr(C)]
pub(crate) struct Plan {
    pub(crate) size: u32,
    pub(crate) abi_version: u32,
    pub(crate) fusion: i32,
    pub(crate) total_distribution: i32,
    pub(crate) parametric_shift: i32,
    pub(crate) negative_coefficients: i32,
    pub(crate) demands_parallel: i32,
    pub(crate) ends_band: i32,
    pub(crate) distributes: i32,
    pub(crate) recompute_last: i32,
    pub(crate) max_coefficient: i64,
    pub(crate) add_cost: unsafe extern "C" fn(*mut Plan, *const c_char) -> c_int,
    pub(crate) add_constraint:
        unsafe extern "C" fn(*mut Plan, i32, *const Term, usize, i64) -> c_int,
    pub(crate) add_group: unsafe extern "C" fn(*mut Plan, *const u32, usize) -> c_int,
    pub(crate) set_fallbacks: unsafe extern "C" fn(*mut Plan, *const *const c_char, usize) -> c_int,
    pub(crate) fail: unsafe extern "C" fn(*mut Plan, *const c_char) -> c_int,
}

/// The `create` of a table.
pub(crate) type Create = unsafe extern "C" fn(*const Scop, *mut Setup, *mut *mut c_void) -> c_int;
/// The `destroy` of a table.
pub(crate) type Destroy = unsafe extern "C" fn(*mut c_void);
/// The `plan` of a table.
pub(crate) type MakePlan = unsafe extern "C" fn(*mut c_void, *const State, *mut Plan) -> c_int;
/// The function that a library exports.
pub(crate) type Entry = unsafe extern "C" fn() -> *const Strategy;

/// `farkas_strategy`.
#[repr(C)]
pub(crate) struct Strategy {
    pub(crate) abi_version: u32,
    pub(crate) size: u32,
    pub(crate) name: *const c_char,
    pub(crate) create: Option<Create>,
    pub(crate) destroy: Option<Destroy>,
    pub(crate) plan: Option<MakePlan>,
    pub(crate) proximity_kinds: u32,
}

/// The size of a type as the structures give it.
pub(crate) fn size_of<T>() -> u32 {
    u32::try_from(std::mem::size_of::<T>()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use farkas_run::{Build, Compiler, RunOptions};
    use std::mem::offset_of;

    /// Compares the size of each type and the place of each field with what a C compiler makes of the header.
    macro_rules! layouts {
        ($($rust:ident $c:literal: $($field:ident)*;)*) => {{
            let mut expected = String::new();
            let mut prints = String::new();
            $(
                expected.push_str(&format!("{} {}\n", $c, std::mem::size_of::<$rust>()));
                prints.push_str(&format!("printf(\"{0} %zu\\n\", sizeof({0}));\n", $c));
                $(
                    let (c, field) = ($c, stringify!($field));
                    let at = offset_of!($rust, $field);
                    expected.push_str(&format!("{c}.{field} {at}\n"));
                    prints.push_str(&format!(
                        "printf(\"{c}.{field} %zu\\n\", offsetof({c}, {field}));\n"
                    ));
                )*
            )*
            (expected, prints)
        }};
    }

    #[test]
    fn types_are_those_of_the_header() {
        let (expected, prints) = layouts! {
            Array "farkas_array": name rank element_bytes;
            Access "farkas_access": array kind line is_affine rank subscripts;
            Statement "farkas_statement": name label line depth iterators n_accesses accesses;
            Scop "farkas_scop": size abi_version name n_params params n_arrays arrays n_statements statements;
            Dependence "farkas_dependence": kind source sink source_access sink_access is_loop_independent n_loops loops
                n_distance distance;
            Row "farkas_row": iterators params constant;
            Member "farkas_member": statement n_missing n_rows rows;
            Remaining "farkas_remaining": source sink kinds is_validity is_coincidence is_carried n_dependences
                dependences;
            StatementRow "farkas_statement_row": statement row;
            Cost "farkas_cost": name value;
            LastRow "farkas_last_row": dimension member is_parallel carrier fallback n_statements statements n_costs
                costs n_carried carried;
            State "farkas_state": size abi_version scop n_dependences dependences dimension n_members attempt
                was_recomputed n_group group n_remaining remaining last;
            Setup "farkas_setup": size abi_version add_variable add_link fail set_line;
            Term "farkas_term": kind statement index factor;
            Plan "farkas_plan": size abi_version fusion total_distribution parametric_shift negative_coefficients
                demands_parallel ends_band distributes recompute_last max_coefficient add_cost add_constraint
                add_group set_fallbacks fail;
            Strategy "farkas_strategy": abi_version size name create destroy plan proximity_kinds;
        };
        let text = format!(
            "#include <stdio.h>\n#include \"farkas_strategy.h\"\nint main(void) {{\n{prints}return 0;\n}}\n"
        );
        let include = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/include");
        let compiler: Compiler = "cc -std=c99".parse().expect("a compiler");
        let program = compiler
            .compile(&Build::text("layout.c", text).flags([include]))
            .expect("the header compiles");
        let output = program.run(&RunOptions::default()).expect("the program runs");
        assert_eq!(output.stdout, expected);
    }

    #[test]
    fn constants_are_those_of_the_header() {
        let header = include_str!("../include/farkas_strategy.h");
        let squeezed = header.split_whitespace().collect::<Vec<_>>().join(" ");
        for (name, value) in [
            ("OK", i64::from(OK)),
            ("REFUSED", i64::from(REFUSED)),
            ("FLOW", i64::from(FLOW)),
            ("ANTI", i64::from(ANTI)),
            ("OUTPUT", i64::from(OUTPUT)),
            ("INPUT", i64::from(INPUT)),
            ("FUSE_SMART", i64::from(FUSE_SMART)),
            ("FUSE_MAX", i64::from(FUSE_MAX)),
            ("FUSE_NO", i64::from(FUSE_NO)),
            ("FUSE_CLUSTER", i64::from(FUSE_CLUSTER)),
            ("ITERATOR", i64::from(ITERATOR)),
            ("PARAM", i64::from(PARAM)),
            ("CONSTANT", i64::from(CONSTANT)),
            ("VARIABLE", i64::from(VARIABLE)),
            ("ZERO", i64::from(ZERO)),
            ("NOT_NEGATIVE", i64::from(NOT_NEGATIVE)),
        ] {
            assert!(squeezed.contains(&format!("FARKAS_{name} = {value}")), "{name}");
        }
        assert!(squeezed.contains(&format!("FARKAS_ABI_VERSION {VERSION}u")));
        assert!(squeezed.contains(&format!("{SYMBOL}(void);")));
    }
}
