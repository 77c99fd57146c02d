//! Notifications that a server sends, and the subscriptions that they are sent to.

use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};
use wireseal::reply::{self, Change, Offered, ReplyError};
use wireseal::{LogLevel, Reason, Rejected};

use crate::convert::{integer, lossy, utf8};
use crate::error::rejected;
use crate::json::{Json, dump, dump_object, host_id, id_in};
use crate::message::Message;
use crate::reply::{emit, server_info};

/// Bytes, or `None` where nothing is to be sent.
fn any<'py>(bytes: Bound<'py, PyBytes>) -> Option<Bound<'py, PyBytes>> {
    if bytes.as_bytes().is_empty() { None } else { Some(bytes) }
}

/// A notification; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (method, params=None, subscription_id=None))]
pub(crate) fn notification<'py>(
    py: Python<'py>,
    method: &Bound<'py, PyString>,
    params: Option<&Bound<'py, PyAny>>,
    subscription_id: Option<&Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let method = utf8(method, "method")?;
    let params = params.map(|params| dump_object(params, "params")).transpose()?;
    let subscription = subscription_id.map(|id| host_id(id, "subscription_id")).transpose()?;
    let id = subscription.as_ref().map(|json| id_in(json, "subscription_id")).transpose()?.flatten();
    let params = params.as_ref().map(Json::as_bytes);
    let work = |scratch: &mut [u64], out: &mut [u8]| {
        reply::notification(method, params, id, scratch, out).map(|len| ((), len))
    };
    emit(py, params.map_or(0, <[u8]>::len).saturating_add(method.len()), work).map(|((), bytes)| bytes)
}

/// How far a request has come; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (msg, progress, total=None, message=None))]
pub(crate) fn progress<'py>(
    py: Python<'py>,
    msg: &Bound<'_, Message>,
    progress: &Bound<'py, PyAny>,
    total: Option<&Bound<'py, PyAny>>,
    message: Option<&Bound<'py, PyString>>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let progress = dump(progress, "progress")?;
    let total = total.map(|total| dump(total, "total")).transpose()?;
    let message = message.map(|text| utf8(text, "message")).transpose()?;
    let (view, progressing) = (msg.get().view(py)?, msg.get().progressing());
    let (progress, total) = (progress.as_bytes(), total.as_ref().map(Json::as_bytes));
    let work = |_: &mut [u64], out: &mut [u8]| {
        lock(progressing).emit(&view, progress, total, message, out).map(|len| ((), len))
    };
    emit(py, message.map_or(0, str::len), work).map(|((), bytes)| any(bytes))
}

/// A log message; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (msg, level, data, logger=None))]
pub(crate) fn log<'py>(
    py: Python<'py>,
    msg: &Bound<'_, Message>,
    level: &Bound<'py, PyString>,
    data: &Bound<'py, PyAny>,
    logger: Option<&Bound<'py, PyString>>,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let unknown = || PyValueError::new_err("level must be one of the eight of RFC 5424, such as \"info\"");
    let level = LogLevel::parse(&lossy(level)).ok_or_else(unknown)?;
    let view = msg.get().view(py)?;
    if !view.wants_log(level) {
        return Ok(None); // before the data is looked at: most log messages are wanted by nobody
    }
    let json = dump(data, "data")?;
    let data = json.as_bytes();
    let logger = logger.map(|text| utf8(text, "logger")).transpose()?;
    let work =
        |scratch: &mut [u64], out: &mut [u8]| reply::log(&view, level, data, logger, scratch, out).map(|len| ((), len));
    emit(py, data.len(), work).map(|((), bytes)| any(bytes))
}

/// The lock; a panic while it was held has left nothing half done that matters here.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The open subscriptions of a server; see `_native.pyi`.
#[pyclass(frozen, module = "wireseal")]
pub(crate) struct Subscriptions {
    offered: Offered,
    max_open: usize,
    open: Mutex<Vec<Py<Message>>>,
}

impl Subscriptions {
    /// The open ones as they are now. What follows may run Python code, which may lead back here.
    fn all(&self, py: Python<'_>) -> Vec<Py<Message>> {
        lock(&self.open).iter().map(|msg| msg.clone_ref(py)).collect()
    }

    /// Takes out those that match, and gives them back to be dropped where no lock is held.
    fn take(&self, matches: impl Fn(&Py<Message>) -> bool) -> Vec<Py<Message>> {
        lock(&self.open).extract_if(.., |msg| matches(msg)).collect()
    }

    fn tell<'py>(&self, py: Python<'py>, change: &Change<'_>) -> PyResult<Vec<(Py<Message>, Bound<'py, PyBytes>)>> {
        let mut told = Vec::new();
        for msg in self.all(py) {
            let view = msg.get().view(py)?;
            let work = |_: &mut [u64], out: &mut [u8]| -> Result<((), usize), ReplyError<'_>> {
                let subscription = reply::Subscription::of(&view, self.offered)?;
                Ok(((), subscription.notify(change, out)?))
            };
            let ((), bytes) = emit(py, 0, work)?;
            if let Some(bytes) = any(bytes) {
                told.push((msg, bytes));
            }
        }
        Ok(told)
    }
}

#[pymethods]
impl Subscriptions {
    #[new]
    #[pyo3(signature = (*, tools=false, prompts=false, resources=false, updates=false, max_open=None))]
    #[pyo3(text_signature = "(*, tools=False, prompts=False, resources=False, updates=False, max_open=1024)")]
    fn new(
        tools: bool,
        prompts: bool,
        resources: bool,
        updates: bool,
        max_open: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let max_open = max_open.map_or(Ok(1024), |count| integer(count, "max_open"))?;
        Ok(Subscriptions { offered: Offered { tools, prompts, resources, updates }, max_open, open: Mutex::default() })
    }

    fn __len__(&self) -> usize {
        lock(&self.open).len()
    }

    /// See `_native.pyi`.
    fn acknowledge<'py>(&self, py: Python<'py>, msg: &Bound<'_, Message>) -> PyResult<Bound<'py, PyBytes>> {
        let view = msg.get().view(py)?;
        let work = |_: &mut [u64], out: &mut [u8]| -> Result<((), usize), ReplyError<'_>> {
            let subscription = reply::Subscription::of(&view, self.offered)?;
            Ok(((), subscription.acknowledge(out)?))
        };
        let ((), bytes) = emit(py, view.body().len(), work)?;
        let mut open = lock(&self.open);
        let refusal = if open.iter().any(|other| other.is(msg)) {
            Reason::DuplicateId
        } else if open.len() >= self.max_open {
            Reason::SubscriptionsFull
        } else {
            open.push(msg.clone().unbind());
            return Ok(bytes);
        };
        drop(open);
        Err(rejected(py, &Rejected::after_admission(Some(&view), refusal)))
    }

    /// See `_native.pyi`.
    fn changed<'py>(
        &self,
        py: Python<'py>,
        list: &Bound<'py, PyString>,
    ) -> PyResult<Vec<(Py<Message>, Bound<'py, PyBytes>)>> {
        let change = match &*lossy(list) {
            "tools" => Change::Tools,
            "prompts" => Change::Prompts,
            "resources" => Change::Resources,
            _ => return Err(PyValueError::new_err("list must be \"tools\", \"prompts\" or \"resources\"")),
        };
        self.tell(py, &change)
    }

    /// See `_native.pyi`.
    fn updated<'py>(
        &self,
        py: Python<'py>,
        uri: &Bound<'py, PyString>,
    ) -> PyResult<Vec<(Py<Message>, Bound<'py, PyBytes>)>> {
        self.tell(py, &Change::Resource(utf8(uri, "uri")?))
    }

    /// See `_native.pyi`.
    #[pyo3(signature = (msg, *, server_info=None))]
    fn end<'py>(
        &self,
        py: Python<'py>,
        msg: &Bound<'_, Message>,
        server_info: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let own = self::server_info(server_info)?;
        let info = own.as_ref().map(Json::as_bytes).or_else(|| msg.get().server_info(py));
        if !lock(&self.open).iter().any(|other| other.is(msg)) {
            return Ok(None);
        }
        let view = msg.get().view(py)?;
        let work = |scratch: &mut [u64], out: &mut [u8]| -> Result<((), usize), ReplyError<'_>> {
            let subscription = reply::Subscription::of(&view, self.offered)?;
            Ok(((), subscription.end(info, scratch, out)?))
        };
        let ((), bytes) = emit(py, info.map_or(0, <[u8]>::len), work)?;
        // Of two threads that end it at once, one has the answer to send.
        Ok(if self.take(|other| other.is(msg)).is_empty() { None } else { Some(bytes) })
    }

    /// See `_native.pyi`.
    fn discard(&self, msg: &Bound<'_, Message>) -> bool {
        !self.take(|other| other.is(msg)).is_empty()
    }

    /// See `_native.pyi`.
    fn cancel(&self, py: Python<'_>, request_id: &Bound<'_, PyAny>) -> PyResult<bool> {
        let json = host_id(request_id, "request_id")?;
        let id = id_in(&json, "request_id")?;
        let same = |msg: &Py<Message>| {
            let own = msg.get().view(py).ok().and_then(|view| view.id());
            matches!((own, id), (Some(own), Some(id)) if own.is_same(&id))
        };
        Ok(!self.take(same).is_empty())
    }

    /// Lets the collector see the requests.
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Ok(open) = self.open.try_lock() else { return Ok(()) };
        open.iter().try_for_each(|msg| visit.call(msg))
    }

    fn __clear__(&self) {
        let all = std::mem::take(&mut *lock(&self.open));
        drop(all);
    }

    fn __repr__(&self) -> String {
        format!("<wireseal.Subscriptions open={}>", self.__len__())
    }
}
