//! Lines on stdio and server-sent events: the core's readers with memory that grows, and its writers.

use std::sync::{Mutex, MutexGuard};

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyList, PyString};
use wireseal::limits::DEFAULT_MAX_BYTES;
use wireseal::reply::ReplyError;
use wireseal::stream::{self, Event, Line, SseEvent, Store, emit_comment, emit_event};
use wireseal::{Policy, Rejected};

use crate::convert::{frozen_bytes, integer, utf8};
use crate::error::{fault, misuse, rejected};

/// What is kept of the memory when a message has ended.
const SPARE: usize = 64 * 1024;

/// Memory that grows with the message, and shrinks after it. The reader bounds it.
#[derive(Default)]
struct Growing(Vec<u8>);

impl Store for Growing {
    fn room(&self) -> usize {
        usize::MAX
    }

    fn bytes(&self) -> &[u8] {
        &self.0
    }

    fn append(&mut self, more: &[u8]) -> bool {
        self.0.extend_from_slice(more);
        true
    }

    fn clear(&mut self) {
        self.0.clear();
        self.0.shrink_to(SPARE);
    }
}

/// The limit of a reader: what a policy may have for a body.
fn limit(max_bytes: Option<&Bound<'_, PyAny>>) -> PyResult<usize> {
    let mut policy: Policy<'_> = Policy::new();
    policy.max_bytes = max_bytes.map_or(Ok(DEFAULT_MAX_BYTES), |value| integer(value, "max_bytes"))?;
    policy.check().map_err(misuse)?;
    Ok(policy.max_bytes)
}

/// A message, or why there is none.
type Item<'py> = Result<Bound<'py, PyBytes>, Rejected<'static>>;

fn item<'py>(py: Python<'py>, found: Result<&[u8], Rejected<'static>>) -> Item<'py> {
    found.map(|message| PyBytes::new(py, message))
}

/// The list that `feed` returns. Made when the reader is free again: an exception's class is Python code, and may lead
/// back here.
fn listed<'py>(py: Python<'py>, items: Vec<Item<'py>>) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for item in items {
        match item {
            Ok(message) => list.append(message)?,
            Err(refusal) => list.append(rejected(py, &refusal).into_value(py))?,
        }
    }
    Ok(list)
}

/// What `finish` returns.
fn unfinished(py: Python<'_>, left: Option<Result<&[u8], Rejected<'static>>>) -> Option<Py<PyAny>> {
    left.and_then(Result::err).map(|refusal| rejected(py, &refusal).into_value(py).into_any())
}

/// A chunk of the stream.
fn chunk_of<'py>(chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    if chunk.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("chunk must be bytes or another buffer, not str: read the stream as bytes"));
    }
    frozen_bytes(chunk, "chunk")
}

/// The reader behind a mutex. Nobody waits for it with the interpreter in hand; a panic cannot leave it half changed.
fn lock<'a, T>(py: Python<'_>, reader: &'a Mutex<T>) -> MutexGuard<'a, T> {
    reader.lock_py_attached(py).unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Cuts a stream into lines; see `_native.pyi`.
#[pyclass(frozen, module = "wireseal")]
pub(crate) struct LineFramer(Mutex<stream::LineFramer<Growing>>);

#[pymethods]
impl LineFramer {
    #[new]
    #[pyo3(signature = (max_bytes=None))]
    #[pyo3(text_signature = "(max_bytes=4194304)")]
    fn new(max_bytes: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Ok(LineFramer(Mutex::new(stream::LineFramer::new(Growing::default(), limit(max_bytes)?))))
    }

    fn feed<'py>(&self, py: Python<'py>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let chunk = chunk_of(chunk)?;
        let mut rest = chunk.as_bytes();
        let mut items = Vec::new();
        let mut framer = lock(py, &self.0);
        while let Some(found) = framer.next(&mut rest) {
            items.push(item(py, found.into_result()));
        }
        drop(framer);
        listed(py, items)
    }

    fn finish(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let left = lock(py, &self.0).finish().map(Line::into_result);
        unfinished(py, left)
    }
}

/// Reads a stream of server-sent events; see `_native.pyi`.
#[pyclass(frozen, module = "wireseal")]
pub(crate) struct SseReader(Mutex<stream::SseReader<Growing>>);

#[pymethods]
impl SseReader {
    #[new]
    #[pyo3(signature = (max_bytes=None))]
    #[pyo3(text_signature = "(max_bytes=4194304)")]
    fn new(max_bytes: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        Ok(SseReader(Mutex::new(stream::SseReader::new(Growing::default(), limit(max_bytes)?))))
    }

    fn feed<'py>(&self, py: Python<'py>, chunk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyList>> {
        let chunk = chunk_of(chunk)?;
        let mut rest = chunk.as_bytes();
        let mut items = Vec::new();
        let mut reader = lock(py, &self.0);
        while let Some(found) = reader.next(&mut rest) {
            items.push(item(py, found.into_result()));
        }
        drop(reader);
        listed(py, items)
    }

    fn finish(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        let left = lock(py, &self.0).finish().map(SseEvent::into_result);
        unfinished(py, left)
    }

    #[getter]
    fn last_event_id(&self, py: Python<'_>) -> Option<String> {
        lock(py, &self.0).last_event_id().map(str::to_owned)
    }

    #[getter]
    fn retry(&self, py: Python<'_>) -> Option<u64> {
        lock(py, &self.0).retry_ms()
    }
}

/// Writes one event; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (message, *, event=None, id=None, retry=None))]
pub(crate) fn sse_event<'py>(
    py: Python<'py>,
    message: &Bound<'py, PyAny>,
    event: Option<&Bound<'py, PyString>>,
    id: Option<&Bound<'py, PyString>>,
    retry: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let frozen;
    let message = match message.cast::<PyString>() {
        Ok(text) => utf8(text, "message")?.as_bytes(),
        Err(_) => {
            frozen = frozen_bytes(message, "message")?;
            frozen.as_bytes()
        }
    };
    let event = Event {
        data: Some(message),
        event: event.map(|text| utf8(text, "event")).transpose()?,
        id: id.map(|text| utf8(text, "id")).transpose()?,
        retry_ms: retry.map(|value| integer(value, "retry")).transpose()?,
    };
    emitted(py, message.len() + 128, |out| emit_event(&event, out))
}

/// Writes a comment; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (text=None))]
#[pyo3(text_signature = "(text='')")]
pub(crate) fn sse_comment<'py>(py: Python<'py>, text: Option<&Bound<'py, PyString>>) -> PyResult<Bound<'py, PyBytes>> {
    let text = text.map(|text| utf8(text, "text")).transpose()?.unwrap_or_default();
    emitted(py, text.len() + 16, |out| Ok(emit_comment(text, out)?))
}

/// What an emitter of the core writes.
fn emitted<'py>(
    py: Python<'py>,
    room: usize,
    emit: impl Fn(&mut [u8]) -> Result<usize, ReplyError<'static>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let mut out = vec![0; room];
    let written = emit(&mut out).or_else(|error| match error {
        ReplyError::TooSmall(small) => {
            out = vec![0; small.needed];
            emit(&mut out)
        }
        _ => Err(error),
    });
    match written {
        Ok(len) => Ok(PyBytes::new(py, out.get(..len).unwrap_or_default())),
        Err(ReplyError::Misuse(error)) => Err(misuse(error)),
        Err(_) => Err(fault()),
    }
}
