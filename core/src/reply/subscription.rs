//! `subscriptions/listen`: what a client wants to hear of, and what it is told (basic/patterns/subscriptions).

use heapless::Vec;

use super::notification::{write_meta, write_start};
use super::{ReplyError, host_server_info, write_head};
use crate::json::{Raw, Text, ValueKind, Writer};
use crate::reason::{Misuse, Reason};
use crate::reject::Rejected;
use crate::wire::{Admitted, Era, Id, Kind, SERVER_INFO, SUBSCRIPTION_ID, Spans};

/// What a server can tell its subscribers of. What it does not, is left out of the acknowledgement (SUB-04).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Offered {
    /// That the list of tools has changed.
    pub tools: bool,
    /// That the list of prompts has.
    pub prompts: bool,
    /// That the list of resources has.
    pub resources: bool,
    /// That the content of a resource has.
    pub updates: bool,
}

/// Something that subscribers may be told of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change<'c> {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources.
    Resources,
    /// The content of the resource with this URI.
    Resource(&'c str),
}

impl Change<'_> {
    const fn method(&self) -> &'static str {
        match self {
            Change::Tools => "notifications/tools/list_changed",
            Change::Prompts => "notifications/prompts/list_changed",
            Change::Resources => "notifications/resources/list_changed",
            Change::Resource(_) => "notifications/resources/updated",
        }
    }
}

/// The members of a filter that are flags.
const FLAGS: [&str; 3] = ["toolsListChanged", "promptsListChanged", "resourcesListChanged"];
const URIS: &str = "resourceSubscriptions";

/// One subscription: an admitted `subscriptions/listen` request whose filter has been checked.
///
/// Its id is unique per connection only: two clients of an HTTP server may choose the same. Everything it writes belongs on the
/// stream that answers its request, the acknowledgement first of all (SUB-03). Over HTTP it ends when the client closes that
/// stream, on stdio by `notifications/cancelled` (SUB-13), or when the server [ends](Subscription::end) it.
#[derive(Clone, Copy, Debug)]
pub struct Subscription<'a> {
    id: Id<'a>,
    filter: Raw<'a>,
    offered: Offered,
}

impl<'a> Subscription<'a> {
    /// The subscription that a request asks for.
    ///
    /// # Errors
    ///
    /// - [`Reason::ListenFilter`] (-32602): `notifications` is missing or no object, a flag in it is no boolean, or
    ///   `resourceSubscriptions` is not a list of strings (SUB-01). `null` counts as absent.
    /// - [`Misuse::NotARequest`]: not a modern `subscriptions/listen` request.
    pub fn of(request: &Admitted<'a>, offered: Offered) -> Result<Self, ReplyError<'a>> {
        let listen = request.method().is_some_and(|method| method == "subscriptions/listen");
        let (true, Kind::Request, Era::Modern, Some(id)) = (listen, request.kind(), request.era(), request.id()) else {
            return Err(Misuse::NotARequest.into());
        };
        match request.params().and_then(|params| params.get("notifications")).filter(|filter| is_filter(*filter)) {
            Some(filter) => Ok(Subscription { id, filter, offered }),
            None => Err(Rejected::after_admission(Some(request), Reason::ListenFilter).into()),
        }
    }

    /// The id of the request, which everything of the subscription carries.
    pub const fn id(&self) -> Id<'a> {
        self.id
    }

    /// Whether the client is to be told of a change: it asked for it, and the server offers it (SUB-02). A resource is one of
    /// those named, or below one of them: the named URI and a slash are how it begins (SUB-10). URIs are compared as they are
    /// written (RESOURCE-11).
    pub fn wants(&self, change: &Change<'_>) -> bool {
        match change {
            Change::Tools => self.has(0),
            Change::Prompts => self.has(1),
            Change::Resources => self.has(2),
            Change::Resource(uri) => self.uris().any(|watched| is_at_or_below(uri, watched)),
        }
    }

    /// Whether a flag was asked for and can be honoured.
    fn has(&self, flag: usize) -> bool {
        let offered = [self.offered.tools, self.offered.prompts, self.offered.resources];
        let asked =
            FLAGS.get(flag).and_then(|name| self.filter.get(name)).is_some_and(|flag| flag.as_bytes() == b"true");
        asked && offered.get(flag).is_some_and(|offered| *offered)
    }

    /// The URIs of resources that are watched, as they came; none where the server does not offer that.
    fn uris(&self) -> impl Iterator<Item = Text<'a>> {
        let list = self.filter.get(URIS).filter(|_| self.offered.updates);
        list.into_iter().flat_map(|list| list.elements()).filter_map(|uri| uri.text())
    }

    /// Writes `notifications/subscriptions/acknowledged`, the first message of the subscription: what of it is honoured, and
    /// nothing else (SUB-03, SUB-04). Returns the length.
    ///
    /// # Errors
    ///
    /// [`TooSmall`](crate::json::TooSmall).
    pub fn acknowledge(&self, out: &mut [u8]) -> Result<usize, ReplyError<'static>> {
        let mut w = Writer::new(out);
        write_start(&mut w, "notifications/subscriptions/acknowledged");
        w.raw(b",\"params\":{\"notifications\":{");
        let mut empty = true;
        for (flag, name) in FLAGS.into_iter().enumerate() {
            if self.has(flag) {
                open(&mut w, &mut empty, name);
                w.raw(b"true");
            }
        }
        if self.offered.updates
            && let Some(list) = self.filter.get(URIS).filter(|list| list.kind() == ValueKind::Array)
        {
            open(&mut w, &mut empty, URIS);
            w.minified(list);
        }
        w.raw(b"}");
        write_meta(&mut w, None, Some(self.id), false);
        w.raw(b"}}");
        Ok(w.finish()?)
    }

    /// Writes the notification of a change, with the subscription's id (SUB-07). Returns the length, 0 where the client is not
    /// to be told.
    ///
    /// # Errors
    ///
    /// [`TooSmall`](crate::json::TooSmall).
    pub fn notify(&self, change: &Change<'_>, out: &mut [u8]) -> Result<usize, ReplyError<'static>> {
        if !self.wants(change) {
            return Ok(0);
        }
        let mut w = Writer::new(out);
        write_start(&mut w, change.method());
        w.raw(b",\"params\":{");
        let mut empty = true;
        if let Change::Resource(uri) = change {
            open(&mut w, &mut empty, "uri");
            w.string(uri);
        }
        write_meta(&mut w, None, Some(self.id), empty);
        w.raw(b"}}");
        Ok(w.finish()?)
    }

    /// Writes the answer by which the server ends the subscription: a complete result with the subscription's id, after which
    /// nothing of it is sent and the stream is closed (SUB-14, SUB-16). `server_info` as in
    /// [`CompleteOptions`](super::CompleteOptions). Returns the length.
    ///
    /// # Errors
    ///
    /// [`Misuse::HostJson`], [`Misuse::ServerInfo`], [`Misuse::ScratchTooSmall`], [`TooSmall`](crate::json::TooSmall).
    pub fn end(
        &self,
        server_info: Option<&[u8]>,
        scratch: &mut [u64],
        out: &mut [u8],
    ) -> Result<usize, ReplyError<'static>> {
        let server_info = host_server_info(server_info, scratch)?;
        let mut w = Writer::new(out);
        write_head(&mut w, Some(self.id));
        w.raw(b"\"result\":{\"resultType\":\"complete\",\"_meta\":{");
        let mut empty = true;
        open(&mut w, &mut empty, SUBSCRIPTION_ID);
        w.raw(self.id.raw());
        if let Some(info) = server_info {
            open(&mut w, &mut empty, SERVER_INFO);
            w.minified(info);
        }
        w.raw(b"}}}");
        Ok(w.finish()?)
    }
}

/// Opens a member of an object that is `empty` so far.
fn open(w: &mut Writer<'_>, empty: &mut bool, name: &str) {
    w.raw(if *empty { b"\"" } else { b",\"" });
    w.raw(name.as_bytes());
    w.raw(b"\":");
    *empty = false;
}

fn is_filter(filter: Raw<'_>) -> bool {
    let member = |name: &str| filter.get(name).filter(|value| value.kind() != ValueKind::Null);
    let is_uri = |uri: Raw<'_>| uri.text().is_some_and(|uri| !uri.has_lone_surrogate());
    filter.kind() == ValueKind::Object
        && FLAGS.iter().all(|name| member(name).is_none_or(|flag| flag.kind() == ValueKind::Bool))
        && member(URIS).is_none_or(|list| list.kind() == ValueKind::Array && list.elements().all(is_uri))
}

fn is_at_or_below(uri: &str, watched: Text<'_>) -> bool {
    let mut rest = uri.bytes();
    let mut last = 0;
    for byte in watched.bytes() {
        if rest.next() != Some(byte) {
            return false;
        }
        last = byte;
    }
    match rest.next() {
        None => true,
        Some(next) => last != 0 && (next == b'/' || last == b'/'),
    }
}

/// The open subscriptions of one connection, in memory of their own: at most `N`, whose requests are at most `B` bytes long. For
/// a device; a server with a heap keeps its [`Subscription`]s beside their requests.
#[derive(Debug, Default)]
pub struct Subscriptions<const N: usize, const B: usize> {
    open: Vec<Slot<B>, N>,
}

/// A request that was admitted: its body, and where its members are.
#[derive(Debug)]
struct Slot<const B: usize> {
    body: Vec<u8, B>,
    spans: Spans,
    offered: Offered,
}

impl<const B: usize> Slot<B> {
    fn is(&self, id: Id<'_>) -> bool {
        self.view().is_some_and(|one| one.id().is_same(&id))
    }

    fn view(&self) -> Option<Subscription<'_>> {
        Subscription::of(&self.spans.view(&self.body)?, self.offered).ok()
    }
}

impl<const N: usize, const B: usize> Subscriptions<N, B> {
    /// None so far.
    pub const fn new() -> Self {
        Subscriptions { open: Vec::new() }
    }

    /// How many are open.
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether none is.
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Opens a subscription, and writes its acknowledgement, the first message that its client gets. Returns the length.
    ///
    /// # Errors
    ///
    /// - Those of [`Subscription::of`].
    /// - [`Rejected`] with [`Reason::SubscriptionsFull`] (-32603): `N` are open, or the request is longer than `B` bytes (SUB-21).
    /// - [`Rejected`] with [`Reason::DuplicateId`]: one of this id is open.
    /// - [`TooSmall`](crate::json::TooSmall). After any error nothing has been opened.
    pub fn open<'a>(
        &mut self,
        request: &Admitted<'a>,
        offered: Offered,
        out: &mut [u8],
    ) -> Result<usize, ReplyError<'a>> {
        let subscription = Subscription::of(request, offered)?;
        let refuse = |reason| Err(Rejected::after_admission(Some(request), reason).into());
        if self.open.iter().any(|slot| slot.is(subscription.id())) {
            return refuse(Reason::DuplicateId);
        }
        let body = Vec::from_slice(request.body());
        let (Ok(body), false) = (body, self.open.is_full()) else { return refuse(Reason::SubscriptionsFull) };
        let len = subscription.acknowledge(out)?;
        match self.open.push(Slot { body, spans: request.spans(), offered }) {
            Ok(()) => Ok(len),
            Err(_) => refuse(Reason::SubscriptionsFull),
        }
    }

    /// Writes each client's notification of a change into `out`, one after the other, and gives it to `send`.
    ///
    /// # Errors
    ///
    /// [`TooSmall`](crate::json::TooSmall), before anything is given to `send`.
    pub fn notify(
        &self,
        change: &Change<'_>,
        out: &mut [u8],
        mut send: impl FnMut(&[u8]),
    ) -> Result<(), ReplyError<'static>> {
        for slot in &self.open {
            slot.view().map_or(Ok(0), |one| one.notify(change, out))?;
        }
        for slot in &self.open {
            let len = slot.view().map_or(Ok(0), |one| one.notify(change, out))?;
            if len > 0 {
                send(out.get(..len).unwrap_or_default());
            }
        }
        Ok(())
    }

    /// Forgets a subscription that its client gave up (`notifications/cancelled`); nothing is answered to it (CANC-06). Says
    /// whether it was open.
    pub fn cancel(&mut self, id: Id<'_>) -> bool {
        let before = self.open.len();
        self.open.retain(|slot| !slot.is(id));
        self.open.len() < before
    }

    /// Ends a subscription: writes its closing answer, and forgets it. Returns the length, 0 where none of this id is open.
    ///
    /// # Errors
    ///
    /// Those of [`Subscription::end`]; the subscription is then still open.
    pub fn end(
        &mut self,
        id: Id<'_>,
        server_info: Option<&[u8]>,
        scratch: &mut [u64],
        out: &mut [u8],
    ) -> Result<usize, ReplyError<'static>> {
        let Some(one) = self.open.iter().filter_map(Slot::view).find(|one| one.id().is_same(&id)) else { return Ok(0) };
        let len = one.end(server_info, scratch, out)?;
        self.cancel(id);
        Ok(len)
    }
}
