//! HTTP headers from whatever form the host has them in.

use std::cell::OnceCell;

use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};
use wireseal::Headers;

use crate::convert::{type_error, wrong_type};

/// The fields of a request as a tuple of pairs, kept alive while the core reads them.
pub(crate) struct Fields<'py> {
    given: Bound<'py, PyTuple>,
    /// The same as bytes, when they were not given so.
    encoded: OnceCell<Bound<'py, PyTuple>>,
}

impl<'py> Fields<'py> {
    /// Takes a mapping (anything with `items()`), or an iterable of pairs.
    pub(crate) fn gather(headers: &Bound<'py, PyAny>) -> PyResult<Self> {
        let given = match headers.cast_exact::<PyList>() {
            Ok(list) => list.to_tuple(),
            Err(_) => {
                let pairs = match headers.getattr_opt(intern!(headers.py(), "items"))? {
                    Some(items) => items.call0()?,
                    None => headers.clone(),
                };
                let pairs = pairs.try_iter().map_err(|error| {
                    type_error(headers.py(), error, || wrong_type(headers, "headers", "pairs, a mapping or None"))
                })?;
                PyTuple::new(headers.py(), pairs.collect::<PyResult<Vec<_>>>()?)?
            }
        };
        Ok(Fields { given, encoded: OnceCell::new() })
    }

    /// Lets the core read them.
    pub(crate) fn read<'a>(&'a self, headers: &mut Headers<'a>) -> PyResult<()> {
        // Pairs of bytes, as ASGI has them, need no copy. One field of another form sends all the slow way.
        for item in self.given.iter_borrowed() {
            match item.extract() {
                Ok((name, value)) => headers.add(name, value),
                Err(_) => return self.read_encoded(headers),
            }
        }
        Ok(())
    }

    fn read_encoded<'a>(&'a self, headers: &mut Headers<'a>) -> PyResult<()> {
        let encoded: Vec<_> = self.given.iter().map(|item| encoded(&item)).collect::<PyResult<_>>()?;
        let encoded = PyTuple::new(self.given.py(), encoded)?;
        let encoded = self.encoded.get_or_init(|| encoded);
        *headers = Headers::collect(encoded.iter_borrowed().filter_map(|item| item.extract().ok()));
        Ok(())
    }
}

/// A pair of bytes, from a pair of bytes or text.
fn encoded<'py>(item: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyTuple>> {
    let pair = match item.cast::<PyList>() {
        Ok(list) => list.to_tuple(),
        Err(_) => item.cast::<PyTuple>().map_err(|_| no_pair(item))?.clone(),
    };
    if pair.len() != 2 {
        return Err(no_pair(item));
    }
    PyTuple::new(item.py(), [octets(pair.get_item(0)?)?, octets(pair.get_item(1)?)?])
}

fn no_pair(item: &Bound<'_, PyAny>) -> PyErr {
    wrong_type(item, "each of headers", "a pair of name and value")
}

/// The bytes of a name or value.
///
/// HTTP libraries that give `str` decode by Latin-1, so that is undone here. Text that never came that way
/// is encoded by UTF-8: the core then refuses it as a field value, which it is not.
fn octets(item: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyBytes>> {
    let item = match item.cast_into::<PyBytes>() {
        Ok(bytes) => return Ok(bytes),
        Err(error) => error.into_inner(),
    };
    let Ok(text) = item.cast::<PyString>() else {
        return Err(wrong_type(&item, "a header's name or value", "str or bytes"));
    };
    let py = item.py();
    match text.to_str() {
        Ok(text) if text.is_ascii() => Ok(PyBytes::new(py, text.as_bytes())),
        Ok(text) => {
            let latin: Option<Vec<u8>> = text.chars().map(|c| u8::try_from(u32::from(c)).ok()).collect();
            Ok(PyBytes::new(py, latin.as_deref().unwrap_or(text.as_bytes())))
        }
        Err(_) => Ok(text.call_method1("encode", ("utf-8", "surrogatepass"))?.cast_into()?),
    }
}
