//! The sealer: state in, token out, and back.

use pyo3::exceptions::{PyOSError, PyTypeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyFrozenSet, PyString};
use wireseal::json::{Raw, Text, digest_scratch_len, scratch_len};
use wireseal::limits::MAX_SEALS;
use wireseal::once::Claim;
use wireseal::seal::{Binding, Format, Formats, Fresh, Key, OpenError, SealError, claimed_key_id};
use wireseal::{Admitted, Misuse, Reason, Rejected};

use crate::convert::{integer, is_buffer, lossy, millis, now_ms, string, strings, utf8, wrong_type};
use crate::error::{fault, misuse, rejected};
use crate::json::{Json, checked, dump_object};
use crate::message::Message;
use crate::nonces::{Nonces, RANDOM_BYTES};
use crate::scratch::{Short, Shortage, maybe_detached, with_room};

/// The life of a token unless told otherwise, in milliseconds.
const DEFAULT_LIFETIME_MS: u64 = 600_000;

/// The nonce of a seal.
pub(crate) enum Random {
    /// The sealer's next.
    Own,
    /// A test's.
    Fixed([u8; RANDOM_BYTES]),
}

/// Why nothing was sealed.
enum Unsealed {
    Random(getrandom::Error),
    Core(SealError),
}

impl Shortage for Unsealed {
    fn shortage(&self) -> Option<Short> {
        match self {
            Unsealed::Random(_) => None,
            Unsealed::Core(error) => error.shortage(),
        }
    }
}

impl Shortage for SealError {
    fn shortage(&self) -> Option<Short> {
        match self {
            SealError::TooSmall(room) => Some(Short::Room(*room)),
            SealError::Misuse(Misuse::ScratchTooSmall) => Some(Short::Scratch),
            SealError::Refused(_) | SealError::Misuse(_) => None,
        }
    }
}

impl Shortage for OpenError {
    fn shortage(&self) -> Option<Short> {
        match self {
            OpenError::TooSmall(room) => Some(Short::Room(*room)),
            OpenError::Misuse(Misuse::ScratchTooSmall) => Some(Short::Scratch),
            _ => None,
        }
    }
}

/// A principal that has to be written out, even where there is none.
pub(crate) enum Principal<'py> {
    Unwritten,
    Given(Option<Bound<'py, PyString>>),
}

impl<'py> FromPyObject<'_, 'py> for Principal<'py> {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        if value.is_none() {
            return Ok(Principal::Given(None));
        }
        match value.cast::<PyString>() {
            Ok(text) => Ok(Principal::Given(Some(text.to_owned()))),
            Err(_) => Err(wrong_type(&value, "principal", "str or None")),
        }
    }
}

/// The request that a token is bound to, as a host names it that has no message.
pub(crate) struct Request<'a, 'py> {
    pub(crate) method: &'a Bound<'py, PyString>,
    pub(crate) target: Option<&'a Bound<'py, PyString>>,
    pub(crate) arguments_json: Option<&'a Bound<'py, PyAny>>,
    pub(crate) principal: Option<&'a Bound<'py, PyString>>,
}

impl Request<'_, '_> {
    /// Calls `work` with the binding that the request amounts to.
    fn bound<T>(&self, associated: Option<&[u8]>, work: impl FnOnce(&Binding<'_>) -> PyResult<T>) -> PyResult<T> {
        let json = self.arguments_json.map(|json| dump_object(json, "arguments_json")).transpose()?;
        work(&Binding {
            method: Text::plain(utf8(self.method, "method")?),
            target: self.target.map(|target| utf8(target, "target").map(Text::plain)).transpose()?,
            arguments: json.as_ref().map(|json| checked(json, "arguments_json")).transpose()?,
            principal: principal_text(self.principal)?,
            associated,
        })
    }
}

fn principal_text<'a>(principal: Option<&'a Bound<'_, PyString>>) -> PyResult<Option<&'a str>> {
    principal.map(|text| utf8(text, "principal")).transpose()
}

/// `bytes` as they are, `str` as UTF-8.
fn bytes_or_str<'a>(value: &'a Bound<'_, PyAny>, what: &str) -> PyResult<&'a [u8]> {
    if let Ok(bytes) = value.cast::<PyBytes>() {
        return Ok(bytes.as_bytes());
    }
    match value.cast::<PyString>() {
        Ok(text) => Ok(utf8(text, what)?.as_bytes()),
        Err(_) => Err(wrong_type(value, what, "bytes or str")),
    }
}

/// What a host's `binding` returned.
struct Associated<'py>(Bound<'py, PyAny>);

impl Associated<'_> {
    fn bytes(&self) -> PyResult<&[u8]> {
        bytes_or_str(&self.0, "what binding returns")
    }
}

/// Seals and opens `requestState`; see `_native.pyi`.
#[pyclass(frozen, module = "wireseal")]
pub(crate) struct Sealer {
    core: wireseal::seal::Sealer<Vec<Key>, String>,
    nonces: Nonces,
    /// What says what the tokens of other frameworks are bound to.
    binding: Option<Py<PyAny>>,
}

impl Sealer {
    /// What the host says that a token of this request is bound to, for the formats that need to be told.
    fn associated<'py>(
        &self,
        py: Python<'py>,
        method: &Bound<'py, PyString>,
        target: Option<&Bound<'py, PyString>>,
        principal: Option<&Bound<'py, PyString>>,
    ) -> PyResult<Option<Associated<'py>>> {
        let Some(binding) = &self.binding else { return Ok(None) };
        binding.bind(py).call1((method, target, principal)).map(|value| Some(Associated(value)))
    }

    /// The same for an admitted request.
    fn associated_of<'py>(
        &self,
        py: Python<'py>,
        view: &Admitted<'_>,
        principal: Option<&Bound<'py, PyString>>,
    ) -> PyResult<Option<Associated<'py>>> {
        if self.binding.is_none() {
            return Ok(None);
        }
        let method = view.method().map(|method| string(py, &method)).transpose()?;
        let target = view.name().map(|target| string(py, &target)).transpose()?;
        let method = method.unwrap_or_else(|| PyString::new(py, ""));
        self.associated(py, &method, target.as_ref(), principal)
    }

    /// Seals a state for an admitted request.
    pub(crate) fn seal_message(
        &self,
        py: Python<'_>,
        msg: &Message,
        state: &Bound<'_, PyAny>,
        principal: Option<&Bound<'_, PyString>>,
        now_ms: u64,
        random: &Random,
    ) -> PyResult<String> {
        let view = msg.view(py)?;
        let associated = self.associated_of(py, &view, principal)?;
        let mut binding = Binding::of(&view, principal_text(principal)?).map_err(misuse)?;
        binding.associated = associated.as_ref().map(Associated::bytes).transpose()?;
        self.seal_bound(py, &binding, Some(&view), state, now_ms, random)
    }

    /// Seals a state for a request that the host names.
    pub(crate) fn seal_request(
        &self,
        py: Python<'_>,
        request: &Request<'_, '_>,
        state: &Bound<'_, PyAny>,
        now_ms: u64,
        random: &Random,
    ) -> PyResult<String> {
        let associated = self.associated(py, request.method, request.target, request.principal)?;
        let associated = associated.as_ref().map(Associated::bytes).transpose()?;
        request.bound(associated, |binding| self.seal_bound(py, binding, None, state, now_ms, random))
    }

    fn seal_bound(
        &self,
        py: Python<'_>,
        binding: &Binding<'_>,
        msg: Option<&Admitted<'_>>,
        state: &Bound<'_, PyAny>,
        now_ms: u64,
        random: &Random,
    ) -> PyResult<String> {
        let state = bytes_or_str(state, "state")?;
        // The state is read as JSON in one of the formats.
        let digested = binding.arguments.map_or(0, |raw| raw.as_bytes().len());
        let slots = digest_scratch_len(digested).max(scratch_len(state.len()));
        // A guess; one that falls short costs a second try.
        let room = state.len().saturating_mul(2).saturating_add(512);
        let sealed = maybe_detached(py, digested.saturating_add(state.len()), || {
            with_room(slots, room, |scratch, out| {
                let fresh = match random {
                    Random::Own => self.nonces.fresh().map_err(Unsealed::Random)?,
                    Random::Fixed(bytes) => Fresh::from_random(*bytes),
                };
                self.core.seal(binding, state, now_ms, fresh, scratch, out).map_err(Unsealed::Core)
            })
        });
        match sealed {
            Ok((len, mut out)) => {
                out.truncate(len);
                String::from_utf8(out).map_err(|_| fault())
            }
            Err(Unsealed::Random(error)) => {
                Err(PyOSError::new_err(format!("no random bytes from the system, nothing was sealed: {error}")))
            }
            Err(Unsealed::Core(SealError::Refused(reason))) => Err(match msg {
                Some(_) => rejected(py, &Rejected::after_admission(msg, reason)),
                None => PyValueError::new_err(reason.message()), // the arguments are the host's own
            }),
            Err(Unsealed::Core(SealError::Misuse(error))) => Err(misuse(error)),
            Err(Unsealed::Core(SealError::TooSmall(_))) => Err(fault()),
        }
    }

    /// Opens what an admitted request carries; `None` when it carries nothing.
    pub(crate) fn open_message(
        &self,
        py: Python<'_>,
        msg: &Message,
        principal: Option<&Bound<'_, PyString>>,
        now_ms: u64,
    ) -> PyResult<Option<Opened>> {
        let view = msg.view(py)?;
        let mut binding = Binding::of(&view, principal_text(principal)?).map_err(misuse)?;
        let Some(token) = view.request_state() else { return Ok(None) };
        let associated = self.associated_of(py, &view, principal)?;
        binding.associated = associated.as_ref().map(Associated::bytes).transpose()?;
        self.open_bound(py, token, &binding, view.input_responses(), Some(&view), now_ms).map(Some)
    }

    /// Opens a token for a request that the host names.
    pub(crate) fn open_request(
        &self,
        py: Python<'_>,
        token: &Bound<'_, PyString>,
        request: &Request<'_, '_>,
        input_responses_json: Option<&Bound<'_, PyAny>>,
        now_ms: u64,
    ) -> PyResult<Opened> {
        let what = "input_responses_json";
        let json = input_responses_json.map(|json| dump_object(json, what)).transpose()?;
        let responses = json.as_ref().map(|json: &Json<'_>| checked(json, what)).transpose()?;
        // The token is the peer's: whatever it holds, the core is to refuse it, not the conversion.
        let token = lossy(token);
        let associated = self.associated(py, request.method, request.target, request.principal)?;
        let associated = associated.as_ref().map(Associated::bytes).transpose()?;
        request.bound(associated, |binding| self.open_bound(py, Text::plain(&token), binding, responses, None, now_ms))
    }

    fn open_bound(
        &self,
        py: Python<'_>,
        token: Text<'_>,
        binding: &Binding<'_>,
        responses: Option<Raw<'_>>,
        msg: Option<&Admitted<'_>>,
        now_ms: u64,
    ) -> PyResult<Opened> {
        let arguments = binding.arguments.map_or(0, |raw| raw.as_bytes().len());
        let digested = arguments.max(responses.map_or(0, |raw| raw.as_bytes().len()));
        let room = token.raw().len();
        let slots = digest_scratch_len(digested).max(scratch_len(room));
        let opened = maybe_detached(py, digested.saturating_add(room), || {
            with_room(slots, room, |scratch, out| {
                let opened = self.core.open(token, binding, responses, now_ms, scratch, out)?;
                Ok(Opened {
                    state: opened.state.to_vec(),
                    issued_at_ms: opened.issued_at_ms,
                    expires_at_ms: opened.expires_at_ms,
                    key_id: opened.key_id,
                    token_id: opened.token_id,
                    reissue_key: opened.reissue_key,
                    format: opened.format,
                    bound: opened.bound,
                    request: None,
                })
            })
        });
        match opened {
            Ok((opened, _)) => Ok(opened),
            Err(OpenError::Refused(reason)) => {
                let refusal = Rejected::after_admission(msg, reason).with_key_id(claimed_key_id(token));
                Err(rejected(py, &refusal))
            }
            Err(OpenError::Misuse(error)) => Err(misuse(error)),
            Err(OpenError::TooSmall(_)) => Err(fault()),
        }
    }
}

#[pymethods]
impl Sealer {
    #[new]
    #[pyo3(signature = (
        keys, *, audience, ttl=None, format=None, accept=None, binding=None, allow_unbound=false,
        allow_endless=false, nonces=None,
        max_seals=None,
    ))]
    #[pyo3(text_signature = "(keys, *, audience, ttl=600, format='compact', accept=(), binding=None, \
                             allow_unbound=False, allow_endless=False, nonces='random', max_seals=4294967295)")]
    #[allow(clippy::too_many_arguments)] // one for each argument of the contract
    fn new(
        keys: &Bound<'_, PyAny>,
        audience: Option<&Bound<'_, PyString>>,
        ttl: Option<&Bound<'_, PyAny>>,
        format: Option<&Bound<'_, PyString>>,
        accept: Option<&Bound<'_, PyAny>>,
        binding: Option<&Bound<'_, PyAny>>,
        allow_unbound: bool,
        allow_endless: bool,
        nonces: Option<&Bound<'_, PyString>>,
        max_seals: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        if let Some(binding) = binding
            && !binding.is_callable()
        {
            return Err(wrong_type(binding, "binding", "callable"));
        }
        let audience = audience.map(|text| utf8(text, "audience").map(str::to_owned)).transpose()?;
        let lifetime_ms = ttl.map_or(Ok(DEFAULT_LIFETIME_MS), |ttl| millis(ttl, "ttl"))?;
        let format = format.map_or(Ok(Format::Compact), |name| format_named(&lossy(name)))?;
        let accept = accept.map_or(Ok(Vec::new()), |names| strings(names, "accept"))?;
        let accept = accept.iter().map(|name| format_named(name)).collect::<PyResult<Vec<_>>>()?;
        let nonces = nonces.map_or(Some(Nonces::Random), |name| Nonces::named(&lossy(name)));
        let nonces = nonces.ok_or_else(|| PyValueError::new_err("unknown source of nonces"))?;
        let budget = max_seals.map_or(Ok(MAX_SEALS), |count| integer(count, "max_seals"))?;
        let keys = secrets(keys, |secret| Key::derive(secret).map(|key| key.with_budget(budget)).map_err(misuse))?;
        let core = wireseal::seal::Sealer::new(keys, audience, lifetime_ms, format, Formats::of(&accept));
        let core = core.map_err(misuse)?;
        let core = if allow_unbound { core.allowing_unbound() } else { core };
        let core = if allow_endless { core.allowing_endless() } else { core };
        if binding.is_none() && core.needs_binding() {
            return Err(misuse(Misuse::Unbound));
        }
        Ok(Sealer { core, nonces, binding: binding.map(|binding| binding.clone().unbind()) })
    }

    #[getter]
    fn seals_left(&self) -> u32 {
        self.core.seals_left()
    }

    #[pyo3(signature = (msg, state, *, principal, now=None))]
    fn seal(
        &self,
        py: Python<'_>,
        msg: &Bound<'_, Message>,
        state: &Bound<'_, PyAny>,
        principal: Option<&Bound<'_, PyString>>,
        now: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        self.seal_message(py, msg.get(), state, principal, now_ms(now)?, &Random::Own)
    }

    #[pyo3(signature = (msg, *, principal, now=None))]
    fn open(
        &self,
        py: Python<'_>,
        msg: &Bound<'_, Message>,
        principal: Option<&Bound<'_, PyString>>,
        now: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Option<Opened>> {
        let opened = self.open_message(py, msg.get(), principal, now_ms(now)?)?;
        Ok(opened.map(|opened| Opened { request: Some(msg.clone().unbind()), ..opened }))
    }

    #[pyo3(signature = (method, target, arguments_json, state, *, principal, now=None))]
    #[allow(clippy::too_many_arguments)] // one for each argument of the contract
    fn seal_for(
        &self,
        py: Python<'_>,
        method: &Bound<'_, PyString>,
        target: Option<&Bound<'_, PyString>>,
        arguments_json: Option<&Bound<'_, PyAny>>,
        state: &Bound<'_, PyAny>,
        principal: Option<&Bound<'_, PyString>>,
        now: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<String> {
        let request = Request { method, target, arguments_json, principal };
        self.seal_request(py, &request, state, now_ms(now)?, &Random::Own)
    }

    #[pyo3(signature = (token, method, target, arguments_json, *, principal, now=None, input_responses_json=None))]
    #[allow(clippy::too_many_arguments)] // one for each argument of the contract
    fn open_for(
        &self,
        py: Python<'_>,
        token: &Bound<'_, PyString>,
        method: &Bound<'_, PyString>,
        target: Option<&Bound<'_, PyString>>,
        arguments_json: Option<&Bound<'_, PyAny>>,
        principal: Option<&Bound<'_, PyString>>,
        now: Option<&Bound<'_, PyAny>>,
        input_responses_json: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Opened> {
        let request = Request { method, target, arguments_json, principal };
        self.open_request(py, token, &request, input_responses_json, now_ms(now)?)
    }

    fn __repr__(&self) -> &'static str {
        "<wireseal.Sealer>"
    }

    /// Lets the collector see the host's function, which may hold the sealer in turn.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.binding.as_ref().map_or(Ok(()), |binding| visit.call(binding))
    }
}

/// The keys of a ring, derived from its secrets. Neither they nor their number reach an error message.
pub(crate) fn secrets<K>(keys: &Bound<'_, PyAny>, derive: impl Fn(&[u8]) -> PyResult<K>) -> PyResult<Vec<K>> {
    if keys.is_instance_of::<PyString>() || is_buffer(keys) {
        return Err(PyTypeError::new_err("keys must be a list of keys, even if there is one"));
    }
    let keys = keys.try_iter().map_err(|_| wrong_type(keys, "keys", "a list of bytes or str"))?;
    keys.map(|key| derive(bytes_or_str(&key?, "each of keys")?)).collect()
}

fn format_named(name: &str) -> PyResult<Format> {
    Format::parse(name).ok_or_else(|| PyValueError::new_err("unknown token format"))
}

/// What an opened token said; see `_native.pyi`.
#[pyclass(frozen, module = "wireseal")]
pub(crate) struct Opened {
    state: Vec<u8>,
    issued_at_ms: Option<u64>,
    expires_at_ms: Option<u64>,
    key_id: [u8; 4],
    token_id: [u8; 16],
    reissue_key: [u8; 16],
    format: Format,
    bound: wireseal::seal::Bound,
    /// The request that it came with, which a later refusal answers.
    request: Option<Py<Message>>,
}

impl Opened {
    /// A token that nothing sealed, for tests.
    pub(crate) fn made_up(
        token_id: [u8; 16],
        reissue_key: [u8; 16],
        issued_at_ms: Option<u64>,
        expires_at_ms: u64,
    ) -> Self {
        let none = wireseal::seal::Bound::default();
        Opened {
            state: Vec::new(),
            issued_at_ms,
            expires_at_ms: Some(expires_at_ms),
            key_id: [0; 4],
            token_id,
            reissue_key,
            format: Format::Compact,
            bound: none,
            request: None,
        }
    }

    /// The claim on the token, or why it cannot be claimed.
    pub(crate) fn claim(&self, principal: Option<&str>) -> Result<Claim, Reason> {
        Claim::new(self.token_id, self.reissue_key, self.issued_at_ms, self.expires_at_ms, principal)
    }

    /// The refusal of the request that it came with.
    pub(crate) fn refused(&self, py: Python<'_>, reason: Reason) -> PyErr {
        let refused = |request: Option<&Admitted<'_>>| {
            rejected(py, &Rejected::after_admission(request, reason).with_key_id(Some(self.key_id)))
        };
        match &self.request {
            Some(msg) => msg.get().view(py).map_or_else(|error| error, |view| refused(Some(&view))),
            None => refused(None),
        }
    }
}

#[pymethods]
impl Opened {
    #[getter]
    fn state<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.state)
    }

    #[getter]
    fn issued_at(&self) -> Option<f64> {
        self.issued_at_ms.map(|ms| ms as f64 / 1000.0)
    }

    #[getter]
    fn expires_at(&self) -> Option<f64> {
        self.expires_at_ms.map(|ms| ms as f64 / 1000.0)
    }

    #[getter]
    fn key_id<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.key_id)
    }

    #[getter]
    fn token_id<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.token_id)
    }

    #[getter]
    fn reissue_key<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.reissue_key)
    }

    #[getter]
    fn format(&self) -> &'static str {
        self.format.as_str()
    }

    #[getter]
    fn bound<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyFrozenSet>> {
        PyFrozenSet::new(py, self.bound.names().collect::<Vec<_>>())
    }

    /// Shows neither the state nor what tells one token from another.
    fn __repr__(&self) -> String {
        match self.expires_at() {
            Some(expires_at) => format!("<wireseal.Opened {} expires_at={expires_at}>", self.format()),
            None => format!("<wireseal.Opened {} endless>", self.format()),
        }
    }
}
