//! What a Rust server can do today to reach the same verdict, at its best.

use http::{HeaderMap, HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, GetMeta, ProtocolVersion};
use serde::Deserialize;
use serde_json::{Value, value::RawValue};

use crate::w1mix::{Message, VERSION};

/// The headers as an HTTP library hands them over; built before the clock starts.
pub fn header_map(message: &Message) -> HeaderMap {
    let pair = |(name, value): &(&'static str, String)| {
        (HeaderName::from_static(name), HeaderValue::from_str(value).expect("a header value"))
    };
    message.headers.iter().map(pair).collect()
}

/// The only value of a header; `None` when it is missing or repeated.
fn single<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?;
    if values.next().is_some() { None } else { value.to_str().ok() }
}

/// rmcp: the steps of its HTTP handler from the collected body to the call of the service. The message type,
/// its `_meta` accessors and the conversions are rmcp's own; the comparison is private there, and is written
/// out here in the same steps: the message is turned into a `Value`, and the headers are compared with that.
pub fn rmcp(body: &[u8], headers: &HeaderMap) -> bool {
    let Ok(message) = serde_json::from_slice::<ClientJsonRpcMessage>(body) else { return false };
    let ClientJsonRpcMessage::Request(request) = &message else { return false };
    let meta = request.request.get_meta();
    let Some(version) = meta.protocol_version() else { return false };
    if single(headers, "mcp-protocol-version") != Some(version.as_str())
        || !meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
    {
        return false;
    }
    let Ok(value) = serde_json::to_value(&message) else { return false };
    let agrees = {
        let method = value.get("method").and_then(Value::as_str);
        let name = value.get("params").and_then(|params| params.get("name")).and_then(Value::as_str).map(str::to_owned);
        single(headers, "mcp-method") == method && single(headers, "mcp-name").map(str::to_owned) == name
    };
    std::hint::black_box(&message);
    agrees
}

#[derive(Deserialize)]
struct Envelope<'a> {
    jsonrpc: &'a str,
    #[serde(borrow)]
    id: &'a RawValue,
    method: &'a str,
    #[serde(borrow)]
    params: Params<'a>,
}

#[derive(Deserialize)]
struct Params<'a> {
    #[serde(borrow, rename = "_meta")]
    meta: Meta<'a>,
    name: &'a str,
    #[serde(borrow)]
    arguments: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Meta<'a> {
    #[serde(rename = "io.modelcontextprotocol/protocolVersion")]
    version: &'a str,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientCapabilities")]
    capabilities: &'a RawValue,
    #[serde(borrow, rename = "io.modelcontextprotocol/clientInfo")]
    client: Option<&'a RawValue>,
}

/// serde_json: a struct of borrowed fields written for this one purpose, payloads left raw, headers compared in
/// the order they lie in. The quickest that serde offers; it lets duplicate members pass where the struct does
/// not name them, and refuses any escape in the fields it compares.
pub fn raw_value(message: &Message) -> bool {
    let Ok(body) = serde_json::from_slice::<Envelope<'_>>(&message.body) else { return false };
    let meta = &body.params.meta;
    std::hint::black_box((body.id, body.params.arguments, meta.capabilities, meta.client));
    let mirrored = [meta.version, body.method, body.params.name];
    body.jsonrpc == "2.0"
        && meta.version == VERSION
        && message.headers.iter().zip(mirrored).all(|((_, value), field)| value == field)
}
