//! At most once per token: the core's table, and the core's rules for a table that is elsewhere.

use std::sync::{Mutex, PoisonError};

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use wireseal::once::{Claim, Finished, Met, Once, Results, Settings, Slot, Stage, Ticket, Verdict, check_time};
use wireseal::{Misuse, Reason};

use crate::convert::{integer, millis, now_ms, utf8};
use crate::error::{fault, misuse};
use crate::seal::Opened;

/// What a claim came to: a word, and a ticket or the result.
type Word<'py> = (&'static str, Option<Bound<'py, PyAny>>);

/// A claim on a token, for `_once.py` and `_redis_once.py`.
#[pyclass(frozen, module = "wireseal")]
pub(crate) struct OnceClaim {
    opened: Py<Opened>,
    claim: Claim,
}

impl OnceClaim {
    /// The core's verdict on a token that was claimed before, as a word; a refusal as the exception.
    fn met<'py>(&self, py: Python<'py>, met: Met) -> PyResult<Word<'py>> {
        match met {
            Met::InFlight => Ok(("in-flight", None)),
            Met::Done => Ok(("done", None)),
            Met::Refused(reason) => Err(self.opened.get().refused(py, reason)),
        }
    }
}

#[pymethods]
impl OnceClaim {
    #[new]
    fn new(py: Python<'_>, opened: Py<Opened>, principal: Option<&Bound<'_, PyString>>) -> PyResult<Self> {
        let principal = principal.map(|text| utf8(text, "principal")).transpose()?;
        match opened.get().claim(principal) {
            Ok(claim) => Ok(OnceClaim { opened, claim }),
            Err(reason) => Err(opened.get().refused(py, reason)),
        }
    }

    #[getter]
    fn token_id<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.claim.token_id())
    }

    #[getter]
    fn reissue_key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.claim.reissue_key())
    }

    #[getter]
    fn principal_id<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.claim.principal_id())
    }

    #[getter]
    fn keep_until_ms(&self) -> u64 {
        self.claim.keep_until_ms()
    }

    /// Raises why a store that remembers everything since then must not serve the token, if it must not.
    fn admit(&self, py: Python<'_>, since_ms: u64, now_ms: u64) -> PyResult<()> {
        match self.claim.refusal(since_ms, now_ms).map_err(misuse)? {
            Some(reason) => Err(self.opened.get().refused(py, reason)),
            None => Ok(()),
        }
    }

    /// What the claim meets in a store.
    fn meet<'py>(
        &self,
        py: Python<'py>,
        reissue_key: &[u8],
        stage: &str,
        lease_ends_ms: u64,
        now_ms: u64,
    ) -> PyResult<Word<'py>> {
        let stage = match stage {
            "claimed" => Stage::Claimed { lease_ends_ms },
            "done" => Stage::Done,
            "lost" => Stage::DoneWithoutResult,
            "unknown" => Stage::Unknown,
            _ => return Err(PyValueError::new_err("the store holds something else under this prefix")),
        };
        let key = reissue_key.first_chunk().filter(|key| key.len() == reissue_key.len());
        let key = key.ok_or_else(|| PyValueError::new_err("the store holds something else under this prefix"))?;
        self.met(py, self.claim.meet(key, stage, now_ms))
    }

    /// The refusal with this reason, to be raised.
    fn refused(&self, py: Python<'_>, reason: &str) -> PyResult<Py<PyAny>> {
        let reason = Reason::ALL.iter().find(|known| known.name() == reason).ok_or_else(fault)?;
        Ok(self.opened.get().refused(py, *reason).into_value(py).into_any())
    }
}

/// Results of any length up to a limit, on the heap.
struct Boxes {
    results: Vec<Box<[u8]>>,
    most: usize,
}

impl Results for Boxes {
    fn keep(&mut self, slot: usize, result: &[u8]) -> bool {
        match self.results.get_mut(slot) {
            Some(place) if result.len() <= self.most => {
                *place = result.into();
                true
            }
            _ => false,
        }
    }

    fn kept(&self, slot: usize, _len: usize) -> Option<&[u8]> {
        self.results.get(slot).map(AsRef::as_ref)
    }

    fn forget(&mut self, slot: usize, _len: usize) {
        if let Some(place) = self.results.get_mut(slot) {
            *place = Box::default();
        }
    }
}

/// The right to end a claim; the first end takes it.
#[pyclass(frozen, module = "wireseal")]
pub(crate) struct OnceTicket(Mutex<Option<Ticket>>);

/// The core's table.
#[pyclass(frozen, module = "wireseal")]
pub(crate) struct OnceTable {
    table: Mutex<Once<Vec<Slot>, Boxes>>,
    /// The process that made it: a fork's copy would remember apart, and act twice.
    process: u32,
}

impl OnceTable {
    /// Runs `work` on the table. Nothing in it calls Python, so that the lock is never held for long.
    fn with<T>(&self, work: impl FnOnce(&mut Once<Vec<Slot>, Boxes>) -> T) -> PyResult<T> {
        if std::process::id() != self.process {
            let told = "this Once was made in another process, and what is used there is not known here: \
                        make it after the fork, or use RedisOnce";
            return Err(PyRuntimeError::new_err(told));
        }
        // Poisoned or not, the table is sound: the core does not panic.
        Ok(work(&mut self.table.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// A verdict, free of the table.
enum Owned {
    Claimed(Ticket),
    InFlight,
    Done(Vec<u8>),
    Refused(Reason),
}

impl From<Verdict<'_>> for Owned {
    fn from(verdict: Verdict<'_>) -> Self {
        match verdict {
            Verdict::Claimed(ticket) => Owned::Claimed(ticket),
            Verdict::InFlight => Owned::InFlight,
            Verdict::Done(result) => Owned::Done(result.to_vec()),
            Verdict::Refused(reason) => Owned::Refused(reason),
        }
    }
}

fn word<'py>(py: Python<'py>, claim: &OnceClaim, verdict: Option<Owned>) -> PyResult<Word<'py>> {
    Ok(match verdict {
        None => ("unseen", None),
        Some(Owned::Claimed(ticket)) => {
            ("claimed", Some(Bound::new(py, OnceTicket(Mutex::new(Some(ticket))))?.into_any()))
        }
        Some(Owned::InFlight) => ("in-flight", None),
        Some(Owned::Done(result)) => ("done", Some(PyBytes::new(py, &result).into_any())),
        Some(Owned::Refused(reason)) => return Err(claim.opened.get().refused(py, reason)),
    })
}

#[pymethods]
impl OnceTable {
    #[new]
    #[pyo3(signature = (capacity, max_result_bytes, lease, share, skew, now))]
    fn new(
        capacity: &Bound<'_, PyAny>,
        max_result_bytes: usize,
        lease: Option<&Bound<'_, PyAny>>,
        share: Option<&Bound<'_, PyAny>>,
        skew: Option<&Bound<'_, PyAny>>,
        now: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let slots: usize = integer(capacity, "capacity")?;
        let settings = settings(slots, lease, share, skew)?;
        if slots > wireseal::limits::MAX_ONCE_SLOTS {
            return Err(misuse(Misuse::OnceSlots)); // before so much memory is asked for
        }
        let results = Boxes { results: vec![Box::default(); slots], most: max_result_bytes };
        let table = Once::new(vec![Slot::FREE; slots], results, settings, now_ms(now)?).map_err(misuse)?;
        Ok(OnceTable { table: Mutex::new(table), process: std::process::id() })
    }

    /// Claims: "claimed" with a ticket, "in-flight", or "done" with the result.
    fn claim<'py>(&self, py: Python<'py>, claim: &OnceClaim, now: Option<&Bound<'_, PyAny>>) -> PyResult<Word<'py>> {
        let now_ms = now_ms(now)?;
        let verdict = self.with(|table| table.claim(&claim.claim, now_ms).map(Owned::from))?;
        word(py, claim, Some(verdict.map_err(misuse)?))
    }

    /// Looks: "unseen", "in-flight", or "done" with the result.
    fn find<'py>(&self, py: Python<'py>, claim: &OnceClaim, now: Option<&Bound<'_, PyAny>>) -> PyResult<Word<'py>> {
        let now_ms = now_ms(now)?;
        let verdict = self.with(|table| table.find(&claim.claim, now_ms).map(|found| found.map(Owned::from)))?;
        word(py, claim, verdict.map_err(misuse)?)
    }

    /// Ends a claim: "kept", "without-result" or "late".
    fn finish(
        &self,
        ticket: &OnceTicket,
        result: Option<&[u8]>,
        now: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<&'static str> {
        let now_ms = now_ms(now)?;
        let Some(ticket) = taken(ticket) else { return Ok("late") };
        Ok(match self.with(|table| table.finish(ticket, result, now_ms))? {
            Finished::Kept => "kept",
            Finished::WithoutResult => "without-result",
            Finished::Late => "late",
        })
    }

    /// Ends a claim of which nothing came: whether it was still the caller's.
    fn release(&self, ticket: &OnceTicket, now: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
        let now_ms = now_ms(now)?;
        taken(ticket).map_or(Ok(false), |ticket| self.with(|table| table.release(ticket, now_ms)))
    }

    /// Ends a claim of which nobody knows what came.
    fn abandon(&self, ticket: &OnceTicket, now: Option<&Bound<'_, PyAny>>) -> PyResult<()> {
        let now_ms = now_ms(now)?;
        taken(ticket).map_or(Ok(()), |ticket| self.with(|table| table.abandon(ticket, now_ms)))
    }

    /// How many tokens are remembered.
    fn count(&self, now: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
        let now_ms = now_ms(now)?;
        self.with(|table| table.len(now_ms))
    }
}

fn taken(ticket: &OnceTicket) -> Option<Ticket> {
    ticket.0.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// Checks the settings of a store: what an action may take in milliseconds, a principal's share, the skew in
/// milliseconds.
#[pyfunction]
#[pyo3(signature = (capacity, lease, share, skew))]
pub(crate) fn once_settings(
    capacity: &Bound<'_, PyAny>,
    lease: Option<&Bound<'_, PyAny>>,
    share: Option<&Bound<'_, PyAny>>,
    skew: Option<&Bound<'_, PyAny>>,
) -> PyResult<(u64, usize, u64)> {
    let settings = settings(integer(capacity, "capacity")?, lease, share, skew)?;
    Ok((settings.lease_ms, settings.share, settings.skew_ms))
}

/// The time that the host gave for a store outside this process, in Unix milliseconds.
#[pyfunction]
pub(crate) fn once_time(now: &Bound<'_, PyAny>) -> PyResult<u64> {
    let now_ms = millis(now, "now")?;
    check_time(now_ms).map_err(misuse)?;
    Ok(now_ms)
}

fn settings(
    slots: usize,
    lease: Option<&Bound<'_, PyAny>>,
    share: Option<&Bound<'_, PyAny>>,
    skew: Option<&Bound<'_, PyAny>>,
) -> PyResult<Settings> {
    let mut settings = Settings::for_slots(slots);
    if let Some(lease) = lease {
        settings.lease_ms = millis(lease, "lease")?;
    }
    if let Some(share) = share {
        settings.share = integer(share, "share")?;
    }
    if let Some(skew) = skew {
        settings.skew_ms = millis(skew, "skew")?;
    }
    if slots == 0 {
        return Err(PyValueError::new_err("capacity must be at least 1"));
    }
    settings.check(slots).map_err(misuse)?;
    Ok(settings)
}
