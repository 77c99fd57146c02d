//! What is measured: two requests of everyday size, and the worst shapes that a text can have.

use std::fmt::Write;

use crate::{Work, collide};

/// One input, or three of growing size.
pub struct Shape {
    pub name: &'static str,
    pub work: Work,
    /// The size of the smallest.
    pub n: usize,
    /// Whether there are three: n, 2n and 4n.
    pub grows: bool,
    pub verdict: &'static str,
    pub make: fn(usize) -> Vec<u8>,
}

const META: &str = "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
    \"io.modelcontextprotocol/clientCapabilities\":{}}";

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) % n as u64) as usize
    }
}

/// An object with these names; each value is its place.
fn object(names: impl IntoIterator<Item = String>) -> Vec<u8> {
    let mut out = String::from("{");
    for (place, name) in names.into_iter().enumerate() {
        if place > 0 {
            out.push(',');
        }
        let _ = write!(out, "\"{name}\":{place}");
    }
    out.push('}');
    out.into_bytes()
}

fn sorted(n: usize) -> Vec<String> {
    (0..n).map(|number| format!("member{number:07}")).collect()
}

fn shuffled(mut names: Vec<String>) -> Vec<String> {
    let mut random = Random(2026);
    for last in (1..names.len()).rev() {
        names.swap(last, random.below(last + 1));
    }
    names
}

/// 64 bytes that all names of a family begin with.
const LONG: &str = "a beginning that is as long as two lines of a cache, sixty-four.";

/// The name with its first letter as an escape, which makes every comparison decode it.
fn escaped(name: &str) -> String {
    format!("\\u{:04x}{}", name.as_bytes()[0], &name[1..])
}

fn repeated(start: &str, part: &str, n: usize, end: &str) -> Vec<u8> {
    [start.as_bytes(), &part.as_bytes().repeat(n), end.as_bytes()].concat()
}

/// An array of `n` times the element.
fn array(element: &str, n: usize) -> Vec<u8> {
    repeated("[", &format!("{element},"), n - 1, &format!("{element}]"))
}

/// A request with `n` members in some place.
fn request(before: &str, name: &str, value: &str, n: usize, after: &str) -> Vec<u8> {
    let mut out = String::from(before);
    for number in 0..n {
        let _ = write!(out, "\"{name}{number}\":{value},");
    }
    out.push_str("\"last\":");
    out.push_str(value);
    out.push_str(after);
    out.into_bytes()
}

/// A POST with the three headers of `tools/call`.
fn http(fields: &str, body: &str) -> Vec<u8> {
    format!("MCP-Protocol-Version: 2026-07-28\nMcp-Method: tools/call\nMcp-Name: book_room{fields}\n\n{body}")
        .into_bytes()
}

/// A schema of so many properties, each of which is this.
fn properties(n: usize, one: &str, last: &str) -> Vec<u8> {
    let mut out = String::from("{\"type\":\"object\",\"properties\":{");
    for number in 0..n {
        let _ = write!(out, "\"property{number}\":{one},");
    }
    let _ = write!(out, "\"last\":{last}}}}}");
    out.into_bytes()
}

/// A schema that mirrors as much as one can: 32 parameters, each in an object of its own.
pub fn mirroring() -> Vec<u8> {
    let mut out = String::from("{\"properties\":{");
    for number in 0..32 {
        let _ = write!(
            out,
            "\"m{number}\":{{\"properties\":{{\"member{number}\":{{\"type\":\"string\",\"x-mcp-header\":\"P{number}\"}}}}}},"
        );
    }
    out.pop();
    out.push_str("}}");
    out.into_bytes()
}

/// W1: a `tools/call` as clients send it, 346 bytes, with three members in `_meta`.
const W1: &str = "{\"jsonrpc\":\"2.0\",\"id\":42,\"method\":\"tools/call\",\"params\":{\"name\":\"book_room\",\
    \"arguments\":{\"room\":\"north-3\",\"date\":\"2026-08-14\",\"attendees\":12},\
    \"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",\
    \"io.modelcontextprotocol/clientInfo\":{\"name\":\"desk-ui\",\"version\":\"1.4.2\"},\
    \"io.modelcontextprotocol/clientCapabilities\":{\"elicitation\":{}}}}}";

/// W2: the same with 4 KB of mixed arguments.
fn w2() -> String {
    let mut random = Random(2);
    let mut entries = String::new();
    let mut number = 0;
    while entries.len() < 3960 {
        number += 1;
        let words =
            ["projector", "Zürich", "two\\nlines", "a \\\"quoted\\\" word", "30 °C", "whiteboard", "東京", "seat"];
        let mut word = || words[random.below(words.len())];
        let (title, note, tag, other) = (word(), word(), word(), word());
        let _ = write!(
            entries,
            "{{\"id\":{number},\"title\":\"{title} {note}\",\"price\":{}.{:02},\"open\":{},\"tags\":[\"{tag}\",\"{other}\"],\
             \"place\":{{\"floor\":-{},\"at\":null}}}},",
            number * 37 % 900,
            number * 7 % 100,
            number % 3 == 0,
            number % 5,
        );
    }
    entries.pop();
    let arguments = format!("{{\"query\":\"rooms for the quarterly meeting\",\"limit\":50,\"entries\":[{entries}]}}");
    let start = W1.find("{\"room\"").expect("the arguments of W1");
    let end = W1.find(",\"_meta\"").expect("what follows them");
    format!("{}{arguments}{}", &W1[..start], &W1[end..])
}

/// Everything that is measured. What does not grow has a budget.
pub fn all() -> Vec<Shape> {
    let once = |name, make| Shape { name, work: Work::Http, n: 1, grows: false, verdict: "accepted", make };
    let check = |name, n, make| Shape { name, work: Work::Check, n, grows: true, verdict: "accepted", make };
    let stdio = |name, n, make| Shape { name, work: Work::Stdio, n, grows: true, verdict: "accepted", make };
    let schema = |name, n, make| Shape { name, work: Work::Schema, n, grows: true, verdict: "accepted", make };
    let arguments = |name, n, make| Shape { name, work: Work::Arguments, n, grows: true, verdict: "accepted", make };
    let seals = |name, work| Shape { work, ..once(name, |_| W1.into()) };
    let digest = |name, n, make| Shape { name, work: Work::Digest, n, grows: true, verdict: "accepted", make };
    let duplicate = |name, n, make| Shape { verdict: "duplicate-member", ..check(name, n, make) };
    vec![
        once("W1", |_| http("", W1)),
        once("W2", |_| http("", &w2())),
        seals("seal, 64 bytes of state for W1", Work::Seal),
        seals("open, 64 bytes of state for W1", Work::Open),
        check("members, sorted", 25_000, |n| object(sorted(n))),
        check("members, reversed", 25_000, |n| object(sorted(n).into_iter().rev())),
        check("members, shuffled", 25_000, |n| object(shuffled(sorted(n)))),
        check("members, long equal beginnings", 6_000, |n| {
            object(shuffled(sorted(n)).into_iter().map(|name| format!("{LONG}{name}")))
        }),
        check("members, colliding", 25_000, |n| object(collide::names("", n))),
        check("members, colliding, long equal beginnings", 2_000, |n| object(collide::names(LONG, n))),
        check("members, colliding, long, escaped", 500, |n| {
            object(collide::names(LONG, n).iter().map(|name| escaped(name)))
        }),
        check("sixteen colliding names that grow", 2_000, |n| object(collide::names(&"long, ".repeat(n), 16))),
        check("seventeen colliding names that grow", 2_000, |n| object(collide::names(&"long, ".repeat(n), 17))),
        duplicate("members, first and last equal", 25_000, |n| {
            let mut names = shuffled(sorted(n));
            names[n - 1] = names[0].clone();
            object(names)
        }),
        duplicate("members, all equal", 6_000, |n| object(sorted(1).into_iter().cycle().take(n))),
        check("objects of 16 members", 1_000, |n| array(&String::from_utf8_lossy(&object(sorted(16))), n)),
        check("objects of 17 members", 1_000, |n| array(&String::from_utf8_lossy(&object(sorted(17))), n)),
        check("objects of 16 colliding members", 1_000, |n| {
            array(&String::from_utf8_lossy(&object(collide::names("", 16))), n)
        }),
        check("objects in objects, 16 members each", 60, |n| {
            let mut one = String::from("0");
            for _ in 0..60 {
                one = request("{", "m", "0", 15, "").iter().map(|&byte| char::from(byte)).collect::<String>()[..]
                    .replace("\"last\":0", &format!("\"last\":{one}}}"));
            }
            array(&one, n)
        }),
        check("one number, digits", 2 << 20, |n| b"7".repeat(n)),
        check("one number, exponent", 1 << 18, |n| repeated("1.5e-", "3", n, "")),
        check("one string, plain", 1 << 20, |n| repeated("\"", "x", n, "\"")),
        check("one string, short escapes", 1 << 17, |n| repeated("\"", "\\n", n, "\"")),
        check("one string, \\u escapes", 1 << 16, |n| repeated("\"", "\\u00e9", n, "\"")),
        check("one string, surrogate pairs", 1 << 15, |n| repeated("\"", "\\ud83d\\ude00", n, "\"")),
        check("one string, escapes between words", 1 << 15, |n| repeated("\"", "sevensev\\n", n, "\"")),
        check("one string, two-byte letters", 1 << 17, |n| repeated("\"", "é", n, "\"")),
        check("one string, three-byte letters", 1 << 16, |n| repeated("\"", "東", n, "\"")),
        check("one string, four-byte letters", 1 << 16, |n| repeated("\"", "😀", n, "\"")),
        check("strings, empty", 1 << 16, |n| array("\"\"", n)),
        check("numbers", 1 << 16, |n| array("0", n)),
        check("arrays at the depth limit", 60, |n| array(&format!("{}{}", "[".repeat(255), "]".repeat(255)), n)),
        check("objects at the depth limit", 60, |n| {
            array(&format!("{}0{}", "{\"a\":".repeat(255), "}".repeat(255)), n)
        }),
        check("arrays, empty", 1 << 16, |n| array("[]", n)),
        check("objects, empty", 1 << 16, |n| array("{}", n)),
        check("spaces", 1 << 18, |n| repeated("", " ", n, "0")),
        check("spaces between tokens", 1 << 14, |n| array("\t\n\r 0 \t\n\r ", n)),
        stdio("request, arguments of many members", 5_000, |n| {
            let before = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{{{META},\"name\":\"x\",\"arguments\":{{"
            );
            request(&before, "m", "[1]", n, "}}}")
        }),
        stdio("request, params of many members", 5_000, |n| {
            let before = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{{{META},");
            request(&before, "m", "\"v\"", n, "}}")
        }),
        stdio("request, _meta of many members", 5_000, |n| {
            let meta = META.strip_suffix('}').expect("an object");
            let before = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{{{meta},");
            request(&before, "com.example/m", "\"v\"", n, "}}}")
        }),
        stdio("request, many capabilities", 5_000, |n| {
            let meta = META.strip_suffix("}}").expect("two objects");
            let before = format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{{{meta}\"experimental\":{{"
            );
            request(&before, "m", "{\"a\":{}}", n, "}}}}}")
        }),
        stdio("request, many members", 5_000, |n| {
            let before = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{{{META}}},");
            request(&before, "m", "{}", n, "}")
        }),
        Shape {
            verdict: "unexpected-response",
            ..stdio("error, many members", 5_000, |n| {
                request("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{", "m", "{}", n, ",\"message\":\"m\",\"code\":1}}")
            })
        },
        Shape {
            work: Work::Http,
            ..stdio("headers, many", 2_000, |n| {
                let fields: String = (0..n).map(|number| format!("\nX-Forwarded-{number}: 10.0.0.1")).collect();
                http(&fields, W1)
            })
        },
        Shape {
            work: Work::Http,
            verdict: "too-many-param-headers",
            ..stdio("headers, many Mcp-Param", 2_000, |n| {
                let fields: String = (0..n).map(|number| format!("\nMcp-Param-Number-{number}: 1")).collect();
                http(&fields, W1)
            })
        },
        Shape {
            work: Work::Http,
            ..stdio("headers, one long Accept", 2_000, |n| {
                http(&format!("\nAccept: {}text/*;q=0.1,*/*", "application/json;q=0.5,".repeat(n)), W1)
            })
        },
        schema("schema, many properties", 25_000, |n| properties(n, "{\"type\":\"string\"}", "{}")),
        schema("schema, many properties of much data", 2_500, |n| {
            properties(n, "{\"enum\":[{\"x-mcp-header\":1},\"a\",\"b\",[\"c\"]],\"default\":{\"properties\":{}}}", "{}")
        }),
        schema("schema, lists of lists", 2_000, |n| properties(n, "{\"allOf\":[{\"anyOf\":[{\"not\":{}},{}]}]}", "{}")),
        schema("schema, towers of properties", 60, |n| {
            let tower = format!("{}{{}}{}", "{\"properties\":{\"a\":".repeat(126), "}}".repeat(126));
            properties(n, &tower, "{}")
        }),
        schema("schema, towers of keywords", 60, |n| {
            let tower = format!("{}{{}}{}", "{\"not\":".repeat(250), "}".repeat(250));
            properties(n, &tower, "{}")
        }),
        Shape {
            verdict: "header-not-reachable",
            ..schema("schema, a fault behind many properties", 25_000, |n| {
                properties(n, "{\"type\":\"string\"}", "{\"items\":{\"x-mcp-header\":\"A\"}}")
            })
        },
        Shape {
            verdict: "header-not-string",
            ..schema("schema, a deep fault behind many properties", 25_000, |n| {
                let wide = String::from_utf8_lossy(&properties(n, "true", "{\"x-mcp-header\":0}")).into_owned();
                let (open, close) = ("{\"properties\":{\"a\":".repeat(120), "}}".repeat(120));
                format!("{open}{wide}{close}").into_bytes()
            })
        },
        Shape {
            verdict: "header-too-many",
            ..schema("schema, annotations that hold much", 2_000, |n| {
                // Each has its type last, behind all that is in it.
                let mut one = String::from("{}");
                for number in 0..33 {
                    let more = properties(n / 33, "true", "{}");
                    let more = String::from_utf8_lossy(&more);
                    one = format!(
                        "{{\"x-mcp-header\":\"P{number}\",\"properties\":{{\"a\":{one},\"b\":{more}}},\"type\":\"string\"}}"
                    );
                }
                format!("{{\"properties\":{{\"r\":{one}}}}}").into_bytes()
            })
        },
        arguments("arguments, many members", 25_000, |n| object(sorted(n))),
        arguments("arguments, many members beside mirrored ones", 500, |n| {
            let inside = String::from_utf8_lossy(&object(sorted(n))).into_owned();
            let all: Vec<_> = (0..32).map(|number| format!("\"m{number}\":{inside}")).collect();
            format!("{{{}}}", all.join(",")).into_bytes()
        }),
        digest("digest, members, sorted", 5_000, |n| object(sorted(n))),
        digest("digest, members, reversed", 5_000, |n| object(sorted(n).into_iter().rev())),
        digest("digest, members, shuffled", 25_000, |n| object(shuffled(sorted(n)))),
        digest("digest, members, colliding", 5_000, |n| object(collide::names("", n))),
        digest("digest, members, long equal beginnings", 3_000, |n| {
            object(shuffled(sorted(n)).into_iter().map(|name| format!("{LONG}{name}")))
        }),
        digest("digest, members, long, escaped", 1_000, |n| {
            object(shuffled(sorted(n)).into_iter().map(|name| format!("\\u0061{LONG}{name}")))
        }),
        digest("digest, sixteen long names", 4_000, |n| {
            object(shuffled((0..16).map(|number| format!("{}{number}", "same".repeat(n))).collect()))
        }),
        digest("digest, objects of 16 members", 1_000, |n| {
            array(&String::from_utf8_lossy(&object(sorted(16).into_iter().rev())), n)
        }),
        digest("digest, objects of 17 members", 1_000, |n| {
            array(&String::from_utf8_lossy(&object(sorted(17).into_iter().rev())), n)
        }),
        digest("digest, objects of one member", 1 << 14, |n| array("{\"a\":0}", n)),
        digest("digest, objects at the depth limit", 60, |n| {
            array(&format!("{}0{}", "{\"a\":".repeat(255), "}".repeat(255)), n)
        }),
        digest("digest, arrays at the depth limit", 60, |n| {
            array(&format!("{}0{}", "[".repeat(255), "]".repeat(255)), n)
        }),
        digest("digest, two towers in each other", 2_000, |n| {
            // What lies deep is passed over once at each level if nobody remembers where it ends.
            let wide = String::from_utf8_lossy(&object(sorted(n))).into_owned();
            format!("{}{wide}{}", "{\"z\":".repeat(250), ",\"a\":[0]}".repeat(250)).into_bytes()
        }),
        digest("digest, arrays, empty", 1 << 16, |n| array("[]", n)),
        digest("digest, one number, digits", 1 << 17, |n| b"7".repeat(n)),
        digest("digest, one number, zeros", 1 << 17, |n| repeated("1", "0", n, "")),
        digest("digest, numbers", 1 << 15, |n| array("-12.50e-3", n)),
        digest("digest, one string, \\u escapes", 1 << 16, |n| repeated("\"", "\\u00e9", n, "\"")),
        digest("digest, one string, surrogate pairs", 1 << 15, |n| repeated("\"", "\\ud83d\\ude00", n, "\"")),
        digest("digest, strings, empty", 1 << 16, |n| array("\"\"", n)),
        digest("digest, spaces between tokens", 1 << 14, |n| array("\t\n\r 0 \t\n\r ", n)),
    ]
}

#[cfg(test)]
mod tests {
    use super::{W1, w2};

    #[test]
    fn the_requests_have_their_sizes() {
        assert_eq!(W1.len(), 346);
        assert!((4350..4450).contains(&w2().len()), "{}", w2().len());
    }
}
