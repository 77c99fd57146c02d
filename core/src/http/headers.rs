//! Which header fields the protocol reads, and which of them came twice.

use heapless::Vec;

use super::trim;
use crate::limits::MAX_PARAM_HEADERS;

/// A header field whose name begins with `Mcp-Param-`: the rest of the name, and the value.
pub(crate) type ParamHeader<'h> = (&'h [u8], &'h [u8]);

/// The header fields of one request that the protocol reads. Values are trimmed of optional white space
/// (HDR-10); names are compared without regard to case (HDR-09).
#[derive(Clone, Debug, Default)]
pub struct Headers<'h> {
    pub(crate) version: Option<&'h [u8]>,
    pub(crate) method: Option<&'h [u8]>,
    pub(crate) name: Option<&'h [u8]>,
    pub(crate) session: Option<&'h [u8]>,
    pub(crate) content_type: Option<&'h [u8]>,
    pub(crate) origin: Option<&'h [u8]>,
    pub(crate) host: Option<&'h [u8]>,
    /// Read on a legacy GET; on a POST it says nothing, once or twice (HTTP-14).
    pub(crate) last_event_id: Option<&'h [u8]>,
    pub(crate) last_event_id_repeated: bool,
    pub(crate) accept: Accept,
    pub(crate) params: Vec<ParamHeader<'h>, MAX_PARAM_HEADERS>,
    /// A routing header came twice (HDR-14).
    pub(crate) repeated: bool,
    pub(crate) content_type_repeated: bool,
    pub(crate) origin_repeated: bool,
    pub(crate) host_repeated: bool,
    pub(crate) too_many_params: bool,
}

/// What all `Accept` fields together say about the two types that a server answers with.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Accept {
    pub(crate) present: bool,
    json: Preference,
    events: Preference,
}

/// What is said of one type: the most specific range wins (RFC 9110, 12.5.1).
#[derive(Clone, Copy, Debug, Default)]
struct Preference {
    /// 0: not named, 1: `*/*`, 2: `type/*`, 3: the type itself.
    specificity: u8,
    allowed: bool,
}

impl<'h> Headers<'h> {
    /// Sorts out the fields of a request, given in the order they arrived, each copy on its own.
    pub fn collect(fields: impl IntoIterator<Item = (&'h [u8], &'h [u8])>) -> Self {
        let mut headers = Headers::default();
        for (name, value) in fields {
            headers.add(name, value);
        }
        headers
    }

    /// Takes in one more field, the next in the order they arrived.
    pub fn add(&mut self, name: &'h [u8], value: &'h [u8]) {
        let value = trim(value);
        let is = |known: &str| name.eq_ignore_ascii_case(known.as_bytes());
        // By length first: of the dozen headers a request has, most are none of these.
        match name.len() {
            4 if is("host") => set(&mut self.host, value, &mut self.host_repeated),
            6 if is("origin") => set(&mut self.origin, value, &mut self.origin_repeated),
            6 if is("accept") => self.accept.add(value),
            8 if is("mcp-name") => set(&mut self.name, value, &mut self.repeated),
            10 if is("mcp-method") => set(&mut self.method, value, &mut self.repeated),
            12 if is("content-type") => set(&mut self.content_type, value, &mut self.content_type_repeated),
            13 if is("last-event-id") => set(&mut self.last_event_id, value, &mut self.last_event_id_repeated),
            14 if is("mcp-session-id") => set(&mut self.session, value, &mut self.repeated),
            20 if is("mcp-protocol-version") => set(&mut self.version, value, &mut self.repeated),
            _ => self.add_param(name, value),
        }
    }

    fn add_param(&mut self, name: &'h [u8], value: &'h [u8]) {
        let Some((prefix, rest)) = name.split_at_checked(10) else { return };
        if !prefix.eq_ignore_ascii_case(b"mcp-param-") {
            return;
        }
        self.repeated |= self.params.iter().any(|(other, _)| other.eq_ignore_ascii_case(rest));
        self.too_many_params |= self.params.push((rest, value)).is_err();
    }
}

fn set<'h>(slot: &mut Option<&'h [u8]>, value: &'h [u8], repeated: &mut bool) {
    *repeated |= slot.is_some();
    *slot = Some(value);
}

impl Accept {
    /// Whether both types that a server may answer with are acceptable.
    pub(crate) const fn both(&self) -> bool {
        self.json.allowed && self.events.allowed
    }

    /// Whether an event stream is acceptable.
    pub(crate) const fn events(&self) -> bool {
        self.events.allowed
    }

    /// Takes in one field: media ranges with parameters, separated by commas (RFC 9110, 12.5.1).
    fn add(&mut self, value: &[u8]) {
        self.present = true;
        for range in value.split(|&byte| byte == b',') {
            let mut parts = range.split(|&byte| byte == b';').map(trim);
            let media = parts.next().unwrap_or_default();
            let allowed = !parts.any(is_zero_weight);
            let is = |known: &str| media.eq_ignore_ascii_case(known.as_bytes());
            if is("*/*") {
                self.json.note(1, allowed);
                self.events.note(1, allowed);
            } else if is("application/*") {
                self.json.note(2, allowed);
            } else if is("text/*") {
                self.events.note(2, allowed);
            } else if is("application/json") {
                self.json.note(3, allowed);
            } else if is("text/event-stream") {
                self.events.note(3, allowed);
            }
        }
    }
}

impl Preference {
    fn note(&mut self, specificity: u8, allowed: bool) {
        if specificity > self.specificity {
            *self = Preference { specificity, allowed };
        } else if specificity == self.specificity {
            self.allowed |= allowed;
        }
    }
}

/// `q=0`, with up to three zeros after the point.
fn is_zero_weight(parameter: &[u8]) -> bool {
    match parameter {
        [b'q' | b'Q', b'=', b'0'] => true,
        [b'q' | b'Q', b'=', b'0', b'.', zeros @ ..] => zeros.len() <= 3 && zeros.iter().all(|&byte| byte == b'0'),
        _ => false,
    }
}

/// Whether a `Content-Type` is `application/json`, whatever its parameters say: the body is UTF-8 (RFC 8259).
pub(crate) fn is_json(content_type: &[u8]) -> bool {
    let media = content_type.split(|&byte| byte == b';').next().unwrap_or_default();
    trim(media).eq_ignore_ascii_case(b"application/json")
}
