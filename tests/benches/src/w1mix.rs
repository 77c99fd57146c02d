//! The workload W1mix: 512 different small `tools/call` requests, about 390 bytes each.
//!
//! One body repeated flatters every parser, because the branch predictor learns it by heart; 512 different
//! ones in turn do not fit. The seed is fixed, so every run and every machine sees the same bytes.

use std::fmt::Write;

/// One POST: its body, and the three headers that mirror it.
pub struct Message {
    pub body: Vec<u8>,
    pub headers: [(&'static str, String); 3],
}

pub const SEED: u64 = 0x5717_ea1e_d001_2026;
pub const COUNT: usize = 512;
pub const VERSION: &str = "2026-07-28";

/// SplitMix64: a few lines, and the same numbers everywhere.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len() as u64) as usize]
    }
}

const TOOLS: &[&str] = &[
    "book_room",
    "check_availability",
    "search",
    "get_weather",
    "create_issue",
    "list_files",
    "run_query",
    "translate",
    "send_message",
    "convert_units",
    "lookup_customer",
    "schedule_delivery",
    "close_ticket",
];
const CLIENTS: &[&str] = &["desk-assistant", "ide", "ExampleClient", "gateway-probe", "notebook", "chat"];
const WORDS: &[&str] = &[
    "quarterly",
    "report",
    "Zürich",
    "north wing",
    "café",
    "delivery",
    "room",
    "blue",
    "urgent",
    "東京",
    "invoice",
    "draft",
    "next week",
    "line\\nbreak",
    "a \\\"quoted\\\" word",
    "30 °C",
    "naïve",
    "C:\\\\temp",
    "42nd",
    "plan",
];
const KEYS: &[&str] = &[
    "date",
    "query",
    "location",
    "limit",
    "title",
    "path",
    "unit",
    "language",
    "attendees",
    "priority",
    "note",
    "customer",
    "tags",
    "filter",
    "dry_run",
];

/// Appends one argument value; `depth` bounds the nesting.
fn value(out: &mut String, random: &mut Random, depth: u32) {
    match random.below(if depth == 0 { 6 } else { 8 }) {
        0 | 1 => {
            let _ = write!(out, "\"{} {}\"", random.pick(WORDS), random.pick(WORDS));
        }
        2 => {
            let _ = write!(out, "\"2026-{:02}-{:02}\"", 1 + random.below(12), 1 + random.below(28));
        }
        3 => {
            let _ = write!(out, "{}", random.below(100_000));
        }
        4 => {
            let _ = write!(out, "-{}.{:02}", random.below(1000), random.below(100));
        }
        5 => out.push_str(random.pick(&["true", "false", "null"])),
        6 => {
            out.push('[');
            for index in 0..1 + random.below(4) {
                if index > 0 {
                    out.push(',');
                }
                value(out, random, depth - 1);
            }
            out.push(']');
        }
        _ => {
            out.push('{');
            members(out, random, 3, depth - 1);
            out.push('}');
        }
    }
}

/// Appends up to `most` members with different names.
fn members(out: &mut String, random: &mut Random, most: u64, depth: u32) {
    let first = random.below(KEYS.len() as u64) as usize;
    for index in 0..=random.below(most) as usize {
        if index > 0 {
            out.push(',');
        }
        let _ = write!(out, "\"{}\":", KEYS[(first + index) % KEYS.len()]);
        value(out, random, depth);
    }
}

fn message(random: &mut Random, number: usize) -> Message {
    let tool = random.pick(TOOLS);
    let id = match random.below(4) {
        0 => format!("\"req-{:08x}\"", random.next() as u32),
        1 => random.below(1 << 40).to_string(),
        _ => number.to_string(),
    };
    let capabilities = random.pick(&[
        "{}",
        "{\"elicitation\":{}}",
        "{\"elicitation\":{\"form\":{}},\"roots\":{}}",
        "{\"sampling\":{}}",
    ]);
    let mut meta = format!(
        "\"io.modelcontextprotocol/protocolVersion\":\"{VERSION}\",\
         \"io.modelcontextprotocol/clientInfo\":{{\"name\":\"{}\",\"version\":\"{}.{}.{}\"}},\
         \"io.modelcontextprotocol/clientCapabilities\":{capabilities}",
        random.pick(CLIENTS),
        random.below(4),
        random.below(30),
        random.below(10),
    );
    if random.below(4) == 0 {
        let _ = write!(meta, ",\"progressToken\":{}", random.below(10_000));
    }
    let mut arguments = String::new();
    members(&mut arguments, random, 4, 2);
    // The two orders that the official clients write.
    let params = if random.below(2) == 0 {
        format!("{{\"_meta\":{{{meta}}},\"name\":\"{tool}\",\"arguments\":{{{arguments}}}}}")
    } else {
        format!("{{\"name\":\"{tool}\",\"arguments\":{{{arguments}}},\"_meta\":{{{meta}}}}}")
    };
    let body = if random.below(2) == 0 {
        format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"tools/call\",\"params\":{params}}}")
    } else {
        format!("{{\"method\":\"tools/call\",\"params\":{params},\"jsonrpc\":\"2.0\",\"id\":{id}}}")
    };
    Message {
        body: body.into_bytes(),
        headers: [
            ("mcp-protocol-version", VERSION.into()),
            ("mcp-method", "tools/call".into()),
            ("mcp-name", tool.into()),
        ],
    }
}

/// The workload.
pub fn messages() -> Vec<Message> {
    let mut random = Random(SEED);
    (0..COUNT).map(|number| message(&mut random, number)).collect()
}
