//! JSON to and from Python values, by Python's own `json`: integers keep every digit.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyInt, PyString};
use wireseal::json::{Raw, check, scratch_len};
use wireseal::limits::MAX_DEPTH;
use wireseal::{Id, Reason};

use crate::convert::{frozen_bytes, is_buffer, wrong_type};
use crate::scratch::with_scratch;

/// A value of a checked document as a Python value.
pub(crate) fn loads<'py>(py: Python<'py>, checked: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    static LOADS: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    // Text, not bytes: json would first guess the encoding of bytes.
    LOADS.import(py, "json", "loads")?.call1((PyString::from_bytes(py, checked)?,))
}

/// JSON that the host gave.
pub(crate) enum Json<'py> {
    Bytes(Bound<'py, PyBytes>),
    Text(Bound<'py, PyString>),
}

impl Json<'_> {
    pub(crate) fn as_bytes(&self) -> &[u8] {
        match self {
            Json::Bytes(bytes) => bytes.as_bytes(),
            // Never the default: `dump` has read this text as UTF-8 before.
            Json::Text(text) => text.to_str().unwrap_or_default().as_bytes(),
        }
    }
}

/// Bytes of JSON as they are, any other value dumped.
pub(crate) fn dump<'py>(value: &Bound<'py, PyAny>, what: &str) -> PyResult<Json<'py>> {
    if is_buffer(value) {
        return frozen_bytes(value, what).map(Json::Bytes);
    }
    let text = encode(value, false)?;
    if text.to_str().is_ok() {
        return Ok(Json::Text(text));
    }
    // A string holds an unpaired surrogate, which UTF-8 cannot carry but an escape can.
    encode(value, true).map(Json::Text)
}

/// As [`dump`], where a `str` is more likely JSON that was not encoded than a JSON string.
pub(crate) fn dump_object<'py>(value: &Bound<'py, PyAny>, what: &str) -> PyResult<Json<'py>> {
    if value.is_instance_of::<PyString>() {
        let message = format!("{what} must be bytes of JSON or a Python value, not str: encode JSON text first");
        return Err(PyTypeError::new_err(message));
    }
    dump(value, what)
}

/// What `json.dumps` writes without spaces and without NaN.
fn encode<'py>(value: &Bound<'py, PyAny>, ascii: bool) -> PyResult<Bound<'py, PyString>> {
    static PLAIN: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    static ASCII: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let py = value.py();
    let encode = if ascii { &ASCII } else { &PLAIN }.get_or_try_init(py, || {
        let options = PyDict::new(py);
        options.set_item("ensure_ascii", ascii)?;
        options.set_item("allow_nan", false)?;
        options.set_item("separators", (",", ":"))?;
        let encoder = py.import("json")?.getattr("JSONEncoder")?.call((), Some(&options))?;
        encoder.getattr("encode").map(Bound::unbind)
    })?;
    Ok(encode.bind(py).call1((value,))?.cast_into()?)
}

/// Checks JSON that the host gave. `what` names it in the error.
pub(crate) fn checked<'a>(json: &'a Json<'_>, what: &str) -> PyResult<Raw<'a>> {
    let bytes = json.as_bytes();
    let short = |result: &Result<_, wireseal::json::JsonError>| {
        result.as_ref().is_err_and(|error| error.reason == Reason::TooManyMembers)
    };
    with_scratch(scratch_len(bytes.len()), short, |scratch| check(bytes, MAX_DEPTH, scratch))
        .map_err(|error| PyValueError::new_err(format!("{what}: {} (byte {})", error.reason.message(), error.offset)))
}

/// An id as JSON.
pub(crate) fn host_id<'py>(value: &Bound<'py, PyAny>, what: &str) -> PyResult<Json<'py>> {
    let json = dump(value, what)?;
    match Id::parse(checked(&json, what)?) {
        Ok(_) => Ok(json),
        Err(_) if value.is_instance_of::<PyString>() || value.is_exact_instance_of::<PyInt>() => {
            Err(PyValueError::new_err(format!("{what} must be at most 512 bytes, without unpaired surrogates")))
        }
        Err(_) => Err(wrong_type(value, what, "an id: int or str")),
    }
}

/// The id in what [`host_id`] has checked.
pub(crate) fn id_in<'a>(json: &'a Json<'_>, what: &str) -> PyResult<Option<Id<'a>>> {
    Ok(Id::parse(checked(json, what)?).ok())
}
