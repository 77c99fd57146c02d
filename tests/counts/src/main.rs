//! The work whose instructions run.py counts.
//!
//! `counts write DIR` makes the inputs and DIR/manifest.tsv; `counts measure DIR` reads each of them once, in the order
//! of the manifest, inside a function whose name begins with `measured`: callgrind counts what happens in there.

mod collide;
mod seal;
mod shapes;

use std::hint::black_box;
use std::path::Path;
use std::{env, fs};

use wireseal::json::{Raw, check, scratch_len};
use wireseal::limits::{MAX_BODY_BYTES, MAX_DEPTH};
use wireseal::{Context, Headers, ParamHeaders, ParamTable, Policy, Reason, admit};

/// What is done with an input.
#[derive(Clone, Copy)]
pub enum Work {
    /// `json::check`.
    Check,
    /// `admit`, as a line of stdio.
    Stdio,
    /// `admit`, as the body behind header lines and an empty one; the fields are collected inside of the count.
    Http,
    /// `ParamTable::compile`, and the place of the fault where there is one.
    Schema,
    /// `ParamHeaders::verify` of arguments, with a schema whose parameters they lack.
    Arguments,
    /// `Sealer::seal`, `compact`, for a request.
    Seal,
    /// `Sealer::open` of that.
    Open,
    /// `arguments_digest`.
    Digest,
}

impl Work {
    const ALL: [(&'static str, Work); 8] = [
        ("check", Work::Check),
        ("stdio", Work::Stdio),
        ("http", Work::Http),
        ("schema", Work::Schema),
        ("arguments", Work::Arguments),
        ("seal", Work::Seal),
        ("open", Work::Open),
        ("digest", Work::Digest),
    ];

    fn name(self) -> &'static str {
        match self {
            Work::Check => "check",
            Work::Stdio => "stdio",
            Work::Http => "http",
            Work::Schema => "schema",
            Work::Arguments => "arguments",
            Work::Seal => "seal",
            Work::Open => "open",
            Work::Digest => "digest",
        }
    }
}

const POLICY: Policy<'_> = Policy { max_bytes: MAX_BODY_BYTES, max_depth: MAX_DEPTH, ..Policy::new() };

#[inline(never)]
fn measured_check(text: &[u8], scratch: &mut [u64]) -> &'static str {
    check(text, MAX_DEPTH, scratch).map_or_else(|error| error.reason.name(), |_| "accepted")
}

#[inline(never)]
fn measured_stdio(body: &[u8], scratch: &mut [u64]) -> &'static str {
    admit(body, &Context::stdio(), &POLICY, scratch).map_or_else(|rejected| rejected.reason().name(), |_| "accepted")
}

#[inline(never)]
fn measured_http(fields: &[Field<'_>], body: &[u8], scratch: &mut [u64]) -> &'static str {
    let headers = Headers::collect(fields.iter().copied());
    admit(body, &Context::http(&headers), &POLICY, scratch)
        .map_or_else(|rejected| rejected.reason().name(), |_| "accepted")
}

#[inline(never)]
fn measured_schema(schema: &[u8], scratch: &mut [u64], out: &mut [u8]) -> &'static str {
    match ParamTable::compile(schema, scratch) {
        Ok(_) => "accepted",
        Err(error) => {
            black_box(error.emit_pointer(schema, out)).expect("room");
            error.fault.name()
        }
    }
}

#[inline(never)]
fn measured_arguments(known: &ParamHeaders<'_>, arguments: Raw<'_>) -> &'static str {
    let headers = Headers::default();
    known.verify(Some(arguments), &headers).map_or_else(Reason::name, |()| "accepted")
}

/// A header field: name and value.
type Field<'h> = (&'h [u8], &'h [u8]);

/// Header fields up to an empty line, and the body.
fn split(input: &[u8]) -> (Vec<Field<'_>>, &[u8]) {
    let end = input.windows(2).position(|pair| pair == b"\n\n").expect("an empty line");
    let fields = input[..end].split(|&byte| byte == b'\n').map(|line| {
        let colon = line.iter().position(|&byte| byte == b':').expect("a colon");
        (&line[..colon], &line[colon + 1..])
    });
    (fields.collect(), &input[end + 2..])
}

fn write(folder: &Path) {
    fs::create_dir_all(folder).expect("the folder can be made");
    let mut manifest = String::new();
    for shape in shapes::all() {
        for (step, factor) in [1, 2, 4].into_iter().take(if shape.grows { 3 } else { 1 }).enumerate() {
            let n = shape.n * factor;
            let file = format!("{}-{step}", shape.name.replace([' ', ','], "-"));
            let input = (shape.make)(n);
            let (work, verdict) = (shape.work.name(), shape.verdict);
            manifest += &format!("{file}\t{}\t{work}\t{verdict}\t{n}\t{}\n", shape.name, input.len());
            fs::write(folder.join(file), input).expect("the input can be written");
        }
    }
    fs::write(folder.join("manifest.tsv"), manifest).expect("the manifest can be written");
}

fn measure(folder: &Path) {
    let manifest = fs::read_to_string(folder.join("manifest.tsv")).expect("run `counts write` first");
    for line in manifest.lines() {
        let cells: Vec<&str> = line.split('\t').collect();
        let [file, _, work, expected, ..] = cells[..] else { panic!("the manifest is broken: {line}") };
        let input = fs::read(folder.join(file)).expect("the input is there");
        let mut scratch = vec![0; scratch_len(input.len())];
        let work = Work::ALL.into_iter().find(|(name, _)| *name == work).expect("known work").1;
        let verdict = match work {
            Work::Check => measured_check(black_box(&input), black_box(&mut scratch)),
            Work::Stdio => measured_stdio(black_box(&input), black_box(&mut scratch)),
            Work::Http => {
                let (fields, body) = split(&input);
                measured_http(black_box(&fields), black_box(body), black_box(&mut scratch))
            }
            Work::Schema => {
                let mut out = vec![0; input.len() + 64];
                measured_schema(black_box(&input), black_box(&mut scratch), black_box(&mut out))
            }
            Work::Arguments => {
                let schema = shapes::mirroring();
                let table = ParamTable::compile(&schema, &mut vec![0; scratch_len(schema.len())]).expect("a schema");
                let arguments = check(&input, MAX_DEPTH, &mut scratch).expect("arguments");
                measured_arguments(black_box(&table.view(&schema).expect("its schema")), black_box(arguments))
            }
            Work::Seal => seal::sealing(&input, false),
            Work::Open => seal::sealing(&input, true),
            Work::Digest => seal::digest(check(&input, MAX_DEPTH, &mut scratch).expect("arguments")),
        };
        assert_eq!(verdict, expected, "{file}");
    }
}

fn main() {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", folder] => write(Path::new(folder)),
        ["measure", folder] => measure(Path::new(folder)),
        _ => panic!("usage: counts write|measure DIR"),
    }
}
