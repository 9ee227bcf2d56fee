//! The last net: what the program itself may take of memory, whatever counted work lets through.
//!
//! A thread asks the system now and then. So isl's memory counts like our own, and neither compilers nor compiled programs inherit
//! a limit. Where there is no `/proc`, nothing is asked.

use crate::messages::Messages;
use farkas_base::{Diagnostic, DiagnosticId};
use farkas_scop::MemoryLimit;
use std::ops::RangeInclusive;
use std::thread;
use std::time::Duration;

/// How long it takes until the system is asked again, at least and at most: to ask is work, too.
const PERIOD: RangeInclusive<u64> = 20..=200;

/// The bytes that a program takes in a millisecond at most: what memory can be written in.
const GROWTH: u64 = 4_000_000;

/// Reads bytes, as 512M or 2G.
///
/// # Errors
/// What is wrong with a text that is no such number.
pub(crate) fn bytes(text: &str) -> Result<u64, String> {
    match text.parse()? {
        MemoryLimit::Bytes(bytes) => Ok(bytes),
        MemoryLimit::Times(_) => Err(format!("`{text}` is no size: expected bytes as 512M or 2G")),
    }
}

/// Ends the program with a message, before it writes a result, once it takes more than `most` bytes.
pub(crate) fn watch(most: u64, messages: Messages) {
    // Without a thread for it there is no net, which is no reason to do nothing.
    let _ = thread::Builder::new().name("memory".into()).spawn(move || {
        while let Some(taken) = taken() {
            if taken > most {
                stop(most, &messages);
            }
            let millis = most.saturating_sub(taken) / GROWTH;
            let millis = millis.clamp(*PERIOD.start(), *PERIOD.end());
            thread::sleep(Duration::from_millis(millis));
        }
    });
}

/// Ends the program.
#[expect(clippy::exit, reason = "there is no way out of isl's code, nor out of other threads'")]
fn stop(most: u64, messages: &Messages) {
    let most = MemoryLimit::Bytes(most);
    let message = format!("the input takes more memory than {most}; nothing was written");
    let diagnostic = Diagnostic::new(DiagnosticId::OutOfMemory, message)
        .help("allow more with --tool-memory, take fewer or smaller regions, or fewer at a time with --jobs 1");
    messages.tell(&diagnostic);
    farkas_run::clean_up();
    std::process::exit(1);
}

/// The bytes that the program takes, or took at most; `None` where the system does not tell.
fn taken() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kibibytes = |key: &str| -> Option<u64> {
        let line = status.lines().find_map(|line| line.strip_prefix(key))?;
        line.trim().strip_suffix("kB")?.trim().parse().ok()
    };
    let now = kibibytes("VmRSS:")?.saturating_add(kibibytes("VmSwap:").unwrap_or(0));
    Some(now.max(kibibytes("VmHWM:").unwrap_or(0)).saturating_mul(1024))
}
