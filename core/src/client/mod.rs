//! The client's half: requests with their headers, what comes back, and the second leg.
//!
//! ```
//! use wireseal::Id;
//! use wireseal::client::{ClientOptions, Received, ResultType, Sent, request};
//! use wireseal::json::check;
//!
//! let (mut scratch, mut body, mut room) = ([0u64; 64], [0u8; 512], [0u8; 256]);
//! let id = |text: &'static [u8]| check(text, 1, &mut []).ok().and_then(|raw| Id::parse(raw).ok()).ok_or("id");
//! let options = ClientOptions { capabilities: br#"{"elicitation":{}}"#, ..ClientOptions::default() };
//! let params = Some(&br#"{"name":"book_room"}"#[..]);
//! let len = request(id(b"1")?, "tools/call", params, &options, &mut scratch, &mut body).map_err(|_| "request")?;
//! let sent = Sent::read(&body[..len], &mut scratch).map_err(|refused| refused.message())?;
//! sent.headers(None, &mut room, |name, value| println!("{name}: {value}")).map_err(|_| "headers")?;
//!
//! let answer = br#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"input_required","requestState":"s"}}"#;
//! let received = Received::read(answer, &mut scratch).map_err(|refused| refused.message())?;
//! assert_eq!(received.result_type(), Some(ResultType::InputRequired));
//! let mut second = [0; 512];
//! let len = sent.retry(&received, b"{}", id(b"2")?, &mut scratch, &mut second).map_err(|_| "retry")?;
//! assert!(second[..len].ends_with(br#""requestState":"s"}}"#));
//! # Ok::<(), &str>(())
//! ```

mod initialize;
mod probe;
mod received;
mod request;
mod sent;

pub use initialize::{initialize, negotiated};
pub use probe::{Probe, ProbedEra, probe};
pub use received::{Received, ResultType};
pub use request::{ClientOptions, request};
pub use sent::Sent;
