//! The answers: bytes to send.

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use wireseal::json::scratch_len;
use wireseal::reply::{self, CacheScope, CompleteOptions, Question, ReplyError};
use wireseal::{FormError, Misuse, check_requested_schema};

use crate::convert::{integer, lossy, now_ms, utf8, wrong_type};
use crate::error::{fault, misuse, rejected};
use crate::json::{Json, checked, dump, dump_object};
use crate::message::Message;
use crate::scratch::{Short, Shortage, maybe_detached, with_room};
use crate::seal::{Principal, Random, Sealer};

/// Room for what an answer has around its payload.
const ENVELOPE: usize = 512;

impl Shortage for ReplyError<'_> {
    fn shortage(&self) -> Option<Short> {
        match self {
            ReplyError::TooSmall(room) => Some(Short::Room(*room)),
            ReplyError::Misuse(Misuse::ScratchTooSmall) => Some(Short::Scratch),
            _ => None,
        }
    }
}

/// The exception for an answer that could not be made.
fn refused(py: Python<'_>, error: &ReplyError<'_>) -> PyErr {
    match error {
        ReplyError::Misuse(fault) => misuse(*fault),
        ReplyError::Rejected(refusal) => rejected(py, refusal),
        ReplyError::TooSmall(_) => fault(),
    }
}

/// Runs an emitter of the core over `len` bytes of the host's JSON.
pub(crate) fn emit<'py, 'a, T: Send>(
    py: Python<'py>,
    len: usize,
    work: impl FnMut(&mut [u64], &mut [u8]) -> Result<(T, usize), ReplyError<'a>> + Send,
) -> PyResult<(T, Bound<'py, PyBytes>)> {
    match maybe_detached(py, len, || with_room(scratch_len(len), len.saturating_add(ENVELOPE), work)) {
        Ok(((value, len), out)) => Ok((value, PyBytes::new(py, out.get(..len).unwrap_or_default()))),
        Err(error) => Err(refused(py, &error)),
    }
}

/// The host's identity for this answer: its own, else the policy's.
pub(crate) fn server_info<'py>(given: Option<&Bound<'py, PyAny>>) -> PyResult<Option<Json<'py>>> {
    given.map(|info| dump_object(info, "server_info")).transpose()
}

/// The answer that completes a request; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (msg, result, *, ttl_ms=None, cache_scope=None, server_info=None))]
pub(crate) fn complete<'py>(
    py: Python<'py>,
    msg: &Bound<'_, Message>,
    result: &Bound<'py, PyAny>,
    ttl_ms: Option<&Bound<'py, PyAny>>,
    cache_scope: Option<&Bound<'py, PyString>>,
    server_info: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let msg = msg.get();
    let own = self::server_info(server_info)?;
    let options = CompleteOptions {
        ttl_ms: ttl_ms.map(|ttl| integer(ttl, "ttl_ms")).transpose()?,
        cache_scope: match cache_scope.map(lossy).as_deref() {
            None => None,
            Some("public") => Some(CacheScope::Public),
            Some("private") => Some(CacheScope::Private),
            Some(_) => return Err(PyValueError::new_err("cache_scope must be \"public\" or \"private\"")),
        },
        server_info: own.as_ref().map(Json::as_bytes).or_else(|| msg.server_info(py)),
    };
    let result = dump_object(result, "result")?;
    let (view, result) = (msg.view(py)?, result.as_bytes());
    let len = result.len().saturating_add(options.server_info.map_or(0, <[u8]>::len));
    let work = |scratch: &mut [u64], out: &mut [u8]| {
        reply::complete(&view, result, &options, scratch, out).map(|len| ((), len))
    };
    emit(py, len, work).map(|((), bytes)| bytes)
}

/// The answer that asks the client something; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (
    msg, questions, *, sealer=None, state=None, principal=Principal::Unwritten, request_state=None, server_info=None,
    now=None,
))]
#[pyo3(text_signature = "(msg, questions, *, sealer=None, state=None, principal=..., request_state=None, \
                         server_info=None, now=None)")]
#[allow(clippy::too_many_arguments)] // one for each argument of the contract
pub(crate) fn input_required<'py>(
    py: Python<'py>,
    msg: &Bound<'_, Message>,
    questions: &Bound<'py, PyAny>,
    sealer: Option<&Bound<'_, Sealer>>,
    state: Option<&Bound<'py, PyAny>>,
    principal: Principal<'py>,
    request_state: Option<&Bound<'py, PyString>>,
    server_info: Option<&Bound<'py, PyAny>>,
    now: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let msg = msg.get();
    let sealed;
    let token = match (sealer, state, principal, request_state) {
        (Some(sealer), Some(state), Principal::Given(principal), None) => {
            sealed = sealer.get().seal_message(py, msg, state, principal.as_ref(), now_ms(now)?, &Random::Own)?;
            Some(sealed.as_str())
        }
        (Some(_), _, _, Some(_)) => return Err(PyTypeError::new_err("give either sealer or request_state")),
        (Some(_), None, ..) => return Err(PyTypeError::new_err("sealer needs state")),
        (Some(_), _, Principal::Unwritten, _) => {
            return Err(PyTypeError::new_err("sealer needs principal, written out: a str, or None"));
        }
        (None, None, Principal::Unwritten | Principal::Given(None), token) if now.is_none() => {
            token.map(|token| utf8(token, "request_state")).transpose()?
        }
        (None, ..) => return Err(PyTypeError::new_err("state, principal and now need sealer")),
    };
    let own = self::server_info(server_info)?;
    let info = own.as_ref().map(Json::as_bytes).or_else(|| msg.server_info(py));
    let asked = asked(questions)?;
    let mut list = Vec::with_capacity(asked.len());
    let mut len = token.map_or(0, str::len).saturating_add(info.map_or(0, <[u8]>::len));
    for (key, request) in &asked {
        let question = Question { key: utf8(key, "a question's key")?, request: request.as_bytes() };
        len = len.saturating_add(question.key.len()).saturating_add(question.request.len());
        list.push(question);
    }
    let view = msg.view(py)?;
    let work = |scratch: &mut [u64], out: &mut [u8]| {
        reply::input_required(&view, &list, token, info, scratch, out).map(|len| ((), len))
    };
    emit(py, len, work).map(|((), bytes)| bytes)
}

/// The questions of a mapping, in its order.
fn asked<'py>(questions: &Bound<'py, PyAny>) -> PyResult<Vec<(Bound<'py, PyString>, Json<'py>)>> {
    let Some(items) = questions.getattr_opt("items")? else {
        return Err(wrong_type(questions, "questions", "a mapping of key to question"));
    };
    let mut asked = Vec::new();
    for item in items.call0()?.try_iter()? {
        let (key, request): (Bound<'py, PyAny>, Bound<'py, PyAny>) = item?.extract()?;
        let key =
            key.cast_into::<PyString>().map_err(|error| wrong_type(&error.into_inner(), "a question's key", "str"))?;
        asked.push((key, dump_object(&request, "a question")?));
    }
    Ok(asked)
}

/// An error answer and its HTTP status; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (msg, code, message, data=None))]
pub(crate) fn error<'py>(
    py: Python<'py>,
    msg: Option<&Bound<'_, Message>>,
    code: &Bound<'py, PyAny>,
    message: &Bound<'py, PyString>,
    data: Option<&Bound<'py, PyAny>>,
) -> PyResult<(u16, Bound<'py, PyBytes>)> {
    let view = msg.map(|msg| msg.get().view(py)).transpose()?;
    let code = integer(code, "code")?;
    let message = lossy(message);
    let data = data.map(|data| dump(data, "data")).transpose()?;
    let data = data.as_ref().map(Json::as_bytes);
    let len = message.len().saturating_add(data.map_or(0, <[u8]>::len));
    let work = |scratch: &mut [u64], out: &mut [u8]| reply::error(view.as_ref(), code, &message, data, scratch, out);
    emit(py, len, work)
}

/// The error answer for an unknown resource; see `_native.pyi`.
#[pyfunction]
pub(crate) fn resource_not_found<'py>(
    py: Python<'py>,
    msg: &Bound<'_, Message>,
) -> PyResult<(u16, Bound<'py, PyBytes>)> {
    let view = msg.get().view(py)?;
    emit(py, view.body().len(), |_, out| reply::resource_not_found(&view, out))
}

/// A question to the person at the client, as JSON; see `_native.pyi`.
#[pyfunction]
pub(crate) fn elicit<'py>(
    py: Python<'py>,
    message: &Bound<'py, PyString>,
    schema: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyBytes>> {
    let message = lossy(message);
    let schema = dump_object(schema, "schema")?;
    check_requested_schema(checked(&schema, "schema")?).map_err(|error| bad_schema(&error))?;
    let schema = schema.as_bytes();
    let work = |scratch: &mut [u64], out: &mut [u8]| reply::elicit(&message, schema, scratch, out).map(|len| ((), len));
    emit(py, message.len().saturating_add(schema.len()), work).map(|((), bytes)| bytes)
}

/// The exception for a form's schema that is none, with the property that is at fault.
pub(crate) fn bad_schema(error: &FormError<'_>) -> PyErr {
    match error.property {
        Some(property) => PyValueError::new_err(format!("property {property:?}: {}", error.fault.message())),
        None => misuse(error.fault),
    }
}

/// A question that sends the person to a URL, as JSON; see `_native.pyi`.
#[pyfunction]
pub(crate) fn elicit_url<'py>(
    py: Python<'py>,
    message: &Bound<'py, PyString>,
    url: &Bound<'py, PyString>,
) -> PyResult<Bound<'py, PyBytes>> {
    let message = lossy(message);
    let url = utf8(url, "url")?;
    let work = |_: &mut [u64], out: &mut [u8]| reply::elicit_url(&message, url, out).map(|len| ((), len));
    emit(py, message.len().saturating_add(url.len()), work).map(|((), bytes)| bytes)
}

/// A question to the client's model, as JSON; see `_native.pyi`.
#[pyfunction]
pub(crate) fn sample<'py>(py: Python<'py>, params: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyBytes>> {
    let params = dump_object(params, "params")?;
    let params = params.as_bytes();
    let work = |scratch: &mut [u64], out: &mut [u8]| reply::sample(params, scratch, out).map(|len| ((), len));
    emit(py, params.len(), work).map(|((), bytes)| bytes)
}

/// The question for the client's roots, as JSON; see `_native.pyi`.
#[pyfunction]
pub(crate) fn list_roots(py: Python<'_>) -> Bound<'_, PyBytes> {
    PyBytes::new(py, reply::LIST_ROOTS)
}
