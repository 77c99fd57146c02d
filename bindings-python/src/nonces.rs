//! Where a sealer's nonces come from: the system, for every token or once for a process.

use std::sync::RwLock;
use std::sync::atomic::{AtomicU32, Ordering};

use pyo3::prelude::*;
use pyo3::types::{PyCFunction, PyDict};
use wireseal::seal::{Fresh, ProcessNonces};

/// Random bytes for one nonce.
pub(crate) const RANDOM_BYTES: usize = 20;

/// The source of a sealer's nonces.
pub(crate) enum Nonces {
    /// The operating system, for every token.
    Random,
    /// A count from a random start.
    Process(RwLock<Option<ProcessNonces>>),
}

impl Nonces {
    /// The source of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        match name {
            "random" => Some(Nonces::Random),
            "process" => Some(Nonces::Process(RwLock::new(None))),
            _ => None,
        }
    }

    /// The next nonce. It never waits: a lock that another thread holds may be held for ever where that thread did not
    /// come along in a fork. The system's random bytes, which fit under the same key, serve then.
    pub(crate) fn fresh(&self) -> Result<Fresh, getrandom::Error> {
        let Nonces::Process(shared) = self else { return system() };
        let process = process();
        if let Ok(nonces) = shared.try_read()
            && let Some(Ok(fresh)) = nonces.as_ref().map(|nonces| nonces.next(process))
        {
            return Ok(fresh);
        }
        // None yet, or those of the parent, or used up.
        let Ok(mut place) = shared.try_write() else { return system() };
        let nonces = place.insert(ProcessNonces::from_random(random()?, process));
        nonces.next(process).or_else(|_| system())
    }
}

fn random() -> Result<[u8; RANDOM_BYTES], getrandom::Error> {
    let mut bytes = [0; RANDOM_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

pub(crate) fn system() -> Result<Fresh, getrandom::Error> {
    random().map(Fresh::from_random)
}

/// How many forks lie between the interpreter's start and this process.
static FORKS: AtomicU32 = AtomicU32::new(0);

/// What tells this process from the one that it was forked from. Its id alone would not: ids come round again.
fn process() -> u64 {
    u64::from(FORKS.load(Ordering::Relaxed)) << 32 | u64::from(std::process::id())
}

/// Has every forked child counted.
pub(crate) fn watch_forks(py: Python<'_>) -> PyResult<()> {
    let os = py.import("os")?;
    if !os.hasattr("register_at_fork")? {
        return Ok(()); // a system without fork
    }
    let count = PyCFunction::new_closure(py, None, None, |_, _| {
        FORKS.fetch_add(1, Ordering::Relaxed);
    })?;
    let arguments = PyDict::new(py);
    arguments.set_item("after_in_child", count)?;
    os.call_method("register_at_fork", (), Some(&arguments))?;
    Ok(())
}
