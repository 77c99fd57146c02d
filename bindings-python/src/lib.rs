//! The Python module of WireSeal.
//!
//! It converts types and lends memory; every decision is taken by the core. Nothing here may hold a rule of
//! the protocol: if the core lacks one, it is added there.
#![forbid(unsafe_code)]

use pyo3::prelude::*;

mod answers;
mod client;
mod codec;
mod convert;
mod error;
mod headers;
mod json;
mod legacy;
mod message;
mod nonces;
mod notice;
mod once;
mod param;
mod policy;
mod reply;
mod scratch;
mod seal;
mod stream;
mod testing;
mod values;

/// The compiled half of the package `wireseal`.
#[pymodule]
mod _native {
    use pyo3::prelude::*;
    use pyo3::types::PyTuple;
    use wireseal::Reason;

    #[pymodule_export]
    use crate::answers::{check_elicitation, check_input_responses};
    #[pymodule_export]
    use crate::client::{Probe, Received, initialize, probe, read_result, request, retry};
    #[pymodule_export]
    use crate::codec::CodecRing;
    #[pymodule_export]
    use crate::legacy::{
        LegacyEvent, LegacySession, admit_batch, admit_stream, batch_answer, session_id, session_not_found,
    };
    #[pymodule_export]
    use crate::message::{Message, admit};
    #[pymodule_export]
    use crate::notice::{Subscriptions, log, notification, progress};
    #[pymodule_export]
    use crate::once::{OnceClaim, OnceTable, once_settings, once_time};
    #[pymodule_export]
    use crate::param::{ParamHeaders, param_headers};
    #[pymodule_export]
    use crate::policy::Policy;
    #[pymodule_export]
    use crate::reply::{complete, elicit, elicit_url, error, input_required, list_roots, resource_not_found, sample};
    #[pymodule_export]
    use crate::seal::{Opened, Sealer};
    #[pymodule_export]
    use crate::stream::{LineFramer, SseReader, sse_comment, sse_event};
    #[pymodule_export]
    use crate::values::{header_decode, header_encode};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        let py = module.py();
        let rows: Vec<_> = Reason::ALL.iter().map(|r| (r.name(), r.code(), r.status(), r.message())).collect();
        module.add("REASONS", PyTuple::new(py, rows)?)?;
        let rows: Vec<_> = wireseal::DEPRECATED
            .iter()
            .map(|one| (one.name, one.feature, one.since.as_str(), one.earliest_removal, one.instead))
            .collect();
        module.add("DEPRECATED", PyTuple::new(py, rows)?)?;
        crate::nonces::watch_forks(py)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))?;
        // Set, not added: the hooks are no part of what the module exports.
        module.setattr("_testing", pyo3::wrap_pymodule!(crate::testing::hooks)(py))
    }
}
