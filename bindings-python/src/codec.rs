//! The codec for another framework's claims.

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyAny, PyBytes, PyString};
use wireseal::json::Text;
use wireseal::seal::{Codec, CodecKey, OpenError, SealError};

use crate::convert::{frozen_bytes, lossy};
use crate::error::{fault, misuse};
use crate::nonces;
use crate::seal::secrets;

/// What `RequestStateCodec` is made of; see `_native.pyi`.
#[pyclass(frozen, module = "wireseal")]
pub(crate) struct CodecRing(Codec<Vec<CodecKey>>);

#[pymethods]
impl CodecRing {
    #[new]
    fn new(keys: &Bound<'_, PyAny>) -> PyResult<Self> {
        let ring = secrets(keys, |secret| CodecKey::derive(secret).map_err(misuse))?;
        Codec::new(ring).map(CodecRing).map_err(misuse)
    }

    fn seal(&self, payload: &Bound<'_, PyAny>) -> PyResult<String> {
        let payload = frozen_bytes(payload, "payload")?;
        let fresh = nonces::system().map_err(|error| {
            PyOSError::new_err(format!("no random bytes from the system, nothing was sealed: {error}"))
        })?;
        let mut out = vec![0; payload.as_bytes().len().saturating_mul(2).saturating_add(64)];
        match self.0.seal(payload.as_bytes(), fresh, &mut out) {
            Ok(len) => {
                out.truncate(len);
                String::from_utf8(out).map_err(|_| fault())
            }
            Err(SealError::Misuse(error)) => Err(misuse(error)),
            Err(SealError::Refused(_) | SealError::TooSmall(_)) => Err(fault()),
        }
    }

    /// The payload, or the name of the reason why there is none.
    fn open<'py>(&self, py: Python<'py>, token: &Bound<'py, PyString>) -> PyResult<Bound<'py, PyAny>> {
        let token = lossy(token);
        let mut out = vec![0; token.len()];
        match self.0.open(Text::plain(&token), &mut out) {
            Ok(payload) => Ok(PyBytes::new(py, payload).into_any()),
            Err(OpenError::Refused(reason)) => Ok(PyString::new(py, reason.name()).into_any()),
            Err(OpenError::Misuse(error)) => Err(misuse(error)),
            Err(OpenError::TooSmall(_)) => Err(fault()),
        }
    }
}
