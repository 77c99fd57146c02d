//! Header values, encoded and decoded outside of a message.

use pyo3::prelude::*;
use pyo3::types::PyString;
use wireseal::json::TooSmall;

use crate::convert::{lossy, utf8};
use crate::error::fault;

/// Encodes the value of a header; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (text, /))]
pub(crate) fn header_encode<'py>(text: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyString>> {
    let plain = utf8(text, "text")?;
    let mut out = vec![0; plain.len()];
    let len = wireseal::encode_header_value(plain, &mut out).or_else(|TooSmall { needed }| {
        out = vec![0; needed];
        wireseal::encode_header_value(plain, &mut out)
    });
    out.truncate(len.map_err(|_| fault())?);
    PyString::from_bytes(text.py(), &out)
}

/// Decodes the value of a header; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (value, /))]
pub(crate) fn header_decode<'py>(value: &Bound<'py, PyString>) -> PyResult<Option<Bound<'py, PyString>>> {
    // What is not ASCII is broken in every encoding, so it does not matter which one the core is shown.
    let bytes = lossy(value);
    let mut out = vec![0; bytes.len()]; // decoding never makes a value longer
    match wireseal::decode_header_value(bytes.as_bytes(), &mut out) {
        None => Ok(None),
        Some(Err(_)) => Err(fault()),
        Some(Ok(len)) => {
            out.truncate(len);
            PyString::from_bytes(value.py(), &out).map(Some)
        }
    }
}
