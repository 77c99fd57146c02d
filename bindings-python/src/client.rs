//! The client's half.

use std::ops::Range;
use std::sync::OnceLock;

use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use wireseal::client::{self, ClientOptions, ResultType, Sent};
use wireseal::json::{Raw, scratch_len};
use wireseal::reply::{CacheScope, ReplyError};
use wireseal::{Id, Reason, Rejected, Version, VersionSet};

use crate::convert::{frozen_bytes, integer, lossy, millis, string, strings, utf8};
use crate::error::{fault, id_object, misuse, rejected};
use crate::json::{Json, dump_object, host_id, id_in, loads};
use crate::param::ParamHeaders;
use crate::reply::emit;
use crate::scratch::{Short, Shortage, maybe_detached, with_room, with_scratch};

/// Room for the fields of one request, one at a time.
const FIELD: usize = 512;

/// Whether a text was refused for want of scratch.
fn is_short(refusal: &Rejected<'_>) -> bool {
    refusal.reason() == Reason::TooManyMembers
}

/// The request in bytes that the host has sent or is about to send.
fn sent<'a>(py: Python<'_>, body: &'a [u8]) -> PyResult<Sent<'a>> {
    let short = |read: &Result<Sent<'_>, Rejected<'_>>| read.as_ref().is_err_and(is_short);
    let read = maybe_detached(py, body.len(), || {
        with_scratch(scratch_len(body.len()), short, |scratch| Sent::read(body, scratch))
    });
    read.map_err(|refusal| PyValueError::new_err(format!("not a request of 2026-07-28: {}", refusal.message())))
}

struct Unsent(ReplyError<'static>);

impl Shortage for Unsent {
    fn shortage(&self) -> Option<Short> {
        self.0.shortage()
    }
}

/// The header fields of a request, by name.
fn headers<'py>(py: Python<'py>, body: &[u8], tool: Option<&ParamHeaders>) -> PyResult<Bound<'py, PyDict>> {
    let sent = sent(py, body)?;
    let tool = tool.map(|tool| tool.view().ok_or_else(fault)).transpose()?;
    let work = |_: &mut [u64], room: &mut [u8]| {
        let mut fields: Vec<(String, String)> = Vec::new();
        let given = sent.headers(tool.as_ref(), room, |name, value| fields.push((name.to_owned(), value.to_owned())));
        given.map(|()| fields).map_err(Unsent)
    };
    let (fields, _) = with_room(0, FIELD, work).map_err(|Unsent(error)| match error {
        ReplyError::Misuse(told) => misuse(told),
        _ => fault(),
    })?;
    let headers = PyDict::new(py);
    for (name, value) in fields {
        headers.set_item(name, value)?;
    }
    Ok(headers)
}

/// A request with its headers.
type Request<'py> = (Bound<'py, PyDict>, Bound<'py, PyBytes>);

fn with_headers<'py>(
    py: Python<'py>,
    body: Bound<'py, PyBytes>,
    tool_schema: Option<&Bound<'py, PyAny>>,
) -> PyResult<Request<'py>> {
    let tool = tool_schema.map(ParamHeaders::given).transpose()?;
    let headers = headers(py, body.as_bytes(), tool.as_ref().map(|tool| tool.get()))?;
    Ok((headers, body))
}

/// A request; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (method, params=None, *, id, client_info=None, capabilities=None, tool_schema=None))]
pub(crate) fn request<'py>(
    py: Python<'py>,
    method: &Bound<'py, PyString>,
    params: Option<&Bound<'py, PyAny>>,
    id: &Bound<'py, PyAny>,
    client_info: Option<&Bound<'py, PyAny>>,
    capabilities: Option<&Bound<'py, PyAny>>,
    tool_schema: Option<&Bound<'py, PyAny>>,
) -> PyResult<Request<'py>> {
    let method = utf8(method, "method")?;
    let id = host_id(id, "id")?;
    let number = id_in(&id, "id")?.ok_or_else(fault)?;
    let params = params.map(|params| dump_object(params, "params")).transpose()?;
    let params = params.as_ref().map(Json::as_bytes);
    let own = Own::read(client_info, capabilities)?;
    let options = own.options();
    let work = |scratch: &mut [u64], out: &mut [u8]| {
        client::request(number, method, params, &options, scratch, out).map(|len| ((), len))
    };
    let ((), body) = emit(py, params.map_or(0, <[u8]>::len).saturating_add(own.len()), work)?;
    with_headers(py, body, tool_schema)
}

/// What the host says of its client.
struct Own<'py> {
    info: Option<Json<'py>>,
    capabilities: Option<Json<'py>>,
}

impl<'py> Own<'py> {
    fn read(info: Option<&Bound<'py, PyAny>>, capabilities: Option<&Bound<'py, PyAny>>) -> PyResult<Self> {
        Ok(Own {
            info: info.map(|info| dump_object(info, "client_info")).transpose()?,
            capabilities: capabilities.map(|all| dump_object(all, "capabilities")).transpose()?,
        })
    }

    fn options(&self) -> ClientOptions<'_> {
        ClientOptions {
            client_info: self.info.as_ref().map(Json::as_bytes),
            capabilities: self.capabilities.as_ref().map_or(b"{}", Json::as_bytes),
        }
    }

    fn len(&self) -> usize {
        let options = self.options();
        options.capabilities.len().saturating_add(options.client_info.map_or(0, <[u8]>::len))
    }
}

/// The first request to a server of an earlier revision; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (version, *, id, client_info, capabilities=None))]
pub(crate) fn initialize<'py>(
    py: Python<'py>,
    version: &Bound<'py, PyString>,
    id: &Bound<'py, PyAny>,
    client_info: &Bound<'py, PyAny>,
    capabilities: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let version = Version::parse(lossy(version).as_bytes()).ok_or(misuse(wireseal::Misuse::UnknownVersion))?;
    let id = host_id(id, "id")?;
    let number = id_in(&id, "id")?.ok_or_else(fault)?;
    let own = Own::read(Some(client_info), capabilities)?;
    let options = own.options();
    let work = |scratch: &mut [u64], out: &mut [u8]| {
        client::initialize(number, version, &options, scratch, out).map(|len| ((), len))
    };
    emit(py, own.len(), work).map(|((), body)| body)
}

/// What a server answered; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (body))]
pub(crate) fn read_result(py: Python<'_>, body: &Bound<'_, PyAny>) -> PyResult<Received> {
    let body = frozen_bytes(body, "body")?;
    let view = received(py, body.as_bytes())?;
    let place = |raw: Option<Raw<'_>>| raw.map(|raw| span(body.as_bytes(), raw.as_bytes()));
    let result_type = view.result_type();
    let text = |text: Option<wireseal::json::Text<'_>>| text.map(|text| string(py, &text)).transpose();
    Ok(Received {
        id: view.id().map(|id| id_object(py, &id).map(Bound::unbind)).transpose()?,
        result_type: result_type.map(ResultType::as_str),
        ttl_ms: view.ttl_ms(),
        cache_scope: match (result_type, view.cache_scope()) {
            (Some(ResultType::Complete), CacheScope::Public) => Some("public"),
            (Some(ResultType::Complete), CacheScope::Private) => Some("private"),
            _ => None,
        },
        request_state: text(view.request_state())?.map(Bound::unbind),
        next_cursor: text(view.next_cursor())?.map(Bound::unbind),
        result: Part::new(place(view.result())),
        input_requests: Part::new(place(view.input_requests())),
        server_info: Part::new(place(view.server_info())),
        error: Part::new(place(view.error())),
        body: body.unbind(),
    })
}

fn received<'a>(py: Python<'_>, body: &'a [u8]) -> PyResult<client::Received<'a>> {
    let short = |read: &Result<client::Received<'_>, Rejected<'_>>| read.as_ref().is_err_and(is_short);
    let read = maybe_detached(py, body.len(), || {
        with_scratch(scratch_len(body.len()), short, |scratch| client::Received::read(body, scratch))
    });
    read.map_err(|refusal| rejected(py, &refusal))
}

/// Where a part stands in the body that it was taken from.
fn span(whole: &[u8], part: &[u8]) -> Range<usize> {
    let start = (part.as_ptr() as usize).wrapping_sub(whole.as_ptr() as usize);
    start..start.wrapping_add(part.len())
}

/// A part of the body, made a Python value when it is first asked for.
struct Part {
    place: Option<Range<usize>>,
    made: OnceLock<Py<PyAny>>,
}

impl Part {
    const fn new(place: Option<Range<usize>>) -> Self {
        Part { place, made: OnceLock::new() }
    }

    fn value<'py>(&self, py: Python<'py>, body: &[u8]) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(place) = self.place.clone() else { return Ok(None) };
        if let Some(made) = self.made.get() {
            return Ok(Some(made.bind(py).clone()));
        }
        let made = loads(py, body.get(place).unwrap_or_default())?.unbind();
        Ok(Some(self.made.get_or_init(|| made).bind(py).clone()))
    }
}

/// One response; see `_native.pyi`.
#[pyclass(frozen, module = "wireseal")]
pub(crate) struct Received {
    body: Py<PyBytes>,
    #[pyo3(get)]
    id: Option<Py<PyAny>>,
    #[pyo3(get)]
    result_type: Option<&'static str>,
    #[pyo3(get)]
    ttl_ms: u64,
    #[pyo3(get)]
    cache_scope: Option<&'static str>,
    #[pyo3(get)]
    request_state: Option<Py<PyString>>,
    #[pyo3(get)]
    next_cursor: Option<Py<PyString>>,
    result: Part,
    input_requests: Part,
    server_info: Part,
    error: Part,
}

#[pymethods]
impl Received {
    #[getter]
    fn result<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.result.value(py, self.body.as_bytes(py))
    }

    #[getter]
    fn input_requests<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.input_requests.value(py, self.body.as_bytes(py))
    }

    #[getter]
    fn server_info<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.server_info.value(py, self.body.as_bytes(py))
    }

    #[getter]
    fn deprecated<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let view = received(py, self.body.as_bytes(py))?;
        PyTuple::new(py, view.deprecated().map(|one| one.name).collect::<Vec<_>>())
    }

    /// Code, message and data.
    #[getter]
    fn error<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        let Some(error) = self.error.value(py, self.body.as_bytes(py))? else { return Ok(None) };
        let error = error.cast_into::<PyDict>().map_err(|_| fault())?;
        let member = |name: &str| Ok::<_, PyErr>(error.get_item(name)?.unwrap_or_else(|| py.None().into_bound(py)));
        PyTuple::new(py, [member("code")?, member("message")?, member("data")?]).map(Some)
    }

    /// See `_native.pyi`.
    fn fresh_until(
        &self,
        py: Python<'_>,
        body_sent: &Bound<'_, PyAny>,
        received_at: &Bound<'_, PyAny>,
    ) -> PyResult<Option<f64>> {
        let body_sent = frozen_bytes(body_sent, "body_sent")?;
        let sent = sent(py, body_sent.as_bytes())?;
        let until = received(py, self.body.as_bytes(py))?.fresh_until_ms(&sent, millis(received_at, "received_at")?);
        Ok(until.map(|ms| ms as f64 / 1000.0))
    }

    /// See `_native.pyi`.
    #[pyo3(signature = (versions=None))]
    fn negotiated(&self, py: Python<'_>, versions: Option<&Bound<'_, PyAny>>) -> PyResult<Option<&'static str>> {
        let mine = versions.map_or(Ok(VersionSet::of(&Version::ALL)), |names| version_set(names, "versions"))?;
        Ok(client::negotiated(&received(py, self.body.as_bytes(py))?, mine).map(Version::as_str))
    }

    /// Lets the collector see what the host may have put this into.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let parts = [&self.result, &self.input_requests, &self.server_info, &self.error];
        parts.into_iter().filter_map(|part| part.made.get()).try_for_each(|made| visit.call(made))
    }

    fn __repr__(&self) -> String {
        format!("<wireseal.Received {}>", self.result_type.unwrap_or("error"))
    }
}

/// The next leg; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (body_sent, received, responses, *, id, tool_schema=None))]
pub(crate) fn retry<'py>(
    py: Python<'py>,
    body_sent: &Bound<'py, PyAny>,
    received: &Bound<'py, Received>,
    responses: &Bound<'py, PyAny>,
    id: &Bound<'py, PyAny>,
    tool_schema: Option<&Bound<'py, PyAny>>,
) -> PyResult<Request<'py>> {
    let body_sent = frozen_bytes(body_sent, "body_sent")?;
    let sent = sent(py, body_sent.as_bytes())?;
    let answer = received.get().body.as_bytes(py);
    let view = self::received(py, answer)?;
    let responses = dump_object(responses, "responses")?;
    let responses = responses.as_bytes();
    let id = host_id(id, "id")?;
    let number: Id<'_> = id_in(&id, "id")?.ok_or_else(fault)?;
    let work =
        |scratch: &mut [u64], out: &mut [u8]| sent.retry(&view, responses, number, scratch, out).map(|len| ((), len));
    let len = body_sent.as_bytes().len().saturating_add(responses.len()).saturating_add(answer.len());
    let ((), body) = emit(py, len, work)?;
    with_headers(py, body, tool_schema)
}

/// What a probe tells of a server; see `_native.pyi`.
#[pyclass(frozen, module = "wireseal")]
pub(crate) struct Probe {
    body: Py<PyBytes>,
    status: Option<u16>,
    #[pyo3(get)]
    era: &'static str,
    #[pyo3(get)]
    versions: Py<PyTuple>,
}

/// Reads the answer to a probe; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (http_status, body))]
pub(crate) fn probe(
    py: Python<'_>,
    http_status: Option<&Bound<'_, PyAny>>,
    body: &Bound<'_, PyAny>,
) -> PyResult<Probe> {
    let body = frozen_bytes(body, "body")?;
    let status = http_status.map(|status| integer(status, "http_status")).transpose()?;
    let found = probed(status, body.as_bytes(), |found| {
        let versions = found.versions().map(|version| string(py, &version)).collect::<PyResult<Vec<_>>>()?;
        Ok::<_, PyErr>((found.era().as_str(), PyTuple::new(py, versions)?.unbind()))
    })?;
    Ok(Probe { body: body.unbind(), status, era: found.0, versions: found.1 })
}

/// Runs `then` with what a probe tells; all the scratch that the body can need is lent at once, since too little would pass for
/// an answer that cannot be read.
fn probed<T>(status: Option<u16>, body: &[u8], then: impl FnOnce(client::Probe<'_>) -> T) -> T {
    then(client::probe(status, body, &mut vec![0; scratch_len(body.len())]))
}

#[pymethods]
impl Probe {
    /// See `_native.pyi`.
    #[pyo3(signature = (versions=None))]
    fn choose(&self, py: Python<'_>, versions: Option<&Bound<'_, PyAny>>) -> PyResult<Option<&'static str>> {
        let mine =
            versions.map_or(Ok(VersionSet::of(&[Version::V2026_07_28])), |names| version_set(names, "versions"))?;
        Ok(probed(self.status, self.body.as_bytes(py), |found| found.choose(mine)).map(Version::as_str))
    }

    fn __repr__(&self) -> String {
        format!("<wireseal.Probe {}>", self.era)
    }
}

/// The versions of a client; one that nobody knows is a mistake.
fn version_set(names: &Bound<'_, PyAny>, what: &str) -> PyResult<VersionSet> {
    let version = |name: &String| Version::parse(name.as_bytes()).ok_or(misuse(wireseal::Misuse::UnknownVersion));
    let versions = strings(names, what)?.iter().map(version).collect::<PyResult<Vec<_>>>()?;
    Ok(VersionSet::of(&versions))
}
