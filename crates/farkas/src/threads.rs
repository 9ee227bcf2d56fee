//! The regions of a file on all cores.

use crate::effort::shares;
use crate::{Input, Options, Strategy};
use farkas_front_c::Reading;
use farkas_scop::Region;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{Builder, scope};

/// The stack of a thread, which is only touched as far as it is used.
const STACK_BYTES: usize = 64 << 20;

/// What `work` makes of each region, in the order of the file; it is given the options with the region's share of the effort.
///
/// Up to `n_threads` regions are worked on at a time. Each has a thread of its own, whose isl context is new, so that what isl
/// remembers of other regions changes nothing: the result is the same for any number of threads. Where regions cannot be lowered
/// again, as those of OpenSCoP, or somebody's library decides, which need not know of threads, they come one after another.
pub fn each_region<T: Send>(
    input: &Input,
    options: &Options,
    n_threads: usize,
    work: impl Fn(&Region, &Options) -> T + Sync,
) -> Vec<T> {
    let shares = shares(&input.regions, options.effort);
    let shared: Vec<Options> =
        shares.into_iter().map(|effort| Options { effort, ..options.clone() }).collect();
    let is_library = matches!(options.strategy, Strategy::Library(_));
    let reading = input.reading.as_ref().filter(|_| shared.len() > 1 && !is_library);
    let done = match reading {
        Some(reading) => on_threads(reading, &shared, n_threads, &work),
        None => shared.iter().map(|_| None).collect(),
    };
    let regions = input.regions.iter().zip(&shared).zip(done);
    regions.map(|((region, options), done)| done.unwrap_or_else(|| work(region, options))).collect()
}

/// What `work` makes of each region; nothing where there was no thread for it.
fn on_threads<T: Send>(
    reading: &Reading,
    shared: &[Options],
    n_threads: usize,
    work: &(impl Fn(&Region, &Options) -> T + Sync),
) -> Vec<Option<T>> {
    let next = AtomicUsize::new(0);
    let done: Vec<Mutex<Option<T>>> = shared.iter().map(|_| Mutex::new(None)).collect();
    let serve = || {
        while let Some((at, options)) = {
            let at = next.fetch_add(1, Ordering::Relaxed);
            shared.get(at).map(|options| (at, options))
        } {
            let found = alone(|| reading.lower(at).map(|region| work(&region, options)));
            if let (Some(found), Ok(mut place)) = (found.flatten(), done[at].lock()) {
                *place = Some(found);
            }
        }
    };
    scope(|threads| {
        for _ in 0..n_threads.clamp(1, shared.len()) {
            threads.spawn(serve);
        }
    });
    done.into_iter().map(|place| place.into_inner().ok().flatten()).collect()
}

/// Runs `work` on a new thread; nothing where the system has none.
pub(crate) fn alone<T: Send>(work: impl FnOnce() -> T + Send) -> Option<T> {
    scope(|threads| {
        let thread = Builder::new().stack_size(STACK_BYTES).spawn_scoped(threads, work).ok()?;
        Some(thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    })
}
