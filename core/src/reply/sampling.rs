//! The parameters of a sampling request (client/sampling, SAMP-01 to SAMP-09).

use super::is_object;
use crate::capability::Need;
use crate::form::number;
use crate::json::{Raw, Text, ValueKind};
use crate::limits::MAX_TOOL_USES;
use crate::reason::Misuse;
use crate::wire::Version;

/// Checks the parameters, and says what the client must be able to do: CAP-08 and CAP-09. A need for tools or context
/// stands for the one for sampling itself.
pub(super) fn sampling(params: Raw<'_>) -> Result<[Option<Need>; 2], Misuse> {
    let tools = params.get("tools").is_some() || params.get("toolChoice").is_some();
    let context = match params.get("includeContext") {
        None => false,
        Some(value) => one_of(value, &["none", "thisServer", "allServers"])? != "none",
    };
    check_messages(params.get("messages").filter(|all| all.kind() == ValueKind::Array).ok_or(Misuse::Sampling)?)?;
    let sound = params.get("maxTokens").and_then(number).is_some_and(|limit| limit.natural().is_some())
        && params.get("systemPrompt").is_none_or(is_string)
        && params.get("temperature").is_none_or(|value| value.kind() == ValueKind::Number)
        && params
            .get("stopSequences")
            .is_none_or(|all| all.kind() == ValueKind::Array && all.elements().all(is_string))
        && params.get("metadata").is_none_or(is_object)
        && params.get("modelPreferences").is_none_or(is_preferences)
        && params.get("tools").is_none_or(|all| all.kind() == ValueKind::Array && all.elements().all(is_tool))
        && params.get("toolChoice").is_none_or(is_tool_choice);
    match (sound, tools, context) {
        (false, ..) => Err(Misuse::Sampling),
        (true, false, false) => Ok([Some(Need::Sampling), None]),
        _ => Ok([tools.then_some(Need::SamplingTools), context.then_some(Need::SamplingContext)]),
    }
}

/// The first legacy revision that has every part of checked parameters: audio came with 2025-03-26, several blocks in one
/// message and the use of tools with 2025-11-25 (LEG-44).
pub(super) fn sampling_since(params: Raw<'_>) -> Version {
    let content = |message: Raw<'_>| match message.get("content") {
        Some(content) if content.kind() == ValueKind::Array => Version::V2025_11_25,
        content => match content.and_then(|content| content.get("type")?.text()) {
            Some(kind) if kind == *"audio" => Version::V2025_03_26,
            Some(kind) if kind == *"tool_use" || kind == *"tool_result" => Version::V2025_11_25,
            _ => Version::V2024_11_05,
        },
    };
    let messages = params.get("messages").into_iter().flat_map(|messages| messages.elements());
    messages.map(content).max().unwrap_or(Version::V2024_11_05)
}

fn one_of<'k>(value: Raw<'_>, known: &[&'k str]) -> Result<&'k str, Misuse> {
    let text = value.text().ok_or(Misuse::Sampling)?;
    known.iter().copied().find(|word| text == **word).ok_or(Misuse::Sampling)
}

/// SAMP-08: three priorities from 0 to 1, and hints.
fn is_preferences(value: Raw<'_>) -> bool {
    let priority = |name: &str| {
        value.get(name).is_none_or(|priority| {
            let zero_to_one = (number(Raw::from_checked(b"0")), number(Raw::from_checked(b"1")));
            match (number(priority), zero_to_one) {
                (Some(priority), (Some(zero), Some(one))) => zero <= priority && priority <= one,
                _ => false,
            }
        })
    };
    let hint = |hint: Raw<'_>| is_object(hint) && hint.get("name").is_none_or(is_string);
    is_object(value)
        && ["costPriority", "speedPriority", "intelligencePriority"].into_iter().all(priority)
        && value.get("hints").is_none_or(|all| all.kind() == ValueKind::Array && all.elements().all(hint))
}

fn is_tool(tool: Raw<'_>) -> bool {
    tool.has_string("name") && tool.get("inputSchema").is_some_and(is_object)
}

/// SAMP-07.
fn is_tool_choice(choice: Raw<'_>) -> bool {
    is_object(choice) && choice.get("mode").is_none_or(|mode| one_of(mode, &["auto", "required", "none"]).is_ok())
}

/// SAMP-02 to SAMP-06. What is asked for by a message's `tool_use` blocks, the next one answers, all of it and
/// nothing else.
fn check_messages(messages: Raw<'_>) -> Result<(), Misuse> {
    let mut open: Option<Raw<'_>> = None; // the message whose tool uses wait for their results
    for message in messages.elements() {
        let assistant = one_of(message.get("role").ok_or(Misuse::Sampling)?, &["user", "assistant"])? == "assistant";
        let content = message.get("content").ok_or(Misuse::Sampling)?;
        let mut results = 0;
        let mut others = 0;
        for block in blocks(content) {
            let kind = check_block(block)?;
            match (kind, assistant) {
                (Block::ToolUse, false) | (Block::ToolResult, true) => return Err(Misuse::ToolBalance),
                (Block::ToolResult, false) => results += 1,
                _ => others += 1,
            }
        }
        if results > 0 && others > 0 {
            return Err(Misuse::ToolBalance);
        }
        match open.take() {
            Some(asked) => check_balance(asked, content)?,
            None if results > 0 => return Err(Misuse::ToolBalance),
            None => {}
        }
        if assistant && uses(content).next().is_some() {
            open = Some(content);
        }
    }
    // A request that ends with an unanswered use asks the model to go on from nothing.
    if open.is_none() { Ok(()) } else { Err(Misuse::ToolBalance) }
}

/// Every use has exactly one result, and every result its use.
fn check_balance(asked: Raw<'_>, answered: Raw<'_>) -> Result<(), Misuse> {
    let count = uses(asked).count();
    // First of all: what follows looks at every pair, and the uses are what a peer's model has said.
    if count > MAX_TOOL_USES || results(answered).count() != count {
        return Err(Misuse::ToolBalance);
    }
    let mut distinct = uses(asked);
    let mut repeated = false;
    while let Some(id) = distinct.next() {
        repeated |= distinct.clone().any(|other| other == id);
    }
    let all = uses(asked).all(|id| results(answered).filter(|result| *result == id).count() == 1);
    if all && !repeated { Ok(()) } else { Err(Misuse::ToolBalance) }
}

fn uses<'a>(content: Raw<'a>) -> impl Iterator<Item = Text<'a>> + Clone {
    ids(content, "tool_use", "id")
}

fn results<'a>(content: Raw<'a>) -> impl Iterator<Item = Text<'a>> + Clone {
    ids(content, "tool_result", "toolUseId")
}

fn ids<'a>(content: Raw<'a>, kind: &'static str, member: &'static str) -> impl Iterator<Item = Text<'a>> + Clone {
    blocks(content).filter_map(move |block| {
        let is = block.get("type").and_then(|name| name.text()).is_some_and(|name| name == *kind);
        if is { block.get(member)?.text() } else { None }
    })
}

/// The blocks of a content: the elements of an array, or the one that stands there bare (SAMP-12).
fn blocks<'a>(content: Raw<'a>) -> impl Iterator<Item = Raw<'a>> + Clone {
    let bare = if content.kind() == ValueKind::Array { None } else { Some(content) };
    content.elements().chain(bare)
}

enum Block {
    ToolUse,
    ToolResult,
    Other,
}

fn check_block(block: Raw<'_>) -> Result<Block, Misuse> {
    let kind = block.get("type").and_then(|kind| kind.text()).ok_or(Misuse::Sampling)?;
    let (sound, kind) = if kind == *"text" {
        (block.has_string("text"), Block::Other)
    } else if kind == *"image" || kind == *"audio" {
        (block.has_string("data") && block.has_string("mimeType"), Block::Other)
    } else if kind == *"tool_use" {
        let input = block.get("input").is_some_and(is_object);
        (block.has_string("id") && block.has_string("name") && input, Block::ToolUse)
    } else if kind == *"tool_result" {
        let content = block.get("content").is_some_and(|content| content.kind() == ValueKind::Array);
        let flag = block.get("isError").is_none_or(|flag| flag.kind() == ValueKind::Bool);
        (block.has_string("toolUseId") && content && flag, Block::ToolResult)
    } else {
        (false, Block::Other)
    };
    if sound { Ok(kind) } else { Err(Misuse::Sampling) }
}

fn is_string(value: Raw<'_>) -> bool {
    value.kind() == ValueKind::String
}
