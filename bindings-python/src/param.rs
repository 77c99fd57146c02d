//! Tool parameters in headers: a compiled schema, and the host's tools as `admit` asks for them.

use std::sync::OnceLock;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use wireseal::json::{Raw, Text, ValueKind, scratch_len};
use wireseal::{Headers, Misuse, ParamSource, ParamTable, Rejected, SchemaError, SchemaFault};

use crate::convert::{string, wrong_type};
use crate::error::{emitted, fault, misuse, rejected};
use crate::headers::Fields;
use crate::json::{Json, checked, dump_object};
use crate::scratch::with_scratch;

/// How much of a fault's place is shown, in characters: property names can be of any length.
const SHOWN: usize = 200;

/// The mirrored parameters of one tool; see `_native.pyi`.
#[pyclass(frozen, module = "wireseal")]
pub(crate) struct ParamHeaders {
    schema: Box<[u8]>,
    table: ParamTable,
}

/// Compiles a tool's schema; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (schema))]
pub(crate) fn param_headers(schema: &Bound<'_, PyAny>) -> PyResult<ParamHeaders> {
    ParamHeaders::compile(schema, "schema")
}

impl ParamHeaders {
    fn compile(schema: &Bound<'_, PyAny>, what: &str) -> PyResult<Self> {
        let json = dump_object(schema, what)?;
        let bytes = json.as_bytes();
        let short = |result: &Result<ParamTable, SchemaError>| {
            result.as_ref().is_err_and(|error| error.fault == SchemaFault::ScratchTooSmall)
        };
        with_scratch(scratch_len(bytes.len()), short, |scratch| ParamTable::compile(bytes, scratch))
            .map(|table| ParamHeaders { schema: bytes.into(), table })
            .map_err(|error| invalid(&error, bytes, what))
    }

    /// What the host gave for one tool: compiled already, or its schema.
    pub(crate) fn given<'py>(tool_schema: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Self>> {
        match tool_schema.cast::<ParamHeaders>() {
            Ok(compiled) => Ok(compiled.clone()),
            Err(_) => Bound::new(tool_schema.py(), Self::compile(tool_schema, "tool_schema")?),
        }
    }

    pub(crate) fn view(&self) -> Option<wireseal::ParamHeaders<'_>> {
        self.table.view(&self.schema)
    }
}

/// The exception for a schema that is refused: what is wrong, where, and the stable name of the fault.
fn invalid(error: &SchemaError, schema: &[u8], what: &str) -> PyErr {
    let place = if error.fault.is_of_header() {
        match emitted(|out| error.emit_pointer(schema, out)) {
            Ok(pointer) => format!("at \"{}\"", shortened(&String::from_utf8_lossy(&pointer))),
            Err(fault) => return fault,
        }
    } else {
        format!("at byte {}", error.offset)
    };
    PyValueError::new_err(format!("{what}: {}, {place} ({})", error.fault.message(), error.fault.name()))
}

fn shortened(text: &str) -> String {
    let mut shown: String = text.chars().take(SHOWN).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

/// Arguments that the host gave: an object, or none, which `null` stands for as it does in a message.
fn arguments<'a>(json: Option<&'a Json<'_>>) -> PyResult<Option<Raw<'a>>> {
    let Some(json) = json else { return Ok(None) };
    let raw = checked(json, "arguments")?;
    match raw.kind() {
        ValueKind::Object | ValueKind::Null => Ok(Some(raw)),
        _ => Err(misuse(Misuse::HostJsonNotObject)),
    }
}

#[pymethods]
impl ParamHeaders {
    #[getter]
    fn names<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        let view = self.view().ok_or_else(fault)?;
        let names = view.names().map(|name| text(py, &emitted(|out| name.emit(out))?));
        PyTuple::new(py, names.collect::<PyResult<Vec<_>>>()?)
    }

    #[pyo3(signature = (arguments))]
    fn emit<'py>(&self, py: Python<'py>, arguments: Option<&Bound<'py, PyAny>>) -> PyResult<Bound<'py, PyDict>> {
        let json = arguments.map(|given| dump_object(given, "arguments")).transpose()?;
        let fields = self.view().ok_or_else(fault)?.emit(self::arguments(json.as_ref())?).map_err(misuse)?;
        let headers = PyDict::new(py);
        for field in fields {
            let name = text(py, &emitted(|out| field.name().emit(out))?)?;
            headers.set_item(name, text(py, &emitted(|out| field.emit_value(out))?)?)?;
        }
        Ok(headers)
    }

    #[pyo3(signature = (arguments, headers))]
    fn verify(&self, py: Python<'_>, arguments: Option<&Bound<'_, PyAny>>, headers: &Bound<'_, PyAny>) -> PyResult<()> {
        let json = arguments.map(|given| dump_object(given, "arguments")).transpose()?;
        let arguments = self::arguments(json.as_ref())?;
        let fields = Fields::gather(headers)?;
        let mut read = Headers::default();
        fields.read(&mut read)?;
        let verdict = self.view().ok_or_else(fault)?.verify(arguments, &read);
        verdict.map_err(|reason| rejected(py, &Rejected::after_admission(None, reason)))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("<wireseal.ParamHeaders {}>", self.names(py)?.repr()?))
    }
}

/// Names and values of header fields are ASCII.
fn text<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    PyString::from_bytes(py, bytes)
}

/// The host's tools, asked for the one that is called.
pub(crate) struct Tools {
    callable: Py<PyAny>,
    /// What the host said, or what it raised.
    answer: OnceLock<PyResult<Option<Py<ParamHeaders>>>>,
}

impl Tools {
    pub(crate) fn new(callable: &Bound<'_, PyAny>) -> PyResult<Self> {
        if !callable.is_callable() {
            return Err(wrong_type(callable, "tool_schema", "a callable from a tool's name to its schema, or None"));
        }
        Ok(Tools { callable: callable.clone().unbind(), answer: OnceLock::new() })
    }

    /// What the host raised when it was asked, or its schema's fault. Neither is the peer's.
    pub(crate) fn into_fault(self) -> Option<PyErr> {
        self.answer.into_inner()?.err()
    }

    fn ask(&self, py: Python<'_>, tool: &Text<'_>) -> PyResult<Option<Py<ParamHeaders>>> {
        let said = self.callable.bind(py).call1((string(py, tool)?,))?;
        if said.is_none() {
            return Ok(None);
        }
        if let Ok(compiled) = said.cast::<ParamHeaders>() {
            return Ok(Some(compiled.clone().unbind()));
        }
        if said.is_instance_of::<PyString>() {
            return Err(PyTypeError::new_err("tool_schema must return a schema, ParamHeaders or None, not str"));
        }
        Py::new(py, ParamHeaders::compile(&said, "the schema from tool_schema")?).map(Some)
    }
}

impl ParamSource for Tools {
    fn param_headers(&self, tool: Text<'_>) -> Option<wireseal::ParamHeaders<'_>> {
        // Asked once for each message: the ladder may be climbed again with more scratch.
        let answer = self.answer.get_or_init(|| Python::attach(|py| self.ask(py, &tool)));
        answer.as_ref().ok()?.as_ref()?.get().view()
    }
}
