//! Documents from a seed: JSON of many shapes, half of it broken afterwards.

/// SplitMix64: a few lines, and the same numbers everywhere.
pub struct Random(u64);

impl Random {
    /// The generator with this seed.
    pub const fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next 64 bits.
    pub const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn pick<'a, T: ?Sized>(&mut self, of: &[&'a T]) -> &'a T {
        of[self.below(of.len())]
    }
}

/// The document with this number: each can be made alone.
pub fn document(seed: u64, number: u64) -> Vec<u8> {
    let mut random = Random::new(seed ^ number.wrapping_mul(0xD6E8_FEB8_6659_FD93));
    let mut out = Vec::new();
    let broken = number % 2 == 1;
    if random.one_in(5) {
        tiny(&mut random, &mut out, 3);
        if broken {
            disturb(&mut random, &mut out);
        }
        return out;
    }
    if random.one_in(50) {
        out.extend(BOM);
    }
    space(&mut random, &mut out);
    match random.below(20) {
        0..12 => {
            // Small documents most of the time: a change in them shows.
            let mut budget = if random.one_in(3) { 1 + random.below(40) } else { 1 + random.below(6) };
            value(&mut random, &mut out, 7, &mut budget);
        }
        12..14 => wide(&mut random, &mut out),
        14..16 => deep(&mut random, &mut out),
        16..18 => string(&mut random, &mut out, 300),
        _ => numbers(&mut random, &mut out),
    }
    space(&mut random, &mut out);
    if broken {
        for _ in 0..1 + random.below(3) {
            mutate(&mut random, &mut out);
        }
    }
    out
}

const BOM: &[u8] = b"\xEF\xBB\xBF";

fn space(random: &mut Random, out: &mut Vec<u8>) {
    if random.one_in(4) {
        for _ in 0..=random.below(3) {
            out.push(*random.pick(&[&b' ', &b'\n', &b'\t', &b'\r']));
        }
    }
}

/// A few tokens, so that one token more or less decides.
fn tiny(random: &mut Random, out: &mut Vec<u8>, depth: usize) {
    match random.below(if depth == 0 { 2 } else { 6 }) {
        0 => out.extend(random.pick(&["0", "1e1", "-2.5", "null"]).as_bytes()),
        1 => out.extend(b"\"a\""),
        2 | 3 => {
            out.push(b'[');
            for index in 0..random.below(4) {
                if index > 0 {
                    out.push(b',');
                }
                tiny(random, out, depth - 1);
            }
            out.push(b']');
        }
        _ => {
            out.push(b'{');
            for index in 0..random.below(4) {
                if index > 0 {
                    out.push(b',');
                }
                out.extend(random.pick(&["\"a\":", "\"b\":", "\"c\":", "\"\\u0061\":", "\"\":"]).as_bytes());
                tiny(random, out, depth - 1);
            }
            out.push(b'}');
        }
    }
}

/// Changes one token, or a part of one.
fn disturb(random: &mut Random, out: &mut Vec<u8>) {
    let token = random.pick(&[",", ":", "[", "]", "{", "}", "0", "\"a\"", " ", "-", ".", "e", "\\"]).bytes();
    let at = random.below(out.len());
    match random.below(3) {
        0 => drop(out.splice(at..at, token)),
        1 => drop(out.splice(at..=at, token)),
        _ => drop(out.remove(at)),
    }
}

fn value(random: &mut Random, out: &mut Vec<u8>, depth: usize, budget: &mut usize) {
    *budget = budget.saturating_sub(1);
    match random.below(if depth == 0 || *budget == 0 { 5 } else { 10 }) {
        0 => out.extend(random.pick(&["null", "true", "false"]).as_bytes()),
        1 | 2 => number(random, out),
        3 | 4 => string(random, out, 24),
        5..8 => {
            out.push(b'[');
            space(random, out);
            for index in 0..random.below(6).min(*budget) {
                if index > 0 {
                    out.push(b',');
                    space(random, out);
                }
                value(random, out, depth - 1, budget);
                space(random, out);
            }
            out.push(b']');
        }
        _ => {
            let count = random.below(8).min(*budget);
            object(random, out, depth, budget, count);
        }
    }
}

fn object(random: &mut Random, out: &mut Vec<u8>, depth: usize, budget: &mut usize, count: usize) {
    // Most objects have names of their own; some draw them so that one may come twice.
    let careless = random.one_in(6);
    let family = random.below(4);
    out.push(b'{');
    space(random, out);
    for index in 0..count {
        if index > 0 {
            out.push(b',');
            space(random, out);
        }
        let which = if careless { random.below(count * 6) } else { index };
        name(random, out, family, which);
        space(random, out);
        out.push(b':');
        space(random, out);
        value(random, out, depth.saturating_sub(1), budget);
        space(random, out);
    }
    out.push(b'}');
}

/// The name of this number in its family. Names of one family resemble each other: in their beginning, in
/// their end, or in being the names that the protocol reads.
fn name(random: &mut Random, out: &mut Vec<u8>, family: usize, which: usize) {
    const PROTOCOL: &[&str] = &[
        "jsonrpc",
        "id",
        "method",
        "params",
        "result",
        "error",
        "_meta",
        "name",
        "uri",
        "arguments",
        "requestState",
        "inputResponses",
        "io.modelcontextprotocol/protocolVersion",
        "progressToken",
        "$serde_json",
        "",
    ];
    let text = match family {
        0 => PROTOCOL.get(which).map_or_else(|| format!("{which}"), |name| (*name).to_string()),
        1 => format!("the same long beginning of every name, {which}"),
        2 => format!("{which}, the same long end of every name"),
        _ => {
            let letter = char::from_u32(0x61 + which as u32 * 0x1F3 % 0xD000).unwrap_or('x');
            letter.to_string().repeat(1 + which % 9)
        }
    };
    out.push(b'"');
    let escape = random.one_in(5);
    for letter in text.chars() {
        if escape && random.one_in(3) || (letter as u32) < 0x20 || letter == '"' || letter == '\\' {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                unit_escape(random, out, *unit);
            }
        } else {
            out.extend(letter.encode_utf8(&mut [0; 4]).as_bytes());
        }
    }
    out.push(b'"');
}

fn unit_escape(random: &mut Random, out: &mut Vec<u8>, unit: u16) {
    out.extend(if random.one_in(2) { format!("\\u{unit:04x}") } else { format!("\\u{unit:04X}") }.as_bytes());
}

fn string(random: &mut Random, out: &mut Vec<u8>, most: usize) {
    out.push(b'"');
    for _ in 0..random.below(4) {
        match random.below(8) {
            0..3 => {
                // Runs of plain characters of every length: the reader takes them in words and in wider chunks.
                for _ in 0..random.below(most) {
                    out.push(*random.pick(&[&b'a', &b' ', &b'~', &b'/', &0x7F, &b'{', &b',', &b':', &b']']));
                }
            }
            3 | 4 => {
                let wide =
                    ["é", "߿", "ࠀ", "€", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "😀", "\u{10FFFF}", "\u{80}", "\u{2028}"];
                out.extend(random.pick(&wide).as_bytes());
            }
            5 => out.extend(random.pick(&["\\\"", "\\\\", "\\/", "\\b", "\\f", "\\n", "\\r", "\\t"]).as_bytes()),
            6 => {
                let unit = *random.pick(&[&0u16, &0x1F, &0x22, &0x41, &0x7F, &0x80, &0x7FF, &0x800, &0xFFFD, &0xFFFF]);
                unit_escape(random, out, unit);
            }
            _ => {
                // A surrogate pair; now and then half of one, or two halves in the wrong order.
                let high = 0xD800 + random.below(0x400) as u16;
                let low = 0xDC00 + random.below(0x400) as u16;
                match random.below(12) {
                    0 => unit_escape(random, out, high),
                    1 => unit_escape(random, out, low),
                    2 => [low, high].into_iter().for_each(|unit| unit_escape(random, out, unit)),
                    _ => [high, low].into_iter().for_each(|unit| unit_escape(random, out, unit)),
                }
            }
        }
    }
    out.push(b'"');
}

fn number(random: &mut Random, out: &mut Vec<u8>) {
    let digits = |random: &mut Random, out: &mut Vec<u8>| {
        let count = if random.one_in(10) { random.below(400) } else { random.below(8) };
        (0..=count).for_each(|_| out.push(b'0' + random.below(10) as u8));
    };
    if random.one_in(3) {
        out.push(b'-');
    }
    if random.one_in(4) {
        out.push(b'0');
    } else {
        out.push(b'1' + random.below(9) as u8);
        if random.one_in(2) {
            digits(random, out);
        }
    }
    if random.one_in(3) {
        out.push(b'.');
        digits(random, out);
    }
    if random.one_in(3) {
        out.extend(random.pick(&["e", "E", "e+", "E+", "e-", "E-"]).as_bytes());
        digits(random, out);
    }
}

fn numbers(random: &mut Random, out: &mut Vec<u8>) {
    out.push(b'[');
    for index in 0..random.below(20) {
        if index > 0 {
            out.push(b',');
        }
        space(random, out);
        number(random, out);
    }
    out.push(b']');
}

/// An object with more members than are compared each with each.
fn wide(random: &mut Random, out: &mut Vec<u8>) {
    let mut budget = 20;
    let count = 12 + random.below(70);
    object(random, out, 2, &mut budget, count);
}

/// Containers in containers, at and beyond the limit.
fn deep(random: &mut Random, out: &mut Vec<u8>) {
    let depth = if random.one_in(2) { random.below(40) } else { 250 + random.below(20) };
    let mut closers = Vec::new();
    for _ in 0..depth {
        if random.one_in(3) {
            out.extend(b"{\"a\":");
            closers.push(b'}');
        } else {
            out.push(b'[');
            closers.push(b']');
        }
        if random.one_in(30) {
            space(random, out);
        }
    }
    out.extend(random.pick(&["0", "\"\"", "[]", "{}", "null"]).as_bytes());
    while let Some(closer) = closers.pop() {
        if random.one_in(30) {
            let more = if closer == b'}' { ",\"b\":1" } else { ",1" };
            out.extend(more.as_bytes());
        }
        out.push(closer);
    }
}

const PUNCTUATION: &[&[u8]] = &[b",", b":", b"[", b"]", b"{", b"}", b"\"", b"-", b".", b"0"];

/// What a broken document may get: bits of JSON, and bits of what others take for JSON.
const PIECES: &[&[u8]] = &[
    b"NaN",
    b"Infinity",
    b"-Infinity",
    b"-",
    b"+1",
    b"01",
    b"-01",
    b"00",
    b"1.",
    b".5",
    b"1.e1",
    b"1e",
    b"1e+",
    b"0x1",
    b"0e0",
    b"-0",
    b"1_0",
    b"//",
    b"/**/",
    b"#",
    b"'a'",
    b"undefined",
    b"True",
    b"tru",
    b"nul",
    b"falsee",
    b",",
    b",,",
    b":",
    b"[",
    b"]",
    b"{",
    b"}",
    b"{}",
    b"[]",
    b"\"",
    b"\"\"",
    b"\\",
    b"\\\\",
    b"\\u",
    b"\\u12",
    b"\\uD8",
    b"\\u00e9",
    b"\\U0041",
    b"\\u+041",
    b"\\u 041",
    b"\\ud800",
    b"\\uDC00",
    b"\\ud800\\u",
    b"\\ud83d\\ude00",
    b"\\x41",
    b"\\'",
    b"\\0",
    b"\\a",
    b"\\v",
    b"\\\n",
    b"\n",
    b"\r",
    b"\t",
    b"\x0B",
    b"\x0C",
    b"\x00",
    b"\x1F",
    b"\x7F",
    b"\xC2\xA0",
    b"\xC2\x85",
    b"\xE2\x80\xA8",
    b"\xEF\xBB\xBF",
    b"\xEF\xBB",
    b"\xFE\xFF",
    b"\xC0\xAF",
    b"\xC1\xBF",
    b"\xE0\x80\xAF",
    b"\xE0\x9F\xBF",
    b"\xED\xA0\x80",
    b"\xED\xBF\xBF",
    b"\xF0\x80\x80\xAF",
    b"\xF0\x8F\xBF\xBF",
    b"\xF4\x90\x80\x80",
    b"\xF5\x80\x80\x80",
    b"\xE2\x82",
    b"\xF0\x9F\x98",
    b"\x80",
    b"\xBF",
    b"\xFF",
    b"\xC3",
    b"\xC3\xA9",
    b"\xE2\x82\xAC",
    b"\xF0\x9F\x98\x80",
];

/// Where punctuation stands outside of strings, and where strings begin and end.
fn joints(text: &[u8]) -> Vec<usize> {
    let mut found = Vec::new();
    let (mut inside, mut escaped) = (false, false);
    for (at, &byte) in text.iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if inside => escaped = true,
            b'"' => {
                inside = !inside;
                found.push(at);
            }
            b'{' | b'}' | b'[' | b']' | b',' | b':' if !inside => found.push(at),
            _ => {}
        }
    }
    found
}

fn mutate(random: &mut Random, out: &mut Vec<u8>) {
    let mut at = random.below(out.len() + 1);
    if random.one_in(2) {
        // At a bracket, comma, colon or quote, just before or behind it: that is where grammars differ.
        let joints = joints(out);
        if !joints.is_empty() {
            at = joints[random.below(joints.len())] + random.below(2);
        }
    }
    let piece = if random.one_in(3) { random.pick(PUNCTUATION) } else { random.pick(PIECES) };
    match random.below(10) {
        0 => out.truncate(at),
        1 | 2 => {
            out.splice(at..at, piece.iter().copied());
        }
        3 => {
            let end = (at + piece.len()).min(out.len());
            out.splice(at..end, piece.iter().copied());
        }
        4 => out.insert(at, random.next() as u8),
        5 if at < out.len() => out[at] = random.next() as u8,
        6 if at < out.len() => out[at] ^= 1 << random.below(8),
        7 if at < out.len() => {
            out.remove(at);
        }
        8 => {
            // A stretch twice: repeated members, repeated values, doubled brackets.
            let end = (at + 1 + random.below(40)).min(out.len());
            let stretch = out[at..end].to_vec();
            out.splice(end..end, stretch);
        }
        9 => {
            let end = (at + 1 + random.below(12)).min(out.len());
            out.drain(at..end);
        }
        _ => out.extend(piece.iter()),
    }
}
