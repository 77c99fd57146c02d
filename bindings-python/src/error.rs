//! The core's errors as Python exceptions: the peer's faults are `Rejected`, the host's `ValueError`.

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyInt, PyType};
use wireseal::json::TooSmall;
use wireseal::{Id, Misuse, Rejected};

use crate::convert::string;

/// The exception for a refused message. It owns all that it needs, the answer to send included.
pub(crate) fn rejected(py: Python<'_>, refusal: &Rejected<'_>) -> PyErr {
    build(py, refusal).unwrap_or_else(|error| error)
}

fn build(py: Python<'_>, refusal: &Rejected<'_>) -> PyResult<PyErr> {
    static CLASS: PyOnceLock<Py<PyType>> = PyOnceLock::new();
    let class = CLASS.import(py, "wireseal._rejected", "Rejected")?;
    let data = emitted(|out| refusal.emit_data(out))?;
    let fields = (
        refusal.reason().name(),
        refusal.code(),
        refusal.status(),
        refusal.message(),
        if data.is_empty() { None } else { Some(PyBytes::new(py, &data)) },
        refusal.id().map(|id| id_object(py, &id)).transpose()?,
        refusal.method().map(|method| string(py, &method)).transpose()?,
        refusal.key_id().map(|key_id| PyBytes::new(py, &key_id)),
        refusal.member().map(|member| string(py, &member)).transpose()?,
        refusal.offset(),
        refusal.allow(),
        PyBytes::new(py, &emitted(|out| refusal.emit(out))?),
    );
    Ok(PyErr::from_value(class.call1(fields)?))
}

/// What an emitter of the core writes.
pub(crate) fn emitted(emit: impl Fn(&mut [u8]) -> Result<usize, TooSmall>) -> PyResult<Vec<u8>> {
    let mut out = vec![0; 512];
    let len = emit(&mut out).or_else(|TooSmall { needed }| {
        out = vec![0; needed];
        emit(&mut out)
    });
    out.truncate(len.map_err(|_| fault())?);
    Ok(out)
}

/// An id as `int` or `str`.
pub(crate) fn id_object<'py>(py: Python<'py>, id: &Id<'_>) -> PyResult<Bound<'py, PyAny>> {
    if let Some(text) = id.text() {
        return Ok(string(py, &text)?.into_any());
    }
    match std::str::from_utf8(id.raw()).ok().and_then(|digits| digits.parse::<i64>().ok()) {
        Some(small) => Ok(small.into_pyobject(py)?.into_any()),
        None => py.get_type::<PyInt>().call1((PyBytes::new(py, id.raw()),)), // every digit, however many
    }
}

/// The exception for a fault of the host.
pub(crate) fn misuse(misuse: Misuse) -> PyErr {
    PyValueError::new_err(misuse.message())
}

/// The exception for what cannot happen: the core asked for memory, got it, and asked again.
pub(crate) fn fault() -> PyErr {
    PyRuntimeError::new_err("wireseal: internal fault, please report it")
}
