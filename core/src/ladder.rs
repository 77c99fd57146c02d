//! The one entry for what comes in: every check, in one order, and the first that fails decides.
//!
//! The rungs: 1 HTTP, 2 bytes and JSON, 3 headers sent twice, 4 shape, 5 era, 6 the required `_meta`, 7 headers
//! against the body, 8 version, 9 the other `_meta` fields, 10 the params that the protocol reads, 11 tool parameters
//! in headers, 12 method. (13, capabilities, is asked for by the handler.)

use crate::capability::are_capabilities;
use crate::http::{Headers, ParamSource, host_allowed, is_field_text, is_json, matches, origin_allowed};
use crate::json::scan::{Field, Fields, scan};
use crate::json::{Raw, Text, ValueKind};
use crate::limits::MAX_BODY_BYTES;
use crate::policy::Policy;
use crate::reason::Reason;
use crate::reject::{Answer, Rejected};
use crate::wire::{Admitted, Era, Id, Kind, LogLevel, Method, NameSource, Spans, Version, VersionSet, is_integer};

/// What the host knows about a message beside its bytes.
#[derive(Clone, Debug)]
pub struct Context<'h> {
    /// The HTTP method; not looked at without headers.
    pub http_method: &'h str,
    /// The header fields; `None` on stdio.
    pub headers: Option<&'h Headers<'h>>,
    /// The revision that the session's handshake settled on, where the host keeps legacy sessions.
    pub legacy_version: Option<Version>,
    /// Where the schemas of the tools are, for [`Reason::ParamMismatch`] and its like; `None` leaves the `Mcp-Param-*`
    /// headers to the host. Asked about a modern `tools/call` over HTTP, and about nothing else.
    pub tools: Option<&'h dyn ParamSource>,
}

impl<'h> Context<'h> {
    /// A message from stdio.
    pub const fn stdio() -> Self {
        Context { http_method: "POST", headers: None, legacy_version: None, tools: None }
    }

    /// The body of an HTTP POST.
    pub const fn http(headers: &'h Headers<'h>) -> Self {
        Context { http_method: "POST", headers: Some(headers), legacy_version: None, tools: None }
    }
}

/// Decides about one message: a body, or a line of stdio without its line feed.
///
/// `scratch` holds what the search for repeated members needs to remember, one slot for each member and each
/// object that is open at a time; [`scratch_len`](crate::json::scratch_len) tells what suffices for any body of
/// a length. With less, a body that needs more is refused with [`Reason::TooManyMembers`].
///
/// # Errors
///
/// [`Rejected`], with the reason of the first check that failed.
pub fn admit<'a, S: AsRef<str>>(
    body: &'a [u8],
    context: &Context<'_>,
    policy: &Policy<'_, S>,
    scratch: &mut [u64],
) -> Result<Admitted<'a>, Rejected<'a>> {
    check_http(body, context, policy).map_err(|reason| {
        let form = error_form(context.headers, context.legacy_version, policy.legacy);
        Rejected::new(reason).answered(form)
    })?;
    let mut fields = Fields::new();
    let scanned = scan(body, policy.max_depth, scratch, &mut fields);
    let headers = context.headers;
    let Context { legacy_version: session, tools, .. } = *context;
    let message = Message { body, fields, headers, legacy: policy.legacy, session, tools };
    match scanned {
        Err(error) if error.reason.code() == -32700 => {
            return Err(Rejected::new(error.reason).at(error.offset).answered(message.error_form()));
        }
        Err(error) => {
            let stopped = error.reason != Reason::DuplicateMember;
            return Err(message.refuse_scanned(error.reason, stopped).at(error.offset));
        }
        Ok(()) => {}
    }
    if let Some(headers) = headers {
        if headers.repeated {
            return Err(message.refuse(Reason::DuplicateHeader));
        }
        if headers.too_many_params {
            return Err(message.refuse(Reason::TooManyParamHeaders));
        }
    }
    let kind = message.check_shape().map_err(|reason| message.refuse(reason))?;
    let supported = if policy.versions.is_empty() { policy.legacy } else { policy.versions };
    let (era, version) = message.settle_era(kind, policy.versions).map_err(|reason| {
        let rejected = message.refuse(reason);
        match reason {
            Reason::LegacyNotServed | Reason::UnsupportedVersion => {
                rejected.versions(supported, message.requested_version())
            }
            Reason::VersionHeaderMissing => rejected.supporting(supported),
            _ => rejected,
        }
    })?;
    let checked = match (kind, era) {
        (Kind::Request, Era::Modern) => message.check_modern_request(policy),
        (Kind::Request, Era::Legacy) => message.check_legacy_request(policy),
        (Kind::Notification, _) => message.check_notification(),
        (Kind::Response | Kind::Error, _) => Ok(()),
    };
    checked.map_err(|reason| {
        let rejected = message.refuse(reason).in_era(era);
        match reason {
            Reason::UnsupportedVersion => rejected.versions(supported, message.requested_version()),
            _ => rejected,
        }
    })?;
    let spans = Spans { fields, body_len: body.len() as u32, kind, era, version };
    Ok(Admitted { body, spans })
}

/// Rung 1. The size holds on stdio too.
pub(crate) fn check_http<S: AsRef<str>>(
    body: &[u8],
    context: &Context<'_>,
    policy: &Policy<'_, S>,
) -> Result<(), Reason> {
    let too_large = body.len() > policy.max_bytes || body.len() > MAX_BODY_BYTES;
    let Some(headers) = context.headers else {
        return if too_large { Err(Reason::BodyTooLarge) } else { Ok(()) };
    };
    if context.http_method != "POST" {
        return Err(Reason::HttpMethod);
    }
    check_origin(headers, policy)?;
    if too_large {
        return Err(Reason::BodyTooLarge);
    }
    if headers.content_type.is_some_and(|value| headers.content_type_repeated || !is_json(value)) {
        return Err(Reason::ContentType);
    }
    if headers.accept.present && !headers.accept.both() {
        return Err(Reason::NotAcceptable);
    }
    Ok(())
}

/// `Origin` and `Host`, which keep web pages of other sites away (HTTP-16).
pub(crate) fn check_origin<S: AsRef<str>>(headers: &Headers<'_>, policy: &Policy<'_, S>) -> Result<(), Reason> {
    if let Some(origin) = headers.origin
        && !origin_allowed(origin, headers.origin_repeated, &policy.allowed_origins)
    {
        return Err(Reason::OriginNotAllowed);
    }
    if let Some(allowed) = policy.allowed_hosts
        && (headers.host_repeated || !headers.host.is_some_and(|host| host_allowed(host, allowed)))
    {
        return Err(Reason::HostNotAllowed);
    }
    Ok(())
}

/// The revision of a legacy session that no header names: what the host says, or on HTTP 2025-03-26, the last one that
/// had no header (HTTP-18, LEG-28).
fn session_version(headers: Option<&Headers<'_>>, session: Option<Version>, legacy: VersionSet) -> Option<Version> {
    let assumed = headers.map(|_| Version::V2025_03_26);
    session.or(assumed).filter(|&version| legacy.contains(version))
}

/// Whether an error to this peer needs an id even when none could be read: the revisions up to 2025-06-18 want it (LEG-10).
pub(crate) fn error_form(headers: Option<&Headers<'_>>, session: Option<Version>, legacy: VersionSet) -> Answer {
    let version = match HeaderVersion::of(headers) {
        HeaderVersion::Known(version) => Some(version),
        HeaderVersion::Absent => session_version(headers, session, legacy),
        HeaderVersion::Unknown => None,
    };
    let wants_null = |version: Version| version <= Version::V2025_06_18 && legacy.contains(version);
    if version.is_some_and(wants_null) { Answer::ErrorNullId } else { Answer::Error }
}

/// A scanned message on its way up.
struct Message<'a, 'c> {
    body: &'a [u8],
    fields: Fields,
    headers: Option<&'c Headers<'c>>,
    legacy: VersionSet,
    /// The revision of the legacy session, where the host knows it.
    session: Option<Version>,
    tools: Option<&'c dyn ParamSource>,
}

impl<'a> Message<'a, '_> {
    #[inline]
    fn get(&self, field: Field) -> Option<Raw<'a>> {
        self.fields.get(field, self.body)
    }

    /// A member whose `null` counts as its absence.
    #[inline]
    fn optional(&self, field: Field) -> Option<Raw<'a>> {
        self.get(field).filter(|raw| raw.kind() != ValueKind::Null)
    }

    #[inline]
    fn text(&self, field: Field) -> Option<Text<'a>> {
        self.fields.text(field, self.body)
    }

    fn method(&self) -> Option<Text<'a>> {
        self.text(Field::Method)
    }

    /// The id, if it is one and the only one.
    fn id(&self) -> Option<Id<'a>> {
        if self.fields.id_repeated { None } else { Id::parse(self.get(Field::Id)?).ok() }
    }

    fn header_version(&self) -> HeaderVersion {
        HeaderVersion::of(self.headers)
    }

    fn error_form(&self) -> Answer {
        error_form(self.headers, self.session, self.legacy)
    }

    /// A refusal with the id of a request, or with nothing to send.
    fn refuse(&self, reason: Reason) -> Rejected<'a> {
        self.refuse_scanned(reason, false)
    }

    /// The same where the scan may have stopped halfway. What looks like a notification then is answered, without
    /// an id: one may follow, and a request that nobody answers hangs.
    fn refuse_scanned(&self, reason: Reason, stopped: bool) -> Rejected<'a> {
        let has = |field| self.fields.seen(field);
        let rejected = Rejected::new(reason).with_method(self.method().filter(|text| !text.has_lone_surrogate()));
        if has(Field::Method) && !has(Field::Id) && !has(Field::Result) && !has(Field::Error) && !stopped {
            return rejected.answered(Answer::Silence); // a notification
        }
        if !has(Field::Method) && (has(Field::Result) || has(Field::Error)) {
            // A response: its id is none of the sender's requests.
            return rejected.answered(if self.headers.is_some() { self.error_form() } else { Answer::Silence });
        }
        rejected.with_id(self.id()).answered(self.error_form())
    }

    /// Rung 4. An array passes here as far as [`Reason::Batch`] goes, which is the era's business.
    fn check_shape(&self) -> Result<Kind, Reason> {
        match Raw::from_checked(self.fields.top.of(self.body)).kind() {
            ValueKind::Object => {}
            ValueKind::Array => return Err(Reason::Batch),
            _ => return Err(Reason::NotAnObject),
        }
        let has = |field| self.get(field).is_some();
        let kind = match (has(Field::Method), has(Field::Id), has(Field::Result), has(Field::Error)) {
            (true, true, false, false) => Kind::Request,
            (true, false, false, false) => Kind::Notification,
            (false, _, true, false) => Kind::Response,
            (false, _, false, true) => Kind::Error,
            _ => return Err(Reason::AmbiguousKind),
        };
        let two = self.text(Field::Jsonrpc).is_some_and(|text| text == "2.0");
        if !two {
            return Err(Reason::JsonrpcVersion);
        }
        match kind {
            Kind::Request => Id::parse(self.get(Field::Id).ok_or(Reason::InvalidId)?).map(|_| ())?,
            Kind::Notification => {}
            Kind::Response => return self.check_response(),
            Kind::Error => return self.check_error(),
        }
        let method = self.method().ok_or(Reason::MethodNotString)?;
        if method.has_lone_surrogate() {
            return Err(Reason::LoneSurrogate);
        }
        match self.get(Field::Params) {
            Some(params) if params.kind() != ValueKind::Object => Err(Reason::ParamsNotObject),
            _ => Ok(kind),
        }
    }

    /// A response has an id, and an object for its result (ENV-11).
    fn check_response(&self) -> Result<Kind, Reason> {
        let id = self.get(Field::Id).ok_or(Reason::InvalidResponse)?;
        let object = self.get(Field::Result).is_some_and(|result| result.kind() == ValueKind::Object);
        if object && Id::parse(id).is_ok() { Ok(Kind::Response) } else { Err(Reason::InvalidResponse) }
    }

    /// An error response has an integer code and a string message (ENV-12); its id may be absent or null.
    fn check_error(&self) -> Result<Kind, Reason> {
        let id_ok = self.optional(Field::Id).is_none_or(|id| Id::parse(id).is_ok());
        let error = self.get(Field::Error).ok_or(Reason::InvalidResponse)?;
        let code_ok = error.get("code").is_some_and(is_integer);
        let message_ok = error.has_string("message");
        if id_ok && code_ok && message_ok { Ok(Kind::Error) } else { Err(Reason::InvalidResponse) }
    }

    /// Rung 5, after the table in docs/decisions.md. The key's presence is the claim, whatever its value.
    fn settle_era(&self, kind: Kind, modern: VersionSet) -> Result<(Era, Option<Version>), Reason> {
        let claim = self.get(Field::MetaVersion);
        let header = self.header_version();
        match kind {
            Kind::Request => {}
            Kind::Notification => return self.settle_notification(claim, header, modern),
            Kind::Response | Kind::Error => {
                return match header {
                    HeaderVersion::Known(version) if self.legacy.contains(version) => Ok((Era::Legacy, Some(version))),
                    HeaderVersion::Absent if !self.legacy.is_empty() => Ok((Era::Legacy, self.session_version())),
                    _ => Err(Reason::UnexpectedResponse),
                };
            }
        }
        let initialize = self.is_initialize();
        match (header, claim) {
            (HeaderVersion::Known(version), Some(claim)) if version.era() == Era::Legacy => {
                // Both name the same legacy revision: no mismatch, but no way to speak it either (rung 8).
                let same = claim.text().is_some_and(|text| text == version.as_str());
                if same { Ok((Era::Modern, None)) } else { Err(Reason::EraMismatch) }
            }
            (HeaderVersion::Known(version), None) if version.era() == Era::Legacy => {
                if self.legacy.contains(version) {
                    Ok((Era::Legacy, Some(version)))
                } else if initialize && self.legacy.is_empty() {
                    Err(Reason::LegacyNotServed)
                } else {
                    Err(Reason::UnsupportedVersion)
                }
            }
            (HeaderVersion::Known(_) | HeaderVersion::Unknown, None) if initialize => Err(Reason::LegacyNotServed),
            (HeaderVersion::Known(_) | HeaderVersion::Unknown, _) => Ok((Era::Modern, self.claimed())),
            (HeaderVersion::Absent, Some(_)) if self.headers.is_some() => Err(Reason::VersionHeaderMissing),
            (HeaderVersion::Absent, Some(_)) => Ok((Era::Modern, self.claimed())),
            (HeaderVersion::Absent, None) if !self.legacy.is_empty() => {
                if initialize {
                    let offered = self.offered();
                    let served =
                        self.legacy.iter().find(|version| offered.is_some_and(|text| text == version.as_str()));
                    return Ok((Era::Legacy, served));
                }
                match self.session_version() {
                    None if self.headers.is_some() => Err(Reason::VersionHeaderMissing),
                    version => Ok((Era::Legacy, version)),
                }
            }
            (HeaderVersion::Absent, None) if initialize => Err(Reason::LegacyNotServed),
            (HeaderVersion::Absent, None) if self.headers.is_some() => Err(Reason::VersionHeaderMissing),
            (HeaderVersion::Absent, None) => Ok((Era::Modern, None)),
        }
    }

    /// Notifications have no claim as a rule, so the header decides; none is demanded of them (HDR-11).
    fn settle_notification(
        &self,
        claim: Option<Raw<'a>>,
        header: HeaderVersion,
        modern: VersionSet,
    ) -> Result<(Era, Option<Version>), Reason> {
        let claimed = claim
            .map(|claim| claim.text().and_then(|text| text.as_str()).and_then(|text| Version::parse(text.as_bytes())));
        match (header, claimed) {
            (HeaderVersion::Known(version), Some(claimed)) if claimed != Some(version) => {
                Err(if version.era() == Era::Legacy { Reason::EraMismatch } else { Reason::VersionMismatch })
            }
            (HeaderVersion::Known(version), _) => {
                let served = if version.era() == Era::Modern { modern } else { self.legacy };
                if served.contains(version) {
                    Ok((version.era(), Some(version)))
                } else {
                    Err(Reason::UnsupportedVersion)
                }
            }
            (HeaderVersion::Unknown, _) => Err(Reason::UnsupportedVersion),
            (HeaderVersion::Absent, Some(Some(version))) if modern.contains(version) => {
                Ok((Era::Modern, Some(version)))
            }
            (HeaderVersion::Absent, Some(_)) => Err(Reason::UnsupportedVersion),
            (HeaderVersion::Absent, None) if !self.legacy.is_empty() => Ok((Era::Legacy, self.session_version())),
            (HeaderVersion::Absent, None) => Ok((Era::Modern, modern.iter().next())),
        }
    }

    fn session_version(&self) -> Option<Version> {
        session_version(self.headers, self.session, self.legacy)
    }

    /// The known revision that `_meta` names.
    fn claimed(&self) -> Option<Version> {
        let claim = self.text(Field::MetaVersion)?;
        Version::ALL.into_iter().rev().find(|version| claim == version.as_str())
    }

    fn is_initialize(&self) -> bool {
        self.method().is_some_and(|method| method == "initialize")
    }

    /// The version that `initialize` offers.
    fn offered(&self) -> Option<Text<'a>> {
        if self.is_initialize() { self.text(Field::InitializeVersion) } else { None }
    }

    /// What a refused version is called in the answer: as `_meta`, the header or `initialize` names it.
    fn requested_version(&self) -> Option<Text<'a>> {
        let claimed = self.text(Field::MetaVersion);
        // A modern header is asked for by the claim that it mirrors.
        let header = match self.header_version() {
            HeaderVersion::Known(version) if version.era() == Era::Legacy => Some(Text::plain(version.as_str())),
            _ => None,
        };
        claimed.or(self.offered()).or(header).filter(|text| !text.has_lone_surrogate())
    }

    /// Rungs 6 to 12 of a modern request.
    fn check_modern_request<S: AsRef<str>>(&self, policy: &Policy<'_, S>) -> Result<(), Reason> {
        let method = self.method().ok_or(Reason::MethodNotString)?;
        let known = Method::find(method);
        let claim = self.check_required_meta()?;
        self.check_headers(claim, method, known)?;
        if !self.claimed().is_some_and(|version| policy.versions.contains(version)) {
            return Err(Reason::UnsupportedVersion);
        }
        self.check_other_meta()?;
        self.check_params(known)?;
        self.check_retry()?;
        self.check_tool_params(method)?;
        if known.is_some_and(|known| !known.modern) {
            return Err(Reason::MethodNotFound);
        }
        check_served(method, policy)
    }

    /// A legacy request has no `_meta` of its own; headers that it carries all the same must be true.
    fn check_legacy_request<S: AsRef<str>>(&self, policy: &Policy<'_, S>) -> Result<(), Reason> {
        let method = self.method().ok_or(Reason::MethodNotString)?;
        let known = Method::find(method);
        self.check_meta_shape()?;
        self.check_present_headers(method, known)?;
        self.check_progress_token()?;
        self.check_params(known)?;
        self.check_legacy_params(method)?;
        // What the session itself answers is no method of the host's (LEG-01, LEG-11).
        if self.is_initialize() || method == "ping" { Ok(()) } else { check_served(method, policy) }
    }

    /// The params of two methods that 2026-07-28 removed (LEG-32, LEG-33).
    fn check_legacy_params(&self, method: Text<'a>) -> Result<(), Reason> {
        if method == "logging/setLevel" {
            let level = self.get(Field::Params).and_then(|params| params.get("level"));
            return if level.and_then(|level| level.text()).and_then(LogLevel::of).is_some() {
                Ok(())
            } else {
                Err(Reason::LogLevel)
            };
        }
        if (method == "resources/subscribe" || method == "resources/unsubscribe") && self.text(Field::Uri).is_none() {
            return Err(Reason::UriNotString);
        }
        Ok(())
    }

    fn check_notification(&self) -> Result<(), Reason> {
        let method = self.method().ok_or(Reason::MethodNotString)?;
        self.check_meta_shape()?;
        self.check_present_headers(method, Method::find(method))
    }

    /// `_meta`, wherever it appears, is an object (META-21).
    fn check_meta_shape(&self) -> Result<(), Reason> {
        match self.get(Field::Meta) {
            Some(meta) if meta.kind() != ValueKind::Object => Err(Reason::MetaNotObject),
            _ => Ok(()),
        }
    }

    /// Rung 6. Returns the claimed version.
    fn check_required_meta(&self) -> Result<Text<'a>, Reason> {
        if !self.get(Field::Meta).is_some_and(|meta| meta.kind() == ValueKind::Object) {
            return Err(Reason::MetaNotObject);
        }
        self.get(Field::MetaVersion).ok_or(Reason::MetaVersionMissing)?;
        let claim = self.text(Field::MetaVersion).ok_or(Reason::MetaVersionNotString)?;
        if claim.has_lone_surrogate() {
            return Err(Reason::LoneSurrogate);
        }
        match self.get(Field::Capabilities) {
            None => Err(Reason::MetaCapabilitiesMissing),
            Some(capabilities) if capabilities.kind() != ValueKind::Object => Err(Reason::MetaCapabilitiesNotObject),
            Some(_) => Ok(claim),
        }
    }

    /// Rung 7.
    fn check_headers(&self, claim: Text<'a>, method: Text<'a>, known: Option<&Method>) -> Result<(), Reason> {
        let Some(headers) = self.headers else { return Ok(()) };
        literal(headers.version, claim, Reason::VersionHeaderMissing, Reason::VersionMismatch)?;
        literal(headers.method, method, Reason::MethodHeaderMissing, Reason::MethodMismatch)?;
        let Some(name) = self.name(known) else { return Ok(()) };
        check_name(headers.name.ok_or(Reason::NameHeaderMissing)?, name)
    }

    /// The mirrored headers where none is demanded: those that are there must match, since a gateway may have
    /// routed on them.
    fn check_present_headers(&self, method: Text<'a>, known: Option<&Method>) -> Result<(), Reason> {
        let Some(headers) = self.headers else { return Ok(()) };
        if headers.method.is_some() {
            literal(headers.method, method, Reason::MethodHeaderMissing, Reason::MethodMismatch)?;
        }
        match (headers.name, self.name(known)) {
            (Some(header), Some(name)) => check_name(header, name),
            _ => Ok(()),
        }
    }

    /// The string that `Mcp-Name` mirrors; `None` where the body lacks it (HDR-16).
    fn name(&self, known: Option<&Method>) -> Option<Text<'a>> {
        let field = match known?.name_source {
            NameSource::None => return None,
            NameSource::Name => Field::Name,
            NameSource::Uri => Field::Uri,
        };
        self.text(field).filter(|text| !text.has_lone_surrogate())
    }

    /// Rung 9.
    fn check_other_meta(&self) -> Result<(), Reason> {
        // An Implementation has a name and a version, both strings (META-03).
        let named = self.text(Field::ClientName).is_some() && self.text(Field::ClientVersion).is_some();
        if self.optional(Field::ClientInfo).is_some() && !named {
            return Err(Reason::ClientInfo);
        }
        if let Some(capabilities) = self.get(Field::Capabilities)
            && !are_capabilities(capabilities)
        {
            return Err(Reason::CapabilityNotObject);
        }
        if let Some(level) = self.optional(Field::LogLevel)
            && level.text().and_then(LogLevel::of).is_none()
        {
            return Err(Reason::LogLevel);
        }
        self.check_progress_token()
    }

    fn check_progress_token(&self) -> Result<(), Reason> {
        match self.optional(Field::ProgressToken) {
            Some(token) => match Id::parse(token) {
                Err(Reason::LoneSurrogate) => Err(Reason::LoneSurrogate),
                Err(_) => Err(Reason::ProgressToken),
                Ok(_) => Ok(()),
            },
            None => Ok(()),
        }
    }

    /// Rung 10: the params of the methods that name something, or list it page by page.
    fn check_params(&self, known: Option<&Method>) -> Result<(), Reason> {
        if known.is_some_and(|known| known.paginated) {
            return self.check_cursor();
        }
        let (field, missing) = match known.map_or(NameSource::None, |known| known.name_source) {
            NameSource::None => return Ok(()),
            NameSource::Name => (Field::Name, Reason::NameNotString),
            NameSource::Uri => (Field::Uri, Reason::UriNotString),
        };
        let name = self.text(field).ok_or(missing)?;
        if name.has_lone_surrogate() {
            return Err(Reason::LoneSurrogate);
        }
        let Some(arguments) = self.optional(Field::Arguments).filter(|_| field == Field::Name) else { return Ok(()) };
        if arguments.kind() != ValueKind::Object {
            return Err(Reason::ArgumentsNotObject);
        }
        // What a template is filled in with is text (PROMPT-02).
        let prompt = known.is_some_and(|known| known.name == "prompts/get");
        let strings = || arguments.members().all(|(_, value)| value.kind() == ValueKind::String);
        if prompt && !strings() { Err(Reason::PromptArgument) } else { Ok(()) }
    }

    /// A cursor is a string, the empty one like any other (PAGE-02, PAGE-06).
    fn check_cursor(&self) -> Result<(), Reason> {
        let cursor = self.get(Field::Params).and_then(|params| params.get("cursor"));
        match cursor.filter(|cursor| cursor.kind() != ValueKind::Null).map(|cursor| cursor.text()) {
            Some(None) => Err(Reason::CursorNotString),
            Some(Some(text)) if text.has_lone_surrogate() => Err(Reason::LoneSurrogate),
            _ => Ok(()),
        }
    }

    /// Rung 10: what a retry brings back.
    fn check_retry(&self) -> Result<(), Reason> {
        if let Some(state) = self.optional(Field::RequestState) {
            let text = state.text().ok_or(Reason::RequestStateNotString)?;
            if text.has_lone_surrogate() {
                return Err(Reason::LoneSurrogate);
            }
        }
        match self.get(Field::InputResponses) {
            Some(answers) if answers.kind() != ValueKind::Object => Err(Reason::InputResponsesNotObject),
            _ => Ok(()),
        }
    }

    /// Rung 11. On stdio and for legacy messages `x-mcp-header` means nothing (STDIO-07).
    fn check_tool_params(&self, method: Text<'a>) -> Result<(), Reason> {
        let (Some(headers), Some(tools)) = (self.headers, self.tools) else { return Ok(()) };
        let Some(tool) = self.text(Field::Name).filter(|_| method == "tools/call") else { return Ok(()) };
        tools.param_headers(tool).map_or(Ok(()), |known| known.verify(self.get(Field::Arguments), headers))
    }
}

/// What `MCP-Protocol-Version` says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum HeaderVersion {
    Absent,
    /// Not a revision that this crate knows; such a one cannot be legacy.
    Unknown,
    Known(Version),
}

impl HeaderVersion {
    fn of(headers: Option<&Headers<'_>>) -> Self {
        match headers.and_then(|headers| headers.version) {
            None => HeaderVersion::Absent,
            Some(value) => Version::parse(value).map_or(HeaderVersion::Unknown, HeaderVersion::Known),
        }
    }
}

/// A header that mirrors a body value literally, without the Base64 form (HDR-12).
fn literal(header: Option<&[u8]>, text: Text<'_>, missing: Reason, differs: Reason) -> Result<(), Reason> {
    let value = header.ok_or(missing)?;
    if !is_field_text(value) {
        return Err(Reason::HeaderValue);
    }
    if text == *value { Ok(()) } else { Err(differs) }
}

fn check_name(header: &[u8], name: Text<'_>) -> Result<(), Reason> {
    match matches(header, name) {
        None => Err(Reason::HeaderValue),
        Some(false) => Err(Reason::NameMismatch),
        Some(true) => Ok(()),
    }
}

/// Rung 12, where the host gave its methods.
fn check_served<S: AsRef<str>>(method: Text<'_>, policy: &Policy<'_, S>) -> Result<(), Reason> {
    match policy.methods {
        Some(served) if !served.iter().any(|name| method == *name.as_ref()) => Err(Reason::MethodNotFound),
        _ => Ok(()),
    }
}
