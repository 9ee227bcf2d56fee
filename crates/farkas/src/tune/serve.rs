//! The other side of the protocol: this program as an evaluator, for another machine or another engine.

use super::local::Local;
use super::protocol::{PROTOCOL, Reply, Request, line};
use farkas_tune::evolve::Job;
use std::io::{BufRead, Result, Write};

/// Does the jobs that come as lines, one after another, until there are none. A line that is no job ends it.
///
/// # Errors
/// When a line is none of the protocol, or nobody reads the answers.
pub fn serve(input: impl BufRead, mut output: impl Write) -> Result<()> {
    let mut local: Option<Local> = None;
    for text in input.lines() {
        let text = text?;
        if text.trim().is_empty() {
            continue;
        }
        let reply = match serde_json::from_str(&text)? {
            Request::Hello { protocol: PROTOCOL } => Reply::Ready { protocol: PROTOCOL, slots: 1 },
            Request::Hello { protocol } => {
                let message = format!("this is protocol {PROTOCOL}, and not {protocol}");
                return Err(std::io::Error::other(message));
            }
            Request::Job { id, setup, candidates, rounds } => {
                // What was compiled for another program goes.
                local = local.filter(|local| *local.setup() == *setup);
                let here = match local.take() {
                    Some(local) => Ok(local),
                    None => Local::new(&setup),
                };
                let job = Job { texts: candidates, rounds };
                match here.and_then(|here| local.insert(here).answer(&job)) {
                    Ok(answer) => Reply::answer(id, answer),
                    Err(error) => Reply::Error { id, text: error.to_string() },
                }
            }
        };
        output.write_all(line(&reply).as_bytes())?;
        output.flush()?;
    }
    Ok(())
}
