//! Random programs through the facade: a bounded run with fixed seeds. `farkas-fuzz` is for long runs.

mod differential;
mod oracle;
mod strategies;
mod transform;
