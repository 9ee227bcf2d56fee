//! Why loops stay on one thread, in words: what was recorded when that was decided.

use farkas_scop::Scop;
use farkas_transform::Remark;
use farkas_tree::{NoThreads, OneThread};

/// Why a loop stays on one thread, as the end of a sentence.
pub(crate) fn loop_words(why: &OneThread) -> String {
    match why {
        OneThread::NotCoincident => "the schedule does not know it as parallel".into(),
        OneThread::Outer => "threads share a loop around it".into(),
        OneThread::Inner => "threads share a loop inside it".into(),
        OneThread::Short(n) => {
            format!("it has fewer than {n} iterations, and threads share one with more")
        }
        OneThread::Innermost => {
            "it starts again in each iteration of loops that run in order, with no loop inside, too little work to start \
             threads for"
                .into()
        }
        OneThread::Streams => {
            "threads that share it would take the data from one another that the loop inside walks through again".into()
        }
        OneThread::Waited => "it is inside a tile that all others wait for; threads share tiles".into(),
        OneThread::Shaped => "its nest is shaped as a whole, without threads".into(),
        OneThread::Unmarked => "no step of the recipe marks it parallel".into(),
        OneThread::NoCopies(obstacles) => {
            format!("its iterations cannot have copies of what they share: {}", obstacles.join("; "))
        }
    }
}

/// Why no loop of a program runs on threads, as the end of a sentence.
pub(crate) fn program_words(why: &NoThreads) -> String {
    match why {
        NoThreads::Target => "code of this target starts no threads".into(),
        NoThreads::Asked => "one thread was asked for".into(),
        NoThreads::OwnOrder => "the program keeps its own order, in which none is marked".into(),
        NoThreads::Region(why) => format!("the region must not start threads: {why}"),
        NoThreads::Dear => "on threads, the same loops cost more by the machine model".into(),
    }
}

/// What is told of a transformed program none of whose loops runs on threads.
pub(crate) fn told(scop: &Scop, why: Option<&NoThreads>) -> Option<Remark> {
    let why = why.filter(|why| **why != NoThreads::OwnOrder)?;
    let stmts = scop.stmts().iter().map(|stmt| stmt.name.clone()).collect();
    Some(Remark { pass: "parallel", stmts, text: format!("no threads: {}", program_words(why)) })
}
