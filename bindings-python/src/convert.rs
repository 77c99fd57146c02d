//! Python values as the core wants them, and back: text, bytes, numbers, times.

use std::borrow::Cow;
use std::time::{SystemTime, UNIX_EPOCH};

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyFloat, PyInt, PyMemoryView, PyString};
use wireseal::json::Text;

/// The host's text as UTF-8. `what` names it in the error; the text itself stays out of it.
pub(crate) fn utf8<'a>(text: &'a Bound<'_, PyString>, what: &str) -> PyResult<&'a str> {
    text.to_str().map_err(|_| PyValueError::new_err(format!("{what} holds an unpaired surrogate")))
}

/// Text in which an unpaired surrogate is replaced: for messages, which may quote what a peer sent.
pub(crate) fn lossy<'a>(text: &'a Bound<'_, PyString>) -> Cow<'a, str> {
    match text.to_str() {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => text.to_string_lossy(),
    }
}

/// A string of a message as a Python string.
pub(crate) fn string<'py>(py: Python<'py>, text: &Text<'_>) -> PyResult<Bound<'py, PyString>> {
    if !text.is_escaped() {
        return PyString::from_bytes(py, text.raw());
    }
    let decoded: Vec<u8> = text.bytes().collect();
    match PyString::from_bytes(py, &decoded) {
        Ok(string) => Ok(string),
        // Only an unpaired surrogate is not UTF-8 here; Python's strings can hold one.
        Err(_) => Ok(PyBytes::new(py, &decoded).call_method1("decode", ("utf-8", "surrogatepass"))?.cast_into()?),
    }
}

/// Bytes that nobody can change while they are read: `bytes` as they are, any other buffer copied.
pub(crate) fn frozen_bytes<'py>(value: &Bound<'py, PyAny>, what: &str) -> PyResult<Bound<'py, PyBytes>> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(bytes.clone());
    }
    match PyMemoryView::from(value) {
        Ok(view) => Ok(view.call_method0("tobytes")?.cast_into()?),
        Err(_) => Err(wrong_type(value, what, "bytes or another buffer")),
    }
}

/// Whether `frozen_bytes` takes the value for bytes.
pub(crate) fn is_buffer(value: &Bound<'_, PyAny>) -> bool {
    value.is_instance_of::<PyBytes>() || value.is_instance_of::<PyByteArray>() || value.is_instance_of::<PyMemoryView>()
}

/// The error for an argument of the wrong type.
pub(crate) fn wrong_type(value: &Bound<'_, PyAny>, what: &str, wanted: &str) -> PyErr {
    match value.get_type().name() {
        Ok(name) => PyTypeError::new_err(format!("{what} must be {wanted}, not {name}")),
        Err(error) => error,
    }
}

/// A `TypeError` in our words in place of Python's own. What else the host's code raised passes.
pub(crate) fn type_error(py: Python<'_>, error: PyErr, ours: impl FnOnce() -> PyErr) -> PyErr {
    if error.is_instance_of::<PyTypeError>(py) { ours() } else { error }
}

/// A `ValueError` for an integer that does not fit. What the host's own `__index__` raised passes.
fn out_of_range(py: Python<'_>, error: PyErr, told: &str) -> PyErr {
    if error.is_instance_of::<PyOverflowError>(py) { PyValueError::new_err(told.to_owned()) } else { error }
}

/// An integer that is not a `bool`, within `T`.
pub(crate) fn integer<'a, 'py, T: FromPyObject<'a, 'py>>(value: &'a Bound<'py, PyAny>, what: &str) -> PyResult<T> {
    let is_int = value.is_instance_of::<PyInt>() || value.hasattr("__index__")?;
    if !is_int || value.is_instance_of::<PyBool>() {
        return Err(wrong_type(value, what, "an integer"));
    }
    let told = || format!("{what} is out of range");
    value.extract().map_err(|error: T::Error| out_of_range(value.py(), error.into(), &told()))
}

/// Seconds, `int` or `float`, as whole milliseconds. The core judges whether they are plausible.
pub(crate) fn millis(value: &Bound<'_, PyAny>, what: &str) -> PyResult<u64> {
    let told = format!("{what} is out of range: seconds are expected");
    let out_of_range = || PyValueError::new_err(told.clone());
    if let Ok(seconds) = value.cast::<PyFloat>() {
        // Rounded, since most decimal fractions have no exact binary64: 1785542400.123 is one unit short.
        let ms = (seconds.value() * 1000.0).round();
        let in_range = ms >= 0.0 && ms <= u64::MAX as f64;
        return if in_range { Ok(ms as u64) } else { Err(out_of_range()) };
    }
    if value.is_instance_of::<PyBool>() || !value.hasattr("__index__")? {
        return Err(wrong_type(value, what, "seconds as int or float"));
    }
    let seconds: u64 = value.extract().map_err(|error| self::out_of_range(value.py(), error, &told))?;
    seconds.checked_mul(1000).ok_or_else(out_of_range)
}

/// The time that the host gave, or the system clock's, in Unix milliseconds.
pub(crate) fn now_ms(now: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
    if let Some(now) = now {
        return millis(now, "now");
    }
    // A clock before 1970 becomes 0, which the core refuses as implausible.
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// The texts of an iterable. A single string is refused: its characters would pass for a list.
pub(crate) fn strings(value: &Bound<'_, PyAny>, what: &str) -> PyResult<Vec<String>> {
    if value.is_instance_of::<PyString>() || is_buffer(value) {
        return Err(wrong_type(value, what, "an iterable of str"));
    }
    let items = value
        .try_iter()
        .map_err(|error| type_error(value.py(), error, || wrong_type(value, what, "an iterable of str")))?;
    let mut texts = Vec::new();
    for item in items {
        let item = item?;
        let text = item.cast::<PyString>().map_err(|_| wrong_type(&item, &format!("each of {what}"), "str"))?;
        texts.push(utf8(text, what)?.to_owned());
    }
    Ok(texts)
}
