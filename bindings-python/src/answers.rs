//! What came back for a question: checked against what was asked.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use wireseal::{ContentError, Rejected, Verdict, check_content};

use crate::convert::string;
use crate::error::{misuse, rejected};
use crate::json::{checked, dump_object};
use crate::message::Message;

/// Checks the content of an accepted form; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (requested_schema, content, *, msg=None))]
pub(crate) fn check_elicitation(
    py: Python<'_>,
    requested_schema: &Bound<'_, PyAny>,
    content: &Bound<'_, PyAny>,
    msg: Option<&Bound<'_, Message>>,
) -> PyResult<()> {
    let schema = dump_object(requested_schema, "requested_schema")?;
    let content = dump_object(content, "content")?;
    let request = msg.map(|msg| msg.get().view(py)).transpose()?;
    match check_content(checked(&schema, "requested_schema")?, checked(&content, "content")?) {
        Ok(()) => Ok(()),
        Err(ContentError::Misuse(fault)) => Err(misuse(fault)),
        Err(ContentError::Refused { reason, member }) => {
            Err(rejected(py, &Rejected::after_admission(request.as_ref(), reason).with_member(member)))
        }
    }
}

/// What is missing and what is wrong among the answers of a retry; see `_native.pyi`.
#[pyfunction]
#[pyo3(signature = (requests, responses, *, msg=None))]
pub(crate) fn check_input_responses<'py>(
    py: Python<'py>,
    requests: &Bound<'py, PyAny>,
    responses: Option<&Bound<'py, PyAny>>,
    msg: Option<&Bound<'_, Message>>,
) -> PyResult<(Vec<Bound<'py, PyString>>, Bound<'py, PyDict>)> {
    let requests = dump_object(requests, "requests")?;
    let responses = responses.map(|all| dump_object(all, "responses")).transpose()?;
    let responses = responses.as_ref().map(|all| checked(all, "responses")).transpose()?;
    let request = msg.map(|msg| msg.get().view(py)).transpose()?;
    let mut verdicts = Vec::new();
    wireseal::check_input_responses(checked(&requests, "requests")?, responses, |key, verdict| {
        verdicts.push((key, verdict));
    })
    .map_err(misuse)?;
    let (mut missing, invalid) = (Vec::new(), PyDict::new(py));
    for (key, verdict) in verdicts {
        let key = string(py, &key)?;
        match verdict {
            Verdict::Answered => {}
            Verdict::Missing => missing.push(key),
            Verdict::Invalid { reason, member } => {
                let refusal: Rejected<'_> = Rejected::after_admission(request.as_ref(), reason).with_member(member);
                invalid.set_item(key, rejected(py, &refusal).into_value(py))?;
            }
        }
    }
    Ok((missing, invalid))
}
