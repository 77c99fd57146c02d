//! What a client declared that it can do, against what serving its request needs (design.md's rung 13).
//!
//! Capabilities are two levels deep: the capability, and below it a mode or an extension's id. What is deeper
//! are settings, which the host reads itself.

use crate::json::{Raw, Text, ValueKind};
use crate::reason::Misuse;
use crate::reject::Rejected;
use crate::wire::{Admitted, is_written_extension};

/// What a question to the client needs of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    ElicitationForm,
    ElicitationUrl,
    Sampling,
    SamplingTools,
    SamplingContext,
    Roots,
}

impl Need {
    /// The client capabilities that meet the need, as a JSON object.
    pub(crate) const fn required(self) -> &'static [u8] {
        match self {
            Need::ElicitationForm => br#"{"elicitation":{"form":{}}}"#,
            Need::ElicitationUrl => br#"{"elicitation":{"url":{}}}"#,
            Need::Sampling => br#"{"sampling":{}}"#,
            Need::SamplingTools => br#"{"sampling":{"tools":{}}}"#,
            Need::SamplingContext => br#"{"sampling":{"context":{}}}"#,
            Need::Roots => br#"{"roots":{}}"#,
        }
    }
}

/// Whether the declared capabilities meet the need.
pub(crate) fn covers(declared: Option<Raw<'_>>, need: Need) -> bool {
    covers_all(declared, Raw::from_checked(need.required()))
}

/// Whether one member of an object of required capabilities is met: the capability is declared, and so is
/// everything that `value` names inside it.
pub(crate) fn satisfied(declared: Option<Raw<'_>>, name: Text<'_>, value: Raw<'_>) -> bool {
    let Some(declared) = declared.and_then(|all| object(all, name)) else {
        return false;
    };
    let elicitation = name == *"elicitation";
    if elicitation && has_form(value) && !has_form(declared) {
        return false;
    }
    value.members().all(|(mode, _)| (elicitation && mode == *"form") || object(declared, mode).is_some())
}

/// Every capability is an object, and so is each member below those whose members are fixed (CAP-01).
pub(crate) fn are_capabilities(capabilities: Raw<'_>) -> bool {
    let object = |value: Raw<'_>| value.kind() == ValueKind::Object;
    capabilities.members().all(|(name, value)| {
        object(value)
            && value.members().all(|(inner, value)| {
                let fixed = (name == "elicitation" && (inner == "form" || inner == "url"))
                    || (name == "sampling" && (inner == "context" || inner == "tools"))
                    || name == "extensions"
                    || name == "experimental";
                !fixed || object(value)
            })
    })
}

/// Checks capabilities that the host writes, such as those for [`require`]: an object, shaped like
/// `ClientCapabilities`, with ids of extensions that follow their grammar (EXT-02). What comes from a client is not held to
/// that grammar: see [`is_extension_id`](crate::is_extension_id).
///
/// # Errors
///
/// [`Misuse::HostJsonNotObject`], [`Misuse::Capabilities`].
pub fn check_capabilities(capabilities: Raw<'_>) -> Result<(), Misuse> {
    if capabilities.kind() != ValueKind::Object {
        Err(Misuse::HostJsonNotObject)
    } else if are_capabilities(capabilities) && has_extension_ids(capabilities) {
        Ok(())
    } else {
        Err(Misuse::Capabilities)
    }
}

fn has_extension_ids(capabilities: Raw<'_>) -> bool {
    let extensions = capabilities.get("extensions");
    extensions.is_none_or(|extensions| extensions.members().all(|(id, _)| is_written_extension(id)))
}

/// Refuses the request unless its client declared everything that `required` names, for a handler that cannot
/// serve it otherwise. `required` has the shape of `ClientCapabilities`, such as `{"sampling":{"tools":{}}}` or
/// `{"extensions":{"com.example/x":{}}}`; `{"elicitation":{}}` means the same as `{"elicitation":{"form":{}}}`.
/// Only this request's declaration counts (basic/index, `_meta`).
///
/// # Errors
///
/// [`Reason::MissingCapability`](crate::Reason::MissingCapability) (-32021, HTTP 400), whose data names the
/// members of `required` that are missing. A `required` that is not an object is never met.
pub fn require<'a>(msg: &Admitted<'a>, required: Raw<'a>) -> Result<(), Rejected<'a>> {
    let declared = msg.capabilities();
    if required.kind() == ValueKind::Object && covers_all(declared, required) {
        return Ok(());
    }
    Err(Rejected::missing_capability(msg, required))
}

fn covers_all(declared: Option<Raw<'_>>, required: Raw<'_>) -> bool {
    required.members().all(|(name, value)| satisfied(declared, name, value))
}

/// Whether an elicitation capability has the form mode: it says so, or it says nothing of modes, as clients did
/// before there was another one.
fn has_form(elicitation: Raw<'_>) -> bool {
    object(elicitation, Text::plain("form")).is_some() || object(elicitation, Text::plain("url")).is_none()
}

/// The member with this name, if it is an object; nothing else declares a capability.
fn object<'a>(parent: Raw<'a>, name: Text<'_>) -> Option<Raw<'a>> {
    let (_, value) = parent.members().find(|(key, _)| *key == name)?;
    if value.kind() == ValueKind::Object { Some(value) } else { None }
}
