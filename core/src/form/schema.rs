//! The grammar of a `requestedSchema` (ELIC-06 to ELIC-20).

use super::format::Format;
use crate::json::number::Decimal;
use crate::json::{Raw, Text, ValueKind};
use crate::limits::{MAX_FORM_OPTIONS, MAX_FORM_OPTIONS_BYTES, MAX_FORM_PROPERTIES};
use crate::reason::Misuse;
use crate::wire::Version;

/// What is wrong with a form's schema: a fault of the host that builds the question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormError<'s> {
    /// What is wrong.
    pub fault: Misuse,
    /// The property that is; `None` where it is the schema itself.
    pub property: Option<Text<'s>>,
}

/// One kind of field, with all that binds its value.
#[derive(Clone, Copy)]
pub(super) enum Field<'s> {
    Text { min: Option<Raw<'s>>, max: Option<Raw<'s>>, format: Option<Format> },
    Choice(Options<'s>),
    Number { integer: bool, min: Option<Raw<'s>>, max: Option<Raw<'s>> },
    Flag,
    Choices { options: Options<'s>, min: Option<Raw<'s>>, max: Option<Raw<'s>> },
}

/// The values that a select offers, titled or not.
#[derive(Clone, Copy)]
pub(super) struct Options<'s> {
    list: Raw<'s>,
    titled: bool,
}

impl<'s> Options<'s> {
    /// The values in order. An entry that is no option is left out; the grammar has refused it before.
    pub(super) fn values(self) -> impl Iterator<Item = Text<'s>> + Clone {
        let titled = self.titled;
        self.list.elements().filter_map(move |one| if titled { one.get("const")?.text() } else { one.text() })
    }

    pub(super) fn has(self, value: Text<'_>) -> bool {
        self.values().any(|option| option == value)
    }

    /// Whether an option is there twice (ELIC-19).
    fn repeats(self) -> bool {
        let mut rest = self.values();
        while let Some(one) = rest.next() {
            if rest.clone().any(|other| other == one) {
                return true;
            }
        }
        false
    }

    /// A list of options that is neither empty nor too long.
    fn read(list: Raw<'s>, titled: bool) -> Result<Self, Misuse> {
        let options = Options { list, titled };
        let count = list.elements().count();
        let sound = list.elements().all(|one| {
            if titled {
                one.has_string("const") && one.has_string("title") && only(one, &["const", "title"])
            } else {
                one.kind() == ValueKind::String
            }
        });
        let long = count > MAX_FORM_OPTIONS || list.as_bytes().len() > MAX_FORM_OPTIONS_BYTES;
        if list.kind() != ValueKind::Array || count == 0 || long || !sound {
            return Err(Misuse::FormOptions);
        }
        Ok(options)
    }
}

impl<'s> Field<'s> {
    /// Reads one property. What has been read binds the content; what cannot bind it is refused.
    pub(super) fn read(schema: Raw<'s>) -> Result<Self, Misuse> {
        let kind = schema.get("type").and_then(|kind| kind.text()).ok_or(Misuse::FormType)?;
        for name in ["title", "description"] {
            if schema.get(name).is_some_and(|value| value.kind() != ValueKind::String) {
                return Err(Misuse::FormProperty);
            }
        }
        let (field, own) = if kind == *"string" {
            Self::read_string(schema)?
        } else if kind == *"number" || kind == *"integer" {
            let (min, max) = bounds(schema, "minimum", "maximum", |_| true)?;
            (Field::Number { integer: kind == *"integer", min, max }, &["minimum", "maximum"][..])
        } else if kind == *"boolean" {
            (Field::Flag, &[][..])
        } else if kind == *"array" {
            let (min, max) = bounds(schema, "minItems", "maxItems", |bound| bound.natural().is_some())?;
            let options = Self::read_items(schema.get("items").ok_or(Misuse::FormOptions)?)?;
            (Field::Choices { options, min, max }, &["minItems", "maxItems", "items"][..])
        } else {
            return Err(Misuse::FormType);
        };
        if schema.members().any(|(name, _)| binds(name) && !own.iter().any(|known| name == **known)) {
            return Err(Misuse::FormKeyword);
        }
        match schema.get("default") {
            Some(default) if field.check(default).is_err() => Err(Misuse::FormDefault),
            _ => Ok(field),
        }
    }

    fn read_string(schema: Raw<'s>) -> Result<(Self, &'static [&'static str]), Misuse> {
        if let Some(list) = schema.get("oneOf") {
            return Ok((Field::Choice(Options::read(list, true)?), &["oneOf"]));
        }
        if let Some(list) = schema.get("enum") {
            let options = Options::read(list, false)?;
            // The older way to title them: as many names as values (ELIC-16).
            let titled = schema.get("enumNames").is_none_or(|names| {
                names.elements().all(|name| name.kind() == ValueKind::String)
                    && names.elements().count() == list.elements().count()
                    && names.kind() == ValueKind::Array
            });
            return if titled { Ok((Field::Choice(options), &["enum"])) } else { Err(Misuse::FormOptions) };
        }
        let (min, max) = bounds(schema, "minLength", "maxLength", |bound| bound.natural().is_some())?;
        let format = match schema.get("format") {
            None => None,
            Some(name) => Some(name.text().and_then(Format::find).ok_or(Misuse::FormFormat)?),
        };
        Ok((Field::Text { min, max, format }, &["minLength", "maxLength", "format"]))
    }

    fn read_items(items: Raw<'s>) -> Result<Options<'s>, Misuse> {
        let titled = items.get("anyOf");
        let plain = items.get("enum");
        let own: &[&str] = if titled.is_some() { &["anyOf"] } else { &["type", "enum"] };
        if items.members().any(|(name, _)| (binds(name) || name == *"type") && !own.iter().any(|known| name == **known))
        {
            return Err(Misuse::FormKeyword);
        }
        match (titled, plain) {
            (Some(list), None) => Options::read(list, true),
            (None, Some(list))
                if items.get("type").and_then(|kind| kind.text()).is_some_and(|kind| kind == *"string") =>
            {
                Options::read(list, false)
            }
            _ => Err(Misuse::FormOptions),
        }
    }
}

/// A checked schema of a form.
#[derive(Clone, Copy)]
pub(super) struct Form<'s> {
    properties: Raw<'s>,
    required: Option<Raw<'s>>,
    /// Whether content may have members that the schema does not name.
    pub(super) open: bool,
}

impl<'s> Form<'s> {
    pub(super) fn read(schema: Raw<'s>) -> Result<Self, FormError<'s>> {
        let whole = |fault| FormError { fault, property: None };
        let object = schema.get("type").and_then(|kind| kind.text()).is_some_and(|kind| kind == *"object");
        let properties = schema.get("properties").filter(|all| all.kind() == ValueKind::Object);
        let (true, Some(properties)) = (object, properties) else { return Err(whole(Misuse::FormSchema)) };
        if schema.get("$schema").is_some_and(|dialect| dialect.kind() != ValueKind::String) {
            return Err(whole(Misuse::FormSchema));
        }
        if schema.members().any(|(name, _)| binds(name) && !ROOT.iter().any(|known| name == **known)) {
            return Err(whole(Misuse::FormKeyword));
        }
        let open = match schema.get("additionalProperties").map(|value| value.as_bytes()) {
            None | Some(b"true") => true,
            Some(b"false") => false,
            Some(_) => return Err(whole(Misuse::FormKeyword)),
        };
        if properties.members().count() > MAX_FORM_PROPERTIES {
            return Err(whole(Misuse::FormSchema));
        }
        for (name, property) in properties.members() {
            Field::read(property).map_err(|fault| FormError { fault, property: Some(name) })?;
        }
        let form = Form { properties, required: schema.get("required"), open };
        let listed = form.required.is_none_or(|all| {
            all.kind() == ValueKind::Array
                && all.elements().count() <= MAX_FORM_PROPERTIES
                && all.elements().all(|name| name.text().is_some_and(|name| form.property(name).is_some()))
        });
        if listed { Ok(form) } else { Err(whole(Misuse::FormRequired)) }
    }

    pub(super) fn property(&self, name: Text<'_>) -> Option<Raw<'s>> {
        self.properties.members().find(|(key, _)| *key == name).map(|(_, schema)| schema)
    }

    /// The names that the content must have.
    pub(super) fn required(&self) -> impl Iterator<Item = Text<'s>> {
        self.required.into_iter().flat_map(|all| all.elements()).filter_map(|name| name.text())
    }
}

/// Checks a form's schema before the question is asked: the JSON text of a checked value, as `requestedSchema` has it
/// (ELIC-06 to ELIC-19). At most [`MAX_FORM_PROPERTIES`] properties and [`MAX_FORM_OPTIONS`] options each. Members that
/// JSON Schema has no constraint for, such as `title` or those of a vendor, pass; constraints that a form's grammar
/// does not have are refused.
///
/// # Errors
///
/// [`FormError`] with one of the `Form...` faults of [`Misuse`].
pub fn check_requested_schema(schema: Raw<'_>) -> Result<(), FormError<'_>> {
    let form = Form::read(schema)?;
    for (name, property) in form.properties.members() {
        let repeats = match Field::read(property) {
            Ok(Field::Choice(options) | Field::Choices { options, .. }) => options.repeats(),
            _ => false,
        };
        if repeats {
            return Err(FormError { fault: Misuse::FormOptions, property: Some(name) });
        }
    }
    Ok(())
}

/// The constraints that the schema itself may have.
const ROOT: &[&str] = &["type", "properties", "required", "additionalProperties"];

/// The keywords of JSON Schema 2020-12 that bind a value, and those of earlier drafts. `type` is read by itself.
const BINDING: &[&str] = &[
    "$ref",
    "$dynamicRef",
    "$recursiveRef",
    "additionalItems",
    "additionalProperties",
    "allOf",
    "anyOf",
    "const",
    "contains",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "disallow",
    "divisibleBy",
    "else",
    "enum",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "extends",
    "if",
    "items",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "oneOf",
    "pattern",
    "patternProperties",
    "prefixItems",
    "properties",
    "propertyNames",
    "required",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
];

fn binds(name: Text<'_>) -> bool {
    BINDING.iter().any(|keyword| name == **keyword)
}

/// Two bounds: numbers, the lower one not above the upper, each of them `sound`.
fn bounds<'s>(
    schema: Raw<'s>,
    low: &str,
    high: &str,
    sound: impl Fn(&Decimal<'s>) -> bool,
) -> Result<(Option<Raw<'s>>, Option<Raw<'s>>), Misuse> {
    let (min, max) = (schema.get(low), schema.get(high));
    let read = |bound: Option<Raw<'s>>| match bound {
        None => Ok(None),
        Some(bound) => number(bound).filter(|value| sound(value)).map(Some).ok_or(Misuse::FormBounds),
    };
    match (read(min)?, read(max)?) {
        (Some(low), Some(high)) if low > high => Err(Misuse::FormBounds),
        _ => Ok((min, max)),
    }
}

/// The first revision that has every part of a checked schema which binds an answer: options with titles of their own, and
/// several choices, came with 2025-11-25 (LEG-40, LEG-41).
pub(crate) fn form_since(schema: Raw<'_>) -> Version {
    let later = |(_, property): (Text<'_>, Raw<'_>)| property.get("oneOf").is_some() || property.get("items").is_some();
    let properties = schema.get("properties");
    if properties.is_some_and(|all| all.members().any(later)) { Version::V2025_11_25 } else { Version::V2025_06_18 }
}

/// The exact value of a number; `None` for other values, and beyond the limit on exponents.
pub(crate) fn number(value: Raw<'_>) -> Option<Decimal<'_>> {
    if value.kind() == ValueKind::Number { Decimal::read(value.as_bytes()) } else { None }
}

/// Whether an object binds its value by nothing but these.
fn only(object: Raw<'_>, names: &[&str]) -> bool {
    object.members().all(|(name, _)| !binds(name) || names.iter().any(|known| name == **known))
}
