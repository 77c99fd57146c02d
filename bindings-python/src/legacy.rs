//! The handshake era: batches, sessions, streams.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString};
use wireseal::json::{Raw, scratch_len};
use wireseal::legacy::{self, Event, ServerDescription, StreamRequest};
use wireseal::reply::{ReplyError, complete};
use wireseal::{Admitted, Headers, Reason, Rejected, Spans, Version, check_capabilities};

use crate::convert::{integer, lossy, utf8, wrong_type};
use crate::error::{id_object, misuse, rejected};
use crate::headers::Fields;
use crate::json::{Json, checked, dump_object, loads};
use crate::message::{Input, Message};
use crate::policy::{self, Policy};
use crate::reply::emit;
use crate::scratch::{maybe_detached, with_scratch};

/// How many requests of the server's one session can have waiting.
const WAITING: usize = 64;

/// Judges a batch; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (body, headers=None, policy=None, *, http_method=None, legacy_version=None))]
#[pyo3(text_signature = "(body, headers=None, policy=None, *, http_method='POST', legacy_version=None)")]
pub(crate) fn admit_batch<'py>(
    py: Python<'py>,
    body: &Bound<'py, PyAny>,
    headers: Option<&Bound<'py, PyAny>>,
    policy: Option<&Bound<'py, Policy>>,
    http_method: Option<&Bound<'py, PyString>>,
    legacy_version: Option<&Bound<'py, PyString>>,
) -> PyResult<Bound<'py, PyList>> {
    let input = Input::gather(body, headers, http_method, legacy_version)?;
    let mut read = Headers::default();
    input.read(&mut read)?;
    let given = input.given(&read);
    let policy = policy.map(Bound::get);
    let settings = policy.map_or(policy::DEFAULT, Policy::settings);
    let bytes = input.body();
    type Entries<'a> = Vec<Result<(&'a [u8], Spans), Rejected<'a>>>;
    let too_small = |refusal: &Rejected<'_>| refusal.reason() == Reason::TooManyMembers;
    let short = |judged: &Result<Entries<'_>, Rejected<'_>>| match judged {
        Ok(entries) => entries.iter().any(|entry| entry.as_ref().is_err_and(too_small)),
        Err(refusal) => too_small(refusal),
    };
    let judged = maybe_detached(py, bytes.len(), || {
        let context = given.context(None);
        with_scratch(scratch_len(bytes.len()), short, |scratch| {
            let mut entries: Entries<'_> = Vec::new();
            legacy::admit_batch(bytes, &context, &settings, scratch, |entry| {
                entries.push(entry.map(|message| (message.body(), message.spans())));
            })
            .map(|()| entries)
        })
    });
    let list = PyList::empty(py);
    for entry in judged.map_err(|refusal| rejected(py, &refusal))? {
        match entry {
            Ok((span, spans)) => list.append(Message::made(PyBytes::new(py, span), spans, policy))?,
            Err(refusal) => list.append(rejected(py, &refusal).into_value(py))?,
        }
    }
    Ok(list)
}

/// The answer to a batch; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (answers, *, refused=false))]
pub(crate) fn batch_answer<'py>(
    py: Python<'py>,
    answers: &Bound<'py, PyAny>,
    refused: bool,
) -> PyResult<(u16, Bound<'py, PyBytes>)> {
    let answers: Vec<Bound<'py, PyBytes>> = answers
        .try_iter()?
        .map(|answer| answer?.cast_into().map_err(|error| wrong_type(&error.into_inner(), "an answer", "bytes")))
        .collect::<PyResult<_>>()?;
    let answers: Vec<&[u8]> = answers.iter().map(|answer| answer.as_bytes()).collect();
    let len = answers.iter().fold(0usize, |len, answer| len.saturating_add(answer.len()).saturating_add(1));
    let work = |_: &mut [u64], out: &mut [u8]| Ok(legacy::emit_batch(answers.iter().copied(), refused, out)?);
    emit(py, len, work)
}

/// Reads a session id; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (headers, *, msg=None, batch=false))]
pub(crate) fn session_id<'py>(
    headers: &Bound<'py, PyAny>,
    msg: Option<&Bound<'py, Message>>,
    batch: bool,
) -> PyResult<Bound<'py, PyString>> {
    let request = msg.map(|msg| msg.get().view(headers.py())).transpose()?;
    let fields = Fields::gather(headers)?;
    let mut read = Headers::default();
    fields.read(&mut read)?;
    match legacy::session_id(&read) {
        Ok(id) => Ok(PyString::new(headers.py(), id)),
        Err(reason) => Err(rejected(headers.py(), &refusal(request.as_ref(), batch, reason))),
    }
}

/// The refusal of a whole batch, or of the request.
fn refusal<'a>(request: Option<&Admitted<'a>>, batch: bool, reason: Reason) -> Rejected<'a> {
    if batch { Rejected::of_batch(reason) } else { Rejected::after_admission(request, reason) }
}

/// Judges a GET or DELETE; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (http_method, headers, policy))]
pub(crate) fn admit_stream<'py>(
    http_method: &Bound<'py, PyString>,
    headers: &Bound<'py, PyAny>,
    policy: &Bound<'py, Policy>,
) -> PyResult<(&'static str, Option<Bound<'py, PyString>>)> {
    let py = headers.py();
    let fields = Fields::gather(headers)?;
    let mut read = Headers::default();
    fields.read(&mut read)?;
    match legacy::admit_stream(&lossy(http_method), &read, &policy.get().settings()) {
        Ok(StreamRequest::Listen { last_event_id }) => Ok(("listen", last_event_id.map(|id| PyString::new(py, id)))),
        Ok(StreamRequest::End) => Ok(("end", None)),
        Err(refusal) => Err(rejected(py, &refusal)),
    }
}

/// What a message means for its session; see `_native.pyi`.
#[pyclass(frozen, get_all, module = "wireseal")]
pub(crate) struct LegacyEvent {
    kind: &'static str,
    reply: Option<Py<PyBytes>>,
    request_id: Option<u64>,
    method: Option<&'static str>,
    result: Option<Py<PyAny>>,
    error: Option<Py<PyAny>>,
    cancelled_id: Option<Py<PyAny>>,
}

impl LegacyEvent {
    const fn plain(kind: &'static str) -> Self {
        LegacyEvent { kind, reply: None, request_id: None, method: None, result: None, error: None, cancelled_id: None }
    }
}

#[pymethods]
impl LegacyEvent {
    /// Lets the collector see what the client sent, which the host may have put the event into. Nothing is cleared: that
    /// is for the values in the ring that can change.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        [&self.result, &self.error].into_iter().flatten().try_for_each(|value| visit.call(value))
    }

    fn __repr__(&self) -> String {
        format!("<wireseal.LegacyEvent {}>", self.kind)
    }
}

/// What a session has learnt of its client.
#[derive(Default)]
struct Client {
    info: Option<Py<PyAny>>,
    capabilities: Option<Py<PyAny>>,
}

/// One legacy session; see `_native.pyi`.
#[pyclass(frozen, module = "wireseal")]
pub(crate) struct LegacySession {
    core: Mutex<legacy::LegacySession<WAITING>>,
    client: Mutex<Client>,
    info: Py<PyBytes>,
    capabilities: Py<PyBytes>,
    instructions: Option<String>,
    #[pyo3(get)]
    session_id: Option<String>,
}

/// The lock; a panic while it was held has left nothing half done that matters here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn owned<'py>(py: Python<'py>, json: &Json<'py>) -> Py<PyBytes> {
    PyBytes::new(py, json.as_bytes()).unbind()
}

#[pymethods]
impl LegacySession {
    #[new]
    #[pyo3(signature = (policy, *, server_info=None, capabilities=None, instructions=None, session_id=None))]
    fn new(
        py: Python<'_>,
        policy: &Bound<'_, Policy>,
        server_info: Option<&Bound<'_, PyAny>>,
        capabilities: Option<&Bound<'_, PyAny>>,
        instructions: Option<&Bound<'_, PyString>>,
        session_id: Option<&Bound<'_, PyString>>,
    ) -> PyResult<Self> {
        let policy = policy.get();
        let info = match (server_info, policy.server_info()) {
            (Some(info), _) => policy::implementation(py, info)?,
            (None, Some(info)) => info.clone_ref(py),
            (None, None) => return Err(PyValueError::new_err("server_info is needed, here or in the policy")),
        };
        let capabilities = match capabilities {
            Some(given) => {
                let json = dump_object(given, "capabilities")?;
                check_capabilities(checked(&json, "capabilities")?).map_err(misuse)?;
                owned(py, &json)
            }
            None => PyBytes::new(py, b"{}").unbind(),
        };
        let session_id = session_id.map(|id| utf8(id, "session_id").map(str::to_owned)).transpose()?;
        if session_id.as_deref().is_some_and(|id| !legacy::is_session_id(id)) {
            return Err(PyValueError::new_err("session_id must be 1 to 256 characters of visible ASCII"));
        }
        Ok(LegacySession {
            core: Mutex::new(legacy::LegacySession::new(policy.settings().legacy)),
            client: Mutex::default(),
            info,
            capabilities,
            instructions: instructions.map(|text| utf8(text, "instructions").map(str::to_owned)).transpose()?,
            session_id,
        })
    }

    #[getter]
    fn version(&self) -> Option<&'static str> {
        lock(&self.core).version().map(Version::as_str)
    }

    #[getter]
    fn state(&self) -> &'static str {
        let core = lock(&self.core);
        match (core.version(), core.is_ready()) {
            (None, _) => "new",
            (Some(_), false) => "initializing",
            (Some(_), true) => "ready",
        }
    }

    #[getter]
    fn client_info(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        lock(&self.client).info.as_ref().map(|info| info.clone_ref(py))
    }

    #[getter]
    fn client_capabilities(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        lock(&self.client).capabilities.as_ref().map(|all| all.clone_ref(py))
    }

    /// See `_native.pyi`.
    fn receive(&self, py: Python<'_>, msg: &Bound<'_, Message>) -> PyResult<LegacyEvent> {
        let view = msg.get().view(py)?;
        // First of all: what Python cannot read is refused before the session has taken note of anything.
        let msg = msg.get();
        let load = |raw: Raw<'_>| msg.loaded(py, raw).map(Bound::unbind);
        let result = view.result().map(load).transpose()?;
        let error = view.error().map(load).transpose()?;
        if legacy::is_initialize(&view) {
            msg.params(py)?;
        }
        // A statement of its own ends the lock: to make a Python object runs Python code, which may lead back here.
        let event = lock(&self.core).receive(&view);
        let event = event.map_err(|refusal| rejected(py, &refusal))?;
        let plain = LegacyEvent::plain;
        Ok(match event {
            Event::Initialize(handshake) => {
                let info = loads(py, handshake.client_info.as_bytes())?.unbind();
                let capabilities = loads(py, handshake.capabilities.as_bytes())?.unbind();
                *lock(&self.client) = Client { info: Some(info), capabilities: Some(capabilities) };
                let server = ServerDescription {
                    info: self.info.as_bytes(py),
                    capabilities: self.capabilities.as_bytes(py),
                    instructions: self.instructions.as_deref(),
                };
                let len = server.info.len() + server.capabilities.len() + server.instructions.map_or(0, str::len);
                let ((), reply) = emit(py, len, |scratch, out| {
                    legacy::emit_initialize(&view, handshake.version, &server, scratch, out).map(|len| ((), len))
                })?;
                LegacyEvent { reply: Some(reply.unbind()), ..plain("initialize") }
            }
            Event::Ping => {
                let work = |scratch: &mut [u64], out: &mut [u8]| {
                    complete(&view, b"{}", &Default::default(), scratch, out).map(|len| ((), len))
                };
                let ((), reply) = emit(py, 2, work)?;
                LegacyEvent { reply: Some(reply.unbind()), ..plain("ping") }
            }
            Event::Initialized => plain("initialized"),
            Event::Request => plain("request"),
            Event::Notification => plain("notification"),
            Event::Ignored => plain("ignored"),
            Event::Cancelled(id) => {
                LegacyEvent { cancelled_id: Some(id_object(py, &id)?.unbind()), ..plain("cancelled") }
            }
            Event::Answered { id, request, .. } => {
                let (request_id, method) = (Some(id), Some(request.method()));
                LegacyEvent { request_id, method, result, error, ..plain("answered") }
            }
        })
    }

    /// See `_native.pyi`.
    #[pyo3(signature = (question, *, during))]
    fn request<'py>(
        &self,
        py: Python<'py>,
        question: &Bound<'py, PyAny>,
        during: &Bound<'_, Message>,
    ) -> PyResult<(u64, Bound<'py, PyBytes>)> {
        let question = dump_object(question, "question")?;
        let question = question.as_bytes();
        let view = during.get().view(py)?;
        // The lock is taken for each attempt: a failed one leaves the session as it was.
        let work = |scratch: &mut [u64], out: &mut [u8]| -> Result<(u64, usize), ReplyError<'_>> {
            lock(&self.core).request(&view, question, scratch, out)
        };
        emit(py, question.len(), work)
    }

    /// See `_native.pyi`.
    fn ping<'py>(&self, py: Python<'py>) -> PyResult<(u64, Bound<'py, PyBytes>)> {
        emit(py, 0, |_, out| lock(&self.core).ping(out))
    }

    /// Lets the collector see what the client said, which the host may have put the session into.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Held only while a value is moved in or out, and never by a thread that collects.
        let Ok(client) = self.client.try_lock() else { return Ok(()) };
        [&client.info, &client.capabilities].into_iter().flatten().try_for_each(|value| visit.call(value))
    }

    fn __clear__(&self) {
        // The lock is let go first: what is dropped may run Python code.
        let client = std::mem::take(&mut *lock(&self.client));
        drop(client);
    }

    /// See `_native.pyi`.
    #[pyo3(signature = (request_id, reason=None))]
    fn cancel<'py>(
        &self,
        py: Python<'py>,
        request_id: &Bound<'py, PyAny>,
        reason: Option<&Bound<'py, PyString>>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let id = integer(request_id, "request_id")?;
        let reason = reason.map(|text| utf8(text, "reason")).transpose()?;
        let work = |_: &mut [u64], out: &mut [u8]| lock(&self.core).cancel(id, reason, out).map(|len| ((), len));
        let ((), bytes) = emit(py, reason.map_or(0, str::len), work)?;
        Ok(if bytes.as_bytes().is_empty() { None } else { Some(bytes) })
    }
}

/// A refusal for a session that is not alive, to answer a request with; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (msg=None, *, batch=false))]
pub(crate) fn session_not_found(py: Python<'_>, msg: Option<&Bound<'_, Message>>, batch: bool) -> PyResult<Py<PyAny>> {
    let view = msg.map(|msg| msg.get().view(py)).transpose()?;
    let refusal = refusal(view.as_ref(), batch, Reason::SessionNotFound);
    Ok(rejected(py, &refusal).into_value(py).into_any())
}
