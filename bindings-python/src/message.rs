//! `admit`, and the view of an admitted message.

use std::borrow::Cow;
use std::sync::{Mutex, OnceLock};

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use wireseal::json::{Raw, Text, scratch_len};
use wireseal::reply::Progressing;
use wireseal::{Admitted, Context, Headers, Misuse, ParamSource, Reason, Rejected, Spans, Version, check_capabilities};

use crate::convert::{frozen_bytes, lossy, string, utf8};
use crate::error::{fault, id_object, misuse, rejected};
use crate::headers::Fields;
use crate::json::{checked, dump_object, loads};
use crate::param::Tools;
use crate::policy::{self, Policy};
use crate::scratch::{maybe_detached, with_scratch};

/// Judges one message; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (body, headers=None, policy=None, *, http_method=None, tool_schema=None, legacy_version=None))]
#[pyo3(text_signature = "(body, headers=None, policy=None, *, http_method='POST', tool_schema=None, \
                         legacy_version=None)")]
pub(crate) fn admit<'py>(
    py: Python<'py>,
    body: &Bound<'py, PyAny>,
    headers: Option<&Bound<'py, PyAny>>,
    policy: Option<&Bound<'py, Policy>>,
    http_method: Option<&Bound<'py, PyString>>,
    tool_schema: Option<&Bound<'py, PyAny>>,
    legacy_version: Option<&Bound<'py, PyString>>,
) -> PyResult<Message> {
    let input = Input::gather(body, headers, http_method, legacy_version)?;
    let mut read = Headers::default();
    input.read(&mut read)?;
    let given = input.given(&read);
    let tools = tool_schema.map(Tools::new).transpose()?;
    let policy = policy.map(Bound::get);
    let settings = policy.map_or(policy::DEFAULT, Policy::settings);
    let spans = judge(py, input.body(), &given, tools, &settings)?;
    Ok(Message::made(input.body.clone(), spans, policy))
}

/// The arguments that say what came, and how.
pub(crate) struct Input<'py> {
    body: Bound<'py, PyBytes>,
    fields: Option<Fields<'py>>,
    http_method: Option<Bound<'py, PyString>>,
    legacy_version: Option<Version>,
}

impl<'py> Input<'py> {
    pub(crate) fn gather(
        body: &Bound<'py, PyAny>,
        headers: Option<&Bound<'py, PyAny>>,
        http_method: Option<&Bound<'py, PyString>>,
        legacy_version: Option<&Bound<'py, PyString>>,
    ) -> PyResult<Self> {
        if body.is_instance_of::<PyString>() {
            let text = "body must be bytes or another buffer, not str: give the bytes as they came";
            return Err(PyTypeError::new_err(text));
        }
        let version = |text: &Bound<'_, PyString>| {
            Version::parse(utf8(text, "legacy_version")?.as_bytes()).ok_or(misuse(Misuse::UnknownVersion))
        };
        Ok(Input {
            body: frozen_bytes(body, "body")?,
            legacy_version: legacy_version.map(version).transpose()?,
            http_method: http_method.cloned(),
            fields: headers.map(Fields::gather).transpose()?,
        })
    }

    pub(crate) fn body(&self) -> &[u8] {
        self.body.as_bytes()
    }

    /// Lets the core read the headers.
    pub(crate) fn read<'a>(&'a self, headers: &mut Headers<'a>) -> PyResult<()> {
        self.fields.as_ref().map_or(Ok(()), |fields| fields.read(headers))
    }

    /// What the core is given beside the body, with the headers that it has read.
    pub(crate) fn given<'a>(&'a self, headers: &'a Headers<'a>) -> Given<'a> {
        let http_method = self.http_method.as_ref().map_or(Cow::Borrowed("POST"), lossy);
        let headers = if self.fields.is_some() { Some(headers) } else { None };
        Given { http_method, headers, legacy_version: self.legacy_version }
    }
}

/// What is given beside the body and the tools, fit to be taken to where Python is detached.
pub(crate) struct Given<'a> {
    http_method: Cow<'a, str>,
    headers: Option<&'a Headers<'a>>,
    legacy_version: Option<Version>,
}

impl Given<'_> {
    pub(crate) fn context<'c>(&'c self, tools: Option<&'c dyn ParamSource>) -> Context<'c> {
        Context { http_method: &self.http_method, headers: self.headers, legacy_version: self.legacy_version, tools }
    }
}

/// Runs the ladder.
fn judge(
    py: Python<'_>,
    body: &[u8],
    given: &Given<'_>,
    tools: Option<Tools>,
    settings: &wireseal::Policy<'_, String>,
) -> PyResult<Spans> {
    let short = |verdict: &Result<Spans, Rejected<'_>>| {
        verdict.as_ref().is_err_and(|refusal| refusal.reason() == Reason::TooManyMembers)
    };
    let verdict = maybe_detached(py, body.len(), || {
        let context = given.context(tools.as_ref().map(|tools| tools as &dyn ParamSource));
        with_scratch(scratch_len(body.len()), short, |scratch| {
            wireseal::admit(body, &context, settings, scratch).map(|admitted| admitted.spans())
        })
    });
    match tools.and_then(Tools::into_fault) {
        Some(raised) => Err(raised),
        None => verdict.map_err(|refusal| rejected(py, &refusal)),
    }
}

/// The members that are turned into Python values when they are first asked for.
struct Cache {
    params: OnceLock<Py<PyAny>>,
    arguments: OnceLock<Py<PyAny>>,
    meta: OnceLock<Py<PyAny>>,
    client_info: OnceLock<Py<PyAny>>,
    capabilities: OnceLock<Py<PyAny>>,
    input_responses: OnceLock<Py<PyAny>>,
}

impl Cache {
    fn all(&self) -> [&OnceLock<Py<PyAny>>; 6] {
        let Cache { params, arguments, meta, client_info, capabilities, input_responses } = self;
        [params, arguments, meta, client_info, capabilities, input_responses]
    }

    const fn empty() -> Self {
        Cache {
            params: OnceLock::new(),
            arguments: OnceLock::new(),
            meta: OnceLock::new(),
            client_info: OnceLock::new(),
            capabilities: OnceLock::new(),
            input_responses: OnceLock::new(),
        }
    }
}

/// An admitted message; see `_native.pyi`.
#[pyclass(frozen, module = "wireseal")]
pub(crate) struct Message {
    body: Py<PyBytes>,
    spans: Spans,
    server_info: Option<Py<PyBytes>>,
    cache: Cache,
    progressing: Mutex<Progressing>,
}

impl Message {
    /// The view of a body that the core has admitted.
    pub(crate) fn made(body: Bound<'_, PyBytes>, spans: Spans, policy: Option<&Policy>) -> Self {
        let py = body.py();
        let server_info = policy.and_then(Policy::server_info).map(|info| info.clone_ref(py));
        Message { body: body.unbind(), spans, server_info, cache: Cache::empty(), progressing: Mutex::default() }
    }

    /// The core's view.
    pub(crate) fn view<'a>(&'a self, py: Python<'_>) -> PyResult<Admitted<'a>> {
        self.spans.view(self.body.as_bytes(py)).ok_or_else(fault)
    }

    /// How far the request is said to have come.
    pub(crate) fn progressing(&self) -> &Mutex<Progressing> {
        &self.progressing
    }

    /// The identity that answers carry unless told otherwise.
    pub(crate) fn server_info<'a>(&'a self, py: Python<'_>) -> Option<&'a [u8]> {
        self.server_info.as_ref().map(|info| info.as_bytes(py))
    }

    /// What Python's `json` does not make a value of: checked as it is, only an integer of too many digits is left.
    fn unreadable(&self, py: Python<'_>, error: PyErr) -> PyErr {
        if !error.is_instance_of::<PyValueError>(py) {
            return error;
        }
        match self.view(py) {
            Ok(view) => rejected(py, &Rejected::after_admission(Some(&view), Reason::NumberTooLarge)),
            Err(fault) => fault,
        }
    }

    /// A part of the message as a Python value.
    pub(crate) fn loaded<'py>(&self, py: Python<'py>, raw: Raw<'_>) -> PyResult<Bound<'py, PyAny>> {
        loads(py, raw.as_bytes()).map_err(|error| self.unreadable(py, error))
    }

    /// A member as a Python value, made once.
    fn value<'py>(
        &self,
        py: Python<'py>,
        cache: &OnceLock<Py<PyAny>>,
        member: impl for<'a> FnOnce(&Admitted<'a>) -> Option<Raw<'a>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if let Some(made) = cache.get() {
            return Ok(made.bind(py).clone());
        }
        let made = match member(&self.view(py)?) {
            Some(raw) => self.loaded(py, raw)?.unbind(),
            None => py.None(),
        };
        // Two threads may have made one each: the first to arrive is kept, and both get that.
        Ok(cache.get_or_init(|| made).bind(py).clone())
    }
}

/// A member as the bytes that came.
fn bytes<'py>(py: Python<'py>, member: Option<Raw<'_>>) -> Option<Bound<'py, PyBytes>> {
    member.map(|raw| PyBytes::new(py, raw.as_bytes()))
}

/// A member that is a string.
fn text<'py>(py: Python<'py>, member: Option<Text<'_>>) -> PyResult<Option<Bound<'py, PyString>>> {
    member.map(|text| string(py, &text)).transpose()
}

#[pymethods]
impl Message {
    /// Shows the garbage collector what can lead back here: a host may put the message into a dict that it was
    /// handed. Such a circle is broken at the dict.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.cache.all().into_iter().filter_map(OnceLock::get).try_for_each(|made| visit.call(made))
    }

    #[getter]
    fn kind(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(self.view(py)?.kind().as_str())
    }

    #[getter]
    fn era(&self, py: Python<'_>) -> PyResult<&'static str> {
        Ok(self.view(py)?.era().as_str())
    }

    #[getter]
    fn deprecated<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, self.view(py)?.deprecated().map(|one| one.name).collect::<Vec<_>>())
    }

    #[getter]
    fn version(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        Ok(self.view(py)?.version().map(Version::as_str))
    }

    #[getter]
    fn id<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.view(py)?.id().map(|id| id_object(py, &id)).transpose()
    }

    #[getter]
    fn method<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        text(py, self.view(py)?.method())
    }

    #[getter]
    fn name<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        text(py, self.view(py)?.name())
    }

    #[getter]
    pub(crate) fn params<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.value(py, &self.cache.params, |view| view.params())
    }

    #[getter]
    fn arguments<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.value(py, &self.cache.arguments, |view| view.arguments())
    }

    #[getter]
    fn meta<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.value(py, &self.cache.meta, |view| view.meta())
    }

    #[getter]
    fn client_info<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.value(py, &self.cache.client_info, |view| view.client_info())
    }

    #[getter]
    fn capabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.value(py, &self.cache.capabilities, |view| view.capabilities())
    }

    #[getter]
    fn input_responses<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        self.value(py, &self.cache.input_responses, |view| view.input_responses())
    }

    #[getter]
    fn params_json<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        Ok(bytes(py, self.view(py)?.params()))
    }

    #[getter]
    fn arguments_json<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        Ok(bytes(py, self.view(py)?.arguments()))
    }

    #[getter]
    fn log_level<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        text(py, self.view(py)?.log_level())
    }

    #[getter]
    fn progress_token<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let Some(raw) = self.view(py)?.progress_token() else { return Ok(None) };
        match raw.text() {
            Some(text) => Ok(Some(string(py, &text)?.into_any())),
            None => self.loaded(py, raw).map(Some),
        }
    }

    #[getter]
    fn subscription_id<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.view(py)?.subscription_id().map(|id| id_object(py, &id)).transpose()
    }

    #[getter]
    fn cursor<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        text(py, self.view(py)?.cursor())
    }

    #[getter]
    fn cancelled_id<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.view(py)?.cancelled_id().map(|id| id_object(py, &id)).transpose()
    }

    #[getter]
    fn progress<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(found) = self.view(py)?.progress() else { return Ok(None) };
        let progress = PyDict::new(py);
        progress.set_item("progressToken", id_object(py, &found.token)?)?;
        progress.set_item("progress", self.loaded(py, found.progress)?)?;
        if let Some(total) = found.total {
            progress.set_item("total", self.loaded(py, total)?)?;
        }
        if let Some(message) = text(py, found.message)? {
            progress.set_item("message", message)?;
        }
        Ok(Some(progress))
    }

    #[getter]
    fn log_message<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyDict>>> {
        let Some(found) = self.view(py)?.log_message() else { return Ok(None) };
        let line = PyDict::new(py);
        line.set_item("level", string(py, &found.level)?)?;
        if let Some(logger) = text(py, found.logger)? {
            line.set_item("logger", logger)?;
        }
        line.set_item("data", self.loaded(py, found.data)?)?;
        Ok(Some(line))
    }

    #[getter]
    fn trace_context<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let context = self.view(py)?.trace_context();
        let carrier = PyDict::new(py);
        let all =
            [("traceparent", context.traceparent), ("tracestate", context.tracestate), ("baggage", context.baggage)];
        for (name, value) in all {
            if let Some(value) = value {
                carrier.set_item(name, string(py, &value)?)?;
            }
        }
        Ok(carrier)
    }

    #[getter]
    fn request_state<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        text(py, self.view(py)?.request_state())
    }

    fn require(&self, py: Python<'_>, capabilities: &Bound<'_, PyAny>) -> PyResult<()> {
        let json = dump_object(capabilities, "capabilities")?;
        let required = checked(&json, "capabilities")?;
        check_capabilities(required).map_err(misuse)?;
        wireseal::require(&self.view(py)?, required).map_err(|refusal| rejected(py, &refusal))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut text = format!("<wireseal.Message {} {}", self.era(py)?, self.kind(py)?);
        for (label, value) in [("method", self.method(py)?.map(Bound::into_any)), ("id", self.id(py)?)] {
            if let Some(value) = value {
                text.push_str(&format!(" {label}={}", lossy(&value.repr()?)));
            }
        }
        text.push('>');
        Ok(text)
    }
}
