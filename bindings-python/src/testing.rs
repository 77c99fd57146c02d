//! Hooks for the project's own tests, which fix the randomness and the time of a seal. Not part of the API.

use pyo3::prelude::*;

/// Reached from Python through `wireseal._testing`.
#[pymodule]
pub(crate) mod hooks {
    use pyo3::exceptions::PyValueError;
    use pyo3::prelude::*;
    use pyo3::types::{PyBytes, PyString};
    use wireseal::json::digest_scratch_len;
    use wireseal::seal::{SealError, arguments_digest, python_arguments_digest, python_canonical};

    use crate::error::{fault, misuse};
    use crate::json::{Json, checked};
    use crate::message::Message;
    use crate::nonces::RANDOM_BYTES;
    use crate::scratch::with_room;
    use crate::seal::{Opened, Random, Request, Sealer};

    fn fixed(random: &[u8]) -> PyResult<Random> {
        let bytes: [u8; RANDOM_BYTES] =
            random.try_into().map_err(|_| PyValueError::new_err("random must be 20 bytes"))?;
        Ok(Random::Fixed(bytes))
    }

    #[pyfunction]
    #[pyo3(signature = (sealer, msg, state, *, principal, now_ms, random))]
    fn seal_with(
        py: Python<'_>,
        sealer: &Bound<'_, Sealer>,
        msg: &Bound<'_, Message>,
        state: &Bound<'_, PyAny>,
        principal: Option<&Bound<'_, PyString>>,
        now_ms: u64,
        random: &[u8],
    ) -> PyResult<String> {
        sealer.get().seal_message(py, msg.get(), state, principal, now_ms, &fixed(random)?)
    }

    #[pyfunction]
    #[pyo3(signature = (sealer, method, target, arguments_json, state, *, principal, now_ms, random))]
    #[allow(clippy::too_many_arguments)] // as seal_for
    fn seal_for_with(
        py: Python<'_>,
        sealer: &Bound<'_, Sealer>,
        method: &Bound<'_, PyString>,
        target: Option<&Bound<'_, PyString>>,
        arguments_json: Option<&Bound<'_, PyAny>>,
        state: &Bound<'_, PyAny>,
        principal: Option<&Bound<'_, PyString>>,
        now_ms: u64,
        random: &[u8],
    ) -> PyResult<String> {
        let request = Request { method, target, arguments_json, principal };
        sealer.get().seal_request(py, &request, state, now_ms, &fixed(random)?)
    }

    #[pyfunction]
    #[pyo3(signature = (sealer, msg, *, principal, now_ms))]
    fn open_at_ms(
        py: Python<'_>,
        sealer: &Bound<'_, Sealer>,
        msg: &Bound<'_, Message>,
        principal: Option<&Bound<'_, PyString>>,
        now_ms: u64,
    ) -> PyResult<Option<Opened>> {
        sealer.get().open_message(py, msg.get(), principal, now_ms)
    }

    #[pyfunction]
    #[pyo3(signature = (
        sealer, token, method, target, arguments_json, *, principal, now_ms, input_responses_json=None,
    ))]
    #[allow(clippy::too_many_arguments)] // as open_for
    fn open_for_at_ms(
        py: Python<'_>,
        sealer: &Bound<'_, Sealer>,
        token: &Bound<'_, PyString>,
        method: &Bound<'_, PyString>,
        target: Option<&Bound<'_, PyString>>,
        arguments_json: Option<&Bound<'_, PyAny>>,
        principal: Option<&Bound<'_, PyString>>,
        now_ms: u64,
        input_responses_json: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Opened> {
        let request = Request { method, target, arguments_json, principal };
        sealer.get().open_request(py, token, &request, input_responses_json, now_ms)
    }

    /// An opened token that nothing sealed.
    #[pyfunction]
    fn opened(token_id: [u8; 16], reissue_key: [u8; 16], issued_at_ms: Option<u64>, expires_at_ms: u64) -> Opened {
        Opened::made_up(token_id, reissue_key, issued_at_ms, expires_at_ms)
    }

    /// The canonical form that the `python` format digests.
    #[pyfunction]
    fn canonical_python<'py>(py: Python<'py>, json: Bound<'py, PyBytes>) -> PyResult<Bound<'py, PyBytes>> {
        let json = Json::Bytes(json);
        let value = checked(&json, "json")?;
        let len = value.as_bytes().len();
        let written = with_room(digest_scratch_len(len), len, |scratch, out| python_canonical(value, scratch, out));
        match written {
            Ok((len, out)) => Ok(PyBytes::new(py, out.get(..len).unwrap_or_default())),
            Err(SealError::Refused(reason)) => Err(PyValueError::new_err(reason.message())),
            Err(SealError::Misuse(error)) => Err(misuse(error)),
            Err(SealError::TooSmall(_)) => Err(fault()),
        }
    }

    /// The digest that the `compact` format binds.
    #[pyfunction]
    fn digest<'py>(py: Python<'py>, json: Option<Bound<'py, PyBytes>>) -> PyResult<Bound<'py, PyBytes>> {
        let json = json.map(Json::Bytes);
        let value = json.as_ref().map(|json| checked(json, "json")).transpose()?;
        let mut scratch = vec![0; digest_scratch_len(value.map_or(0, |value| value.as_bytes().len()))];
        arguments_digest(value, &mut scratch).map(|digest| PyBytes::new(py, &digest)).map_err(misuse)
    }

    /// The digest that the `python` format binds.
    #[pyfunction]
    fn digest_python<'py>(py: Python<'py>, json: Option<Bound<'py, PyBytes>>) -> PyResult<Bound<'py, PyBytes>> {
        let json = json.map(Json::Bytes);
        let value = json.as_ref().map(|json| checked(json, "json")).transpose()?;
        let mut scratch = vec![0; digest_scratch_len(value.map_or(0, |value| value.as_bytes().len()))];
        python_arguments_digest(value, &mut scratch).map(|digest| PyBytes::new(py, &digest)).map_err(misuse)
    }
}
