//! The policy: the host's settings, validated once.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};
use wireseal::json::scratch_len;
use wireseal::limits::{DEFAULT_MAX_BYTES, DEFAULT_MAX_DEPTH, MAX_BODY_BYTES, MAX_DEPTH};
use wireseal::reply::check_server_info;
use wireseal::{Era, Misuse, Version, VersionSet};

use crate::convert::{integer, strings};
use crate::error::misuse;
use crate::json::{checked, dump_object};
use crate::scratch::with_scratch;

/// Which origins may pass.
enum Origins {
    Loopback,
    Any,
    List(Vec<String>),
}

/// What a server serves and what it lets through; see `_native.pyi`.
#[pyclass(frozen, module = "wireseal")]
pub(crate) struct Policy {
    versions: VersionSet,
    legacy: VersionSet,
    methods: Option<Vec<String>>,
    server_info: Option<Py<PyBytes>>,
    max_bytes: usize,
    max_depth: usize,
    allowed_origins: Origins,
    allowed_hosts: Option<Vec<String>>,
}

/// The policy of a host that gives none.
pub(crate) const DEFAULT: wireseal::Policy<'static, String> = wireseal::Policy::new();

impl Policy {
    /// The core's view of the settings.
    pub(crate) fn settings(&self) -> wireseal::Policy<'_, String> {
        wireseal::Policy {
            versions: self.versions,
            legacy: self.legacy,
            methods: self.methods.as_deref(),
            max_bytes: self.max_bytes,
            max_depth: self.max_depth,
            allowed_origins: match &self.allowed_origins {
                Origins::Loopback => wireseal::Origins::Loopback,
                Origins::Any => wireseal::Origins::Any,
                Origins::List(list) => wireseal::Origins::List(list),
            },
            allowed_hosts: self.allowed_hosts.as_deref(),
        }
    }

    /// The server's identity, as JSON.
    pub(crate) fn server_info(&self) -> Option<&Py<PyBytes>> {
        self.server_info.as_ref()
    }
}

#[pymethods]
impl Policy {
    #[new]
    #[pyo3(signature = (
        *,
        versions=None,
        legacy=None,
        methods=None,
        server_info=None,
        max_bytes=None,
        max_depth=None,
        allowed_origins=None,
        allowed_hosts=None,
    ))]
    #[pyo3(text_signature = "(*, versions=..., legacy=(), methods=None, server_info=None, \
                             max_bytes=4194304, max_depth=64, allowed_origins=None, allowed_hosts=None)")]
    #[allow(clippy::too_many_arguments)] // one for each keyword of the contract
    fn new(
        py: Python<'_>,
        versions: Option<&Bound<'_, PyAny>>,
        legacy: Option<&Bound<'_, PyAny>>,
        methods: Option<&Bound<'_, PyAny>>,
        server_info: Option<&Bound<'_, PyAny>>,
        max_bytes: Option<&Bound<'_, PyAny>>,
        max_depth: Option<&Bound<'_, PyAny>>,
        allowed_origins: Option<&Bound<'_, PyAny>>,
        allowed_hosts: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let policy = Policy {
            versions: version_set(versions, "versions", Era::Modern)?.unwrap_or(DEFAULT.versions),
            legacy: version_set(legacy, "legacy", Era::Legacy)?.unwrap_or(DEFAULT.legacy),
            methods: methods.map(|methods| strings(methods, "methods")).transpose()?,
            server_info: server_info.map(|info| implementation(py, info)).transpose()?,
            max_bytes: limit(max_bytes, "max_bytes", MAX_BODY_BYTES)?.unwrap_or(DEFAULT_MAX_BYTES),
            max_depth: limit(max_depth, "max_depth", MAX_DEPTH)?.unwrap_or(DEFAULT_MAX_DEPTH),
            allowed_origins: origins(allowed_origins)?,
            allowed_hosts: allowed_hosts.map(|hosts| strings(hosts, "allowed_hosts")).transpose()?,
        };
        policy.settings().check().map_err(misuse)?;
        Ok(policy)
    }

    #[getter]
    fn versions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        names(py, self.versions)
    }

    #[getter]
    fn legacy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        names(py, self.legacy)
    }

    #[getter]
    fn methods<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.methods.as_ref().map(|methods| PyTuple::new(py, methods)).transpose()
    }

    #[getter(server_info)]
    fn server_info_json<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        self.server_info.as_ref().map(|info| info.bind(py).clone())
    }

    #[getter]
    fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    #[getter]
    fn max_depth(&self) -> usize {
        self.max_depth
    }

    #[getter]
    fn allowed_origins<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.allowed_origins {
            Origins::Loopback => Ok(None),
            Origins::Any => Ok(Some(PyString::intern(py, "*").into_any())),
            Origins::List(list) => Ok(Some(PyTuple::new(py, list)?.into_any())),
        }
    }

    #[getter]
    fn allowed_hosts<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyTuple>>> {
        self.allowed_hosts.as_ref().map(|hosts| PyTuple::new(py, hosts)).transpose()
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "Policy(versions={}, legacy={}, max_bytes={}, max_depth={})",
            names(py, self.versions)?.repr()?,
            names(py, self.legacy)?.repr()?,
            self.max_bytes,
            self.max_depth,
        ))
    }
}

/// Identifiers of revisions, all of one era.
fn version_set(value: Option<&Bound<'_, PyAny>>, what: &str, era: Era) -> PyResult<Option<VersionSet>> {
    let Some(value) = value else { return Ok(None) };
    let mut versions = Vec::new();
    for text in strings(value, what)? {
        match Version::parse(text.as_bytes()) {
            Some(version) if version.era() == era => versions.push(version),
            _ => return Err(PyValueError::new_err(format!("{what}: {}", Misuse::UnknownVersion.message()))),
        }
    }
    Ok(Some(VersionSet::of(&versions)))
}

/// The identifiers of a set, the newest first.
fn names(py: Python<'_>, versions: VersionSet) -> PyResult<Bound<'_, PyTuple>> {
    PyTuple::new(py, versions.iter().map(Version::as_str).collect::<Vec<_>>())
}

/// A limit from 1 to `most`.
fn limit(value: Option<&Bound<'_, PyAny>>, what: &str, most: usize) -> PyResult<Option<usize>> {
    let Some(value) = value else { return Ok(None) };
    let limit: usize = integer(value, what)?;
    if limit == 0 || limit > most {
        return Err(PyValueError::new_err(format!("{what} must be from 1 to {most}")));
    }
    Ok(Some(limit))
}

fn origins(value: Option<&Bound<'_, PyAny>>) -> PyResult<Origins> {
    let Some(value) = value else { return Ok(Origins::Loopback) };
    if value.cast::<PyString>().is_ok_and(|text| text.to_str().is_ok_and(|text| text == "*")) {
        return Ok(Origins::Any);
    }
    strings(value, "allowed_origins").map(Origins::List)
}

/// The server's identity as JSON, checked to be an object now rather than at the first answer.
pub(crate) fn implementation(py: Python<'_>, value: &Bound<'_, PyAny>) -> PyResult<Py<PyBytes>> {
    let json = dump_object(value, "server_info")?;
    let bytes = checked(&json, "server_info")?.as_bytes();
    let short = |result: &Result<(), Misuse>| *result == Err(Misuse::ScratchTooSmall);
    with_scratch(scratch_len(bytes.len()), short, |scratch| check_server_info(bytes, scratch)).map_err(misuse)?;
    Ok(PyBytes::new(py, bytes).unbind())
}
