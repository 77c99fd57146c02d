"""The cases of tests/vectors/param.json, and what the reference makes of them."""

from __future__ import annotations

import json
from typing import Any

import param
from cases import Case, Cases

Fields = list[tuple[str, str]]

STRING = {"type": "string", "x-mcp-header": "A"}
DEEP = {"type": "object", "properties": {"site": {"type": "object", "properties": {"zone": {**STRING}}}}}
# One parameter of each type, and one that is nested.
DESK = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "n": {"type": "integer", "x-mcp-header": "N"},
        "flag": {"type": "boolean", "x-mcp-header": "Flag"},
        "site": {"type": "object", "properties": {"zone": {"type": "string", "x-mcp-header": "Zone"}}},
        "free": {"type": "string"},
    },
}


def text_of(value: Any) -> str:
    """JSON text as it is, other values as their text."""
    return value if isinstance(value, str) else json.dumps(value)


def compile_case(schema: Any) -> Case:
    text = text_of(schema)
    expect: Case
    try:
        expect = {"names": [f"Mcp-Param-{header.token}" for header in param.compile(text)]}
    except param.Fault as fault:
        expect = {"fault": fault.name}
        if fault.pointer is not None:
            expect["pointer"] = fault.pointer
    return {"call": "compile", "schema": text, "expect": expect}


def emit_case(arguments: Any, schema: Any = None) -> Case:
    text = text_of(schema or DESK)
    given = None if arguments is None else text_of(arguments)
    expect: Case
    try:
        expect = {"headers": [list(field) for field in param.emit(param.compile(text), given)]}
    except param.Misuse as misuse:
        expect = {"misuse": str(misuse)}
    return {"call": "emit", "schema": text, "arguments": given, "expect": expect}


def verify_case(arguments: Any, fields: Fields, schema: Any = None) -> Case:
    text = text_of(schema or DESK)
    given = None if arguments is None else text_of(arguments)
    expect: Case = {"ok": True}
    try:
        param.verify(param.compile(text), given, fields)
    except param.Refused as refused:
        expect = {"reason": str(refused)}
    headers = [list(field) for field in fields]
    return {"call": "verify", "schema": text, "arguments": given, "headers": headers, "expect": expect}


def properties(**schemas: Any) -> Case:
    return {"type": "object", "properties": schemas}


def compile_cases(cases: Cases) -> None:
    def good(id: str, why: str, schema: Any, *names: str, rules: tuple[str, ...] = ()) -> None:
        case = compile_case(schema)
        assert case["expect"] == {"names": [f"Mcp-Param-{name}" for name in names]}, (id, case["expect"])
        cases.add(id, why, case, rules)

    def bad(id: str, why: str, schema: Any, fault: str, pointer: str | None = None, rules: tuple[str, ...] = ()) -> None:
        case = compile_case(schema)
        wanted = {"fault": fault} if pointer is None else {"fault": fault, "pointer": pointer}
        assert case["expect"] == wanted, (id, case["expect"])
        cases.add(id, why, case, rules)

    good("PRM-01/four", "each type, and a nested one, in the order of the text", DESK, "Region", "N", "Flag", "Zone")
    good("PRM-01/none", "most tools mirror nothing", properties(a={"type": "string"}))
    good("PRM-01/bare", "a schema with nothing in it", {})
    good("PRM-01/no-properties", "properties that are no object", {"type": "object", "properties": [STRING]})
    good("PRM-01/boolean-schemas", "true and false are schemas", properties(a=True, b=False, c=STRING), "A")
    good("PRM-01/case", "the name keeps its case", properties(a={"type": "string", "x-mcp-header": "tENANT"}), "tENANT")
    good(
        "PRM-01/escapes",
        "keywords, names and values are compared decoded",
        '{"\\u0070roperties":{"\\u0061":{"\\u0074ype":"\\u0073tring","x\\u002dmcp-header":"R\\u0065gion"}}}',
        "Region",
    )
    spaced = json.dumps(DESK, indent="\t").replace(": ", "\t:\r\n\t ").replace("{", "\t{ ")
    good("PRM-01/spaces", "white space between all tokens", spaced, "Region", "N", "Flag", "Zone")
    good(
        "PRM-01/type-last",
        "type after the annotation, with other members between",
        '{"properties":{"a":{"x-mcp-header":"A","x":{"type":"array"},"default":"}","type":"string"}}}',
        "A",
    )
    good("PRM-33/method", "names of standard headers are free", properties(a={**STRING, "x-mcp-header": "Method"}), "Method")
    good("PRM-03/all", "every token character", properties(a={**STRING, "x-mcp-header": "!#$%&'*+-.^_`|~09AZaz"}),
         "!#$%&'*+-.^_`|~09AZaz")

    for value, word in (
        (0, "number"),
        (None, "null"),
        (True, "true"),
        (["Zone"], "array"),
        ({}, "object"),
        ({"x-mcp-header": "A"}, "object-alike"),
        (int("9" * 4000), "long-integer"),
    ):
        bad(
            f"PRM-02/{word}",
            "the annotation must be a string",
            properties(a={"type": "string", "x-mcp-header": value}),
            "header-not-string",
            "/properties/a",
        )
    bad("PRM-02/empty", "an empty name", properties(a={"type": "string", "x-mcp-header": ""}), "header-empty", "/properties/a")
    for name, word in (
        ("My Region", "space"),
        (" Region", "space-before"),
        ("Region ", "space-after"),
        ("Region:Primary", "colon"),
        ("R\u00e9gion", "non-ascii"),
        ("Region\t1", "tab"),
        ("Zone\n", "line-feed"),
        ("Zone\r\nX: y", "injection"),
        ("\x00", "nul"),
        ("Zone\x7f", "delete"),
        ("a/b", "slash"),
        ("a,b", "comma"),
        ("a;b", "semicolon"),
        ("a=b", "equals"),
        ("(a)", "parentheses"),
        ("a[b", "bracket"),
        ('a"b', "quote"),
        ("a\\b", "backslash"),
        ("a{b", "brace"),
        ("a@b", "at"),
        ("a<b", "less"),
        ("a?b", "question"),
        ("\ud800", "surrogate"),
        ("\uff21", "fullwidth"),
    ):
        bad(
            f"PRM-03/{word}",
            "not a token of RFC 9110",
            properties(a={"type": "string", "x-mcp-header": name}),
            "header-not-token",
            "/properties/a",
        )
    bad("PRM-04/same", "the same name twice", properties(a=STRING, b=STRING), "header-duplicate", "/properties/b")
    bad(
        "PRM-04/case",
        "letter case does not tell names apart",
        properties(a={**STRING, "x-mcp-header": "Region"}, b={**STRING, "x-mcp-header": "REGION"}),
        "header-duplicate",
        "/properties/b",
    )
    bad(
        "PRM-04/nested",
        "nor does the depth",
        properties(a=STRING, b=properties(c={"type": "integer", "x-mcp-header": "a"})),
        "header-duplicate",
        "/properties/b/properties/c",
    )
    good(
        "PRM-04/kelvin",
        "only ASCII letters have a case here",
        properties(a={**STRING, "x-mcp-header": "k"}, b={**STRING, "x-mcp-header": "k1"}),
        "k",
        "k1",
    )
    for kind, word in (
        ("number", "number"),
        ("object", "object"),
        ("array", "array"),
        ("null", "null"),
        ("String", "case"),
        ("", "empty"),
        ("strings", "longer"),
    ):
        bad(
            f"PRM-05/{word}",
            "integer, string and boolean only",
            properties(a={"type": kind, "x-mcp-header": "A"}),
            "header-not-primitive",
            "/properties/a",
        )
    for kind, word in (
        (["string", "null"], "list"),
        (["string"], "list-of-one"),
        (None, "null"),
        (1, "number"),
        ({"const": "string"}, "object"),
    ):
        bad(
            f"PRM-06/{word}",
            "a type keyword that is no string",
            properties(a={"type": kind, "x-mcp-header": "A"}),
            "header-not-primitive",
            "/properties/a",
        )
    bad("PRM-06/missing", "no type", properties(a={"x-mcp-header": "A"}), "header-not-primitive", "/properties/a")
    bad(
        "PRM-06/enum",
        "an enum of strings says the same, and does not count",
        properties(a={"enum": ["x"], "x-mcp-header": "A"}),
        "header-not-primitive",
        "/properties/a",
    )

    good("PRM-08/nested", "any depth, by properties alone", DEEP, "A")
    good("PRM-08/no-type", "the objects between need no type", '{"properties":{"a":{"properties":{"b":' + text_of(STRING) + "}}}}", "A")
    good(
        "PRM-08/names-like-keywords",
        "a property may be called like a keyword",
        properties(items=STRING, **{"$defs": properties(default={**STRING, "x-mcp-header": "B"})}),
        "A",
        "B",
    )
    good(
        "PRM-08/properties-named-properties",
        "and properties may be called properties",
        properties(properties=properties(properties=STRING)),
        "A",
    )
    good("PRM-08/named-annotation", "or x-mcp-header", properties(**{"x-mcp-header": STRING}), "A")
    good("PRM-08/below-annotated", "an annotated property with properties of its own",
         properties(a={**STRING, "properties": {"b": {"type": "integer", "x-mcp-header": "B"}}}), "A", "B")
    good("PRM-08/ref-beside", "a $ref beside the annotation is not followed",
         properties(a={**STRING, "$ref": "#/$defs/x"}) | {"$defs": {"x": {"type": "string"}}}, "A")
    good("PRM-08/empty-name", "a property whose name is empty", properties(**{"": STRING}), "A")

    singles = """items contains unevaluatedItems additionalProperties propertyNames unevaluatedProperties not if then
    else contentSchema additionalItems""".split()
    for keyword in singles:
        bad(f"PRM-09/{keyword}", "behind another keyword than properties", properties(a={keyword: STRING}),
            "header-not-reachable", f"/properties/a/{keyword}")
    for keyword in ("allOf", "anyOf", "oneOf", "prefixItems", "items"):
        bad(f"PRM-09/{keyword}-list", "in a list of schemas", properties(a={keyword: [True, {}, STRING]}),
            "header-not-reachable", f"/properties/a/{keyword}/2")
    for keyword in ("patternProperties", "dependentSchemas", "$defs", "definitions", "dependencies"):
        bad(f"PRM-09/{keyword.strip('$')}-map", "in a map of schemas", {keyword: {"x": STRING}}, "header-not-reachable",
            f"/{keyword}/x")
    bad("PRM-09/properties-in-items", "properties behind items", properties(a={"items": properties(b=STRING)}),
        "header-not-reachable", "/properties/a/items/properties/b")
    bad("PRM-09/root-oneOf", "in a branch of the whole schema", {"oneOf": [properties(a=STRING)]}, "header-not-reachable",
        "/oneOf/0/properties/a")
    bad("PRM-09/behind-ref", "what a $ref leads to", properties(a={"$ref": "#/$defs/x"}) | {"$defs": {"x": STRING}},
        "header-not-reachable", "/$defs/x")
    bad("PRM-09/one-of-two", "one invalid annotation is enough", properties(a=STRING, b={"items": {**STRING, "x-mcp-header": "B"}}),
        "header-not-reachable", "/properties/b/items")
    bad("PRM-09/unreachable-first", "where it stands counts before what it is", properties(a={"items": {"x-mcp-header": 5}}),
        "header-not-reachable", "/properties/a/items")
    bad("PRM-09/pointer", "the place as a JSON pointer", properties(**{"a/b~c\u00e9\ud83d": {"anyOf": [{"not": {"x-mcp-header": ""}}]}}),
        "header-not-reachable", "/properties/a~1b~0c\u00e9\ufffd/anyOf/0/not")
    bad("PRM-09/first", "the first in the text decides", '{"properties":{"a":{"items":{"x-mcp-header":1}},"b":{"x-mcp-header":2}}}',
        "header-not-reachable", "/properties/a/items")
    bad("PRM-09/first-too", "the first in the text decides", '{"properties":{"b":{"x-mcp-header":2},"a":{"items":{"x-mcp-header":1}}}}',
        "header-not-string", "/properties/b")

    for keyword in ("default", "const", "examples", "enum"):
        for value, word in ((STRING, ""), ([STRING, [STRING]], "-list"), (properties(b=STRING), "-properties")):
            good(f"PRM-10/{keyword}{word}", "instance data", properties(a={keyword: value, **STRING}), "A")
    good("PRM-10/unknown", "keywords that nobody knows", properties(a=STRING) | {"x-more": properties(b=STRING)}, "A")
    good("PRM-10/list-in-list", "an array is no schema", {"allOf": [[STRING]]})
    good("PRM-10/required", "names are no schemas", properties(a={**STRING, "required": [{"x-mcp-header": ""}]}), "A")
    good("PRM-10/ref", "a $ref is not looked into", {"$ref": {"x-mcp-header": "A"}})
    good("PRM-10/definitions-name", "a definition may be called x-mcp-header", {"$defs": {"x-mcp-header": {"type": "string"}}})
    bad("PRM-10/root", "on the whole schema", {"type": "object", "x-mcp-header": "A"}, "header-on-root", "")
    bad("PRM-10/root-string", "even if it is one of a string", STRING, "header-on-root", "")

    for text, fault, word in (
        ("", "schema-invalid-json", "nothing"),
        ("{", "schema-invalid-json", "cut"),
        ('{"properties":{"a":NaN}}', "schema-invalid-json", "nan"),
        ('{"properties":{},}', "schema-invalid-json", "comma"),
        ("{} {}", "schema-invalid-json", "two"),
        ('{"properties":{},"properties":{}}', "schema-duplicate-member", "duplicate"),
        ('{"a":[{"b":1,"\\u0062":1}]}', "schema-duplicate-member", "duplicate-deep"),
        ("[]", "schema-not-object", "array"),
        ("true", "schema-not-object", "true"),
        ("null", "schema-not-object", "null"),
        ('"x"', "schema-not-object", "string"),
        ("7", "schema-not-object", "number"),
        ('{"not":' * 256 + "{}" + "}" * 256, "schema-too-deep", "deep"),
        ('{"enum":' + "[" * 256 + "]" * 256 + "}", "schema-too-deep", "deep-data"),
    ):
        bad(f"PRM-02/json-{word}", "the schema must be a JSON object", text, fault)
    good("PRM-02/json-deepest", "as deep as can be", '{"not":' * 255 + "{}" + "}" * 255)
    nested: Any = STRING
    for _ in range(64):
        nested = properties(n=nested)
    good("PRM-08/64-names", "the longest path", nested, "A")
    bad("PRM-08/65-names", "a path of one name too many", properties(n=nested), "header-too-many-steps",
        "/properties/n" * 65)
    many = {f"p{i}": {"type": "string", "x-mcp-header": f"P{i}"} for i in range(33)}
    names = [f"P{i}" for i in range(32)]
    good("PRM-01/32", "as many as one request can carry", properties(**dict(list(many.items())[:32])), *names)
    bad("PRM-01/33", "one more", properties(**many), "header-too-many", "/properties/p32")
    pairs = {f"o{i}": properties(p={"type": "string", "x-mcp-header": f"P{i}"}) for i in range(32)}
    good("PRM-08/32-paths", "32 paths of two names", properties(**pairs), *names)


def emit_cases(cases: Cases) -> None:
    def emits(id: str, why: str, arguments: Any, *headers: tuple[str, str], schema: Any = None, misuse: str | None = None,
              rules: tuple[str, ...] = ()) -> None:
        case = emit_case(arguments, schema)
        wanted = {"misuse": misuse} if misuse else {"headers": [[f"Mcp-Param-{name}", value] for name, value in headers]}
        assert case["expect"] == wanted, (id, case["expect"])
        cases.add(id, why, case, rules)

    emits("PRM-16/all", "a value of each type", {"region": "eu", "n": -7, "flag": True, "site": {"zone": "north"}, "free": "x"},
          ("Region", "eu"), ("N", "-7"), ("Flag", "true"), ("Zone", "north"))
    emits("PRM-16/false", "booleans in lower case", {"flag": False}, ("Flag", "false"))
    emits("PRM-11/other-order", "in the order of the schema", '{"site":{"zone":"z"},"n":1,"region":"r"}',
          ("Region", "r"), ("N", "1"), ("Zone", "z"))
    emits("PRM-11/escaped-name", "names are compared decoded", '{"r\\u0065gion":"\\u0065u"}', ("Region", "eu"))
    emits("PRM-11/step-missing", "a missing step", {"site": {}})
    for value, word in (([{"zone": "z"}], "array"), ("zone", "string"), (None, "null"), (5, "number")):
        emits(f"PRM-11/step-{word}", "a step that is no object", {"site": value})
    emits("PRM-11/elsewhere", "the same name elsewhere", {"zone": "z", "site": {"region": "eu", "site": {"zone": "z"}}})
    emits("PRM-11/proto", "names that languages treat specially", '{"__proto__":{"zone":"z"}}')
    emits("PRM-12/null", "null has no header", {"region": None, "n": None, "flag": None, "site": {"zone": None}})
    emits("PRM-12/absent", "nor has what is absent", {})
    emits("PRM-12/no-arguments", "nor have no arguments", None)
    for text, value, word in (
        ("us-west1", "us-west1", "plain"),
        ("us west 1", "us west 1", "inner-space"),
        (" us-west1", "=?base64?IHVzLXdlc3Qx?=", "leading-space"),
        ("us-west1 ", "=?base64?dXMtd2VzdDEg?=", "trailing-space"),
        (" padded ", "=?base64?IHBhZGRlZCA=?=", "padded"),
        ("Hello, \u4e16\u754c", "=?base64?SGVsbG8sIOS4lueVjA==?=", "non-ascii"),
        ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?=", "line-feed"),
        ("line1\r\nline2", "=?base64?bGluZTENCmxpbmUy?=", "carriage-return"),
        ("\tindented", "=?base64?CWluZGVudGVk?=", "leading-tab"),
        ("a\tb", "=?base64?YQli?=", "inner-tab"),
        (" ", "=?base64?IA==?=", "one-space"),
        ("\x7f", "=?base64?fw==?=", "delete"),
        ("\u2028\U0001f600", "=?base64?4oCo8J+YgA==?=", "astral"),
    ):
        emits(f"PRM-17/{word}", "plain only where it survives", {"region": text}, ("Region", value), rules=("PRM-18",))
    emits("PRM-17/escaped", "escapes are decoded first", '{"region":"\\u0065\\u002f\\/\\n"}', ("Region", "=?base64?ZS8vCg==?="))
    emits("PRM-19/form", "a value like the form", {"region": "=?base64?literal?="}, ("Region", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="))
    emits("PRM-19/no-form", "other letter case is none", {"region": "=?BASE64?literal?="}, ("Region", "=?BASE64?literal?="))
    emits("PRM-20/overlap", "the ten characters that begin and end like it", {"region": "=?base64?="},
          ("Region", "=?base64?PT9iYXNlNjQ/PQ==?="))
    emits("PRM-34/empty", "an empty string has an empty header", {"region": ""}, ("Region", ""))
    for text, value, word in (
        ("0", "0", "zero"),
        ("-0", "0", "minus-zero"),
        ("0e5", "0", "zero-exponent"),
        ("-0.0e-9", "0", "minus-zero-fraction"),
        ("42.0", "42", "point-zero"),
        ("42.000e0", "42", "point-zeros"),
        ("1e3", "1000", "exponent"),
        ("-1.5E+1", "-15", "exponent-fraction"),
        ("1200e-2", "12", "exponent-minus"),
        ("0.001e3", "1", "small-mantissa"),
        ("1e15", "1000000000000000", "exponent-15"),
        ("9007199254740991", "9007199254740991", "largest"),
        ("-9007199254740991", "-9007199254740991", "smallest"),
        ("9.007199254740991e15", "9007199254740991", "largest-exponent"),
        ("9007199254740991.000", "9007199254740991", "largest-point"),
        ("1000000000000001", "1000000000000001", "sixteen-digits"),
    ):
        emits(f"PRM-16/number-{word}", "exact decimals without exponent", f'{{"n":{text}}}', ("N", value))
    for text, word in (
        ("9007199254740992", "above"),
        ("-9007199254740992", "below"),
        ("9007199254740993", "odd"),
        ("9.007199254740992e15", "exponent"),
        ("9007199254740991.5", "half-above"),
        ("1e16", "16"),
        ("1e400", "400"),
        ("1e99999999999999999999", "absurd"),
        ("1e-99999999999999999999", "absurd-small"),
        ("9" * 5000, "5000-digits"),
    ):
        emits(f"PRM-07/{word}", "integers that readers disagree on", f'{{"n":{text}}}', misuse="ParamOutOfRange")
    for text, word in (("1.5", "fraction"), ("1e-1", "exponent"), ("0.9999999999999999999", "near-one"), ("4503599627370496.5", "half")):
        emits(f"PRM-16/number-{word}-host", "a fraction is no integer", f'{{"n":{text}}}', misuse="ParamNotPrimitive")
    emits("PRM-16/object", "an object has no header form", {"region": {}}, misuse="ParamNotPrimitive")
    emits("PRM-16/array", "nor has an array", {"flag": []}, misuse="ParamNotPrimitive")
    emits("PRM-16/surrogate", "what UTF-8 cannot carry", '{"region":"\\ud800"}', misuse="ParamSurrogate")
    emits("PRM-16/surrogate-pair", "a pair is one character", '{"region":"\\ud83d\\ude00"}', ("Region", "=?base64?8J+YgA==?="))
    emits("PRM-16/other-type", "the value's type counts, not the declared one", '{"region":7,"n":"x","flag":"true"}',
          ("Region", "7"), ("N", "x"), ("Flag", "true"))
    emits("PRM-01/name-case", "the name as it is written", {"a": "x"}, ("tENANT", "x"),
          schema=properties(a={"type": "string", "x-mcp-header": "tENANT"}))
    below = properties(a={**STRING, "properties": {"b": {**STRING, "x-mcp-header": "B"}}})
    emits("PRM-11/below-string", "a value that is a string has nothing below", {"a": "x"}, ("A", "x"), schema=below)
    emits("PRM-11/below-object", "and an object below is no string", {"a": {"b": "x"}}, schema=below, misuse="ParamNotPrimitive")


def verify_cases(cases: Cases) -> None:
    def checks(id: str, why: str, arguments: Any, headers: dict[str, str] | Fields, reason: str | None = None,
               schema: Any = None, rules: tuple[str, ...] = ()) -> None:
        fields = [(f"Mcp-Param-{name}", value) for name, value in headers.items()] if isinstance(headers, dict) else headers
        case = verify_case(arguments, fields, schema)
        assert case["expect"] == ({"reason": reason} if reason else {"ok": True}), (id, case["expect"])
        cases.add(id, why, case, rules)

    everything = {"region": "eu", "n": 42, "flag": True, "site": {"zone": "n"}}
    fields = {"Region": "eu", "N": "42", "Flag": "true", "Zone": "n"}
    checks("PRM-24/all", "every header agrees", everything, fields)
    checks("PRM-24/lower-case", "field names have no case", everything, [(f"mcp-param-{k.lower()}", v) for k, v in fields.items()])
    checks("PRM-24/upper-case", "field names have no case", everything, [(f"MCP-PARAM-{k.upper()}", v) for k, v in fields.items()])
    for name in fields:
        checks(f"PRM-25/no-{name.lower()}", "a value without its header", everything,
               {k: v for k, v in fields.items() if k != name}, "param-header-missing")
        checks(f"PRM-24/other-{name.lower()}", "a header that differs", everything, {**fields, name: "s"}, "param-mismatch")
    checks("PRM-24/case", "values have a case", {"region": "EU"}, {"Region": "eu"}, "param-mismatch")
    checks("PRM-24/longer", "no prefix will do", {"region": "eu"}, {"Region": "eu2"}, "param-mismatch")
    checks("PRM-24/shorter", "nor the other way", {"region": "eu2"}, {"Region": "eu"}, "param-mismatch")
    checks("PRM-24/blanks", "blanks around a value are not of it", {"region": "eu"}, {"Region": " \teu\t "})
    checks("PRM-24/blanks-of-value", "a value's own blanks need the form", {"region": " eu "}, {"Region": " eu "}, "param-mismatch")
    checks("PRM-24/escapes", "the body is compared decoded", '{"region":"\\u0065\\u0075"}', {"Region": "eu"})
    checks("PRM-24/nested-swap", "the nested value is the nested header's", {"region": "a", "site": {"zone": "b"}},
           {"Region": "b", "Zone": "a"}, "param-mismatch")
    checks("PRM-24/first-fault", "in the order of the schema", {"region": "eu", "n": 1}, {"Region": "us"}, "param-mismatch")
    checks("PRM-24/duplicate", "a header sent twice", {"region": "eu"}, [("Mcp-Param-Region", "eu"), ("mcp-param-REGION", "eu")], "duplicate-header")
    checks("PRM-37/33-headers", "more headers than are looked at", {}, {f"X{i}": "x" for i in range(33)}, "too-many-param-headers")
    checks("PRM-28/unknown", "headers that the schema does not name", {"region": "eu"}, {"Region": "eu", "Other": "x", "Regio": "y", "Region2": "z"})
    checks("PRM-28/unknown-broken", "whatever they hold", {}, {"Other": "=?base64?!?=", "Else": "\xff"})
    checks("PRM-28/32-unknown", "as many as one request can carry", {}, {f"X{i}": "x" for i in range(32)})
    checks("PRM-12/none", "nothing in the body, no header", {}, {})
    checks("PRM-12/none-at-all", "no arguments at all", None, {})
    checks("PRM-12/nulls", "null counts as absent", {"region": None, "site": {"zone": None}}, {})
    checks("PRM-26/absent", "a header of an absent argument", {}, {"Region": "eu"}, "param-header-unexpected")
    checks("PRM-26/no-arguments", "or of no arguments at all", None, {"Region": "eu"}, "param-header-unexpected")
    checks("PRM-26/null", "or of null", {"region": None}, {"Region": "null"}, "param-header-unexpected")
    checks("PRM-26/null-empty", "an empty header is one", {"region": None}, {"Region": ""}, "param-header-unexpected")
    checks("PRM-26/step", "or below what is no object", {"site": "n"}, {"Zone": "n"}, "param-header-unexpected")
    checks("PRM-26/array-step", "an array has no names", {"site": [{"zone": "n"}]}, {"Zone": "n"}, "param-header-unexpected")
    checks("PRM-26/broken", "a broken one as well", {}, {"Region": "=?base64?!?="}, "param-header-unexpected")
    checks("PRM-34/empty-header", "an empty value, plain", {"region": ""}, {"Region": ""})
    checks("PRM-34/empty-form", "an empty value in the form", {"region": ""}, {"Region": "=?base64??="})
    checks("PRM-34/empty-missing", "an empty value needs its header", {"region": ""}, {}, "param-header-missing")
    checks("PRM-34/empty-differs", "an empty header for a value", {"region": "eu"}, {"Region": ""}, "param-mismatch")

    checks("PRM-18/form", "decoded before it is compared", {"region": "Hello"}, {"Region": "=?base64?SGVsbG8=?="})
    checks("PRM-18/form-differs", "and then different", {"region": "hello"}, {"Region": "=?base64?SGVsbG8=?="}, "param-mismatch")
    checks("PRM-18/form-unicode", "UTF-8 inside", {"region": "\u65e5\u672c\u8a9e"}, {"Region": "=?base64?5pel5pys6Kqe?="})
    checks("PRM-18/boolean", "a boolean in the form", {"flag": True}, {"Flag": "=?base64?dHJ1ZQ==?="})
    checks("PRM-18/number", "a number in the form", {"n": 42}, {"N": "=?base64?NDI=?="})
    checks("PRM-18/number-point", "a number in the form, spelt otherwise", {"n": 42}, {"N": "=?base64?NDIuMA==?="})
    checks("PRM-19/literal", "a value like the form, encoded", {"region": "=?base64?literal?="}, {"Region": "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="})
    checks("PRM-19/literal-plain", "and not encoded it is broken", {"region": "=?base64?literal?="}, {"Region": "=?base64?literal?="}, "header-value")
    checks("PRM-20/literal", "ten characters are no form", {"region": "=?base64?="}, {"Region": "=?base64?="})
    for literal, word in (("SGVsbG8=", "no-prefix"), ("=?base64?SGVsbG8=", "no-suffix"), ("=?BASE64?SGVsbG8=?=", "upper-case")):
        checks(f"PRM-21/{word}", "text that is not the form stands for itself", {"region": literal}, {"Region": literal})
        checks(f"PRM-21/{word}-undecoded", "and for nothing else", {"region": "Hello"}, {"Region": literal}, "param-mismatch")
    for inside, word in (
        ("SGVsbG8", "no-padding"),
        ("SGVs!!!bG8=", "characters"),
        ("SGVsbG8==", "too-much-padding"),
        ("SGVs=G8=", "padding-inside"),
        ("S", "one"),
    ):
        checks(f"PRM-22/{word}", "broken Base64", {"region": "Hello"}, {"Region": f"=?base64?{inside}?="}, "header-value")
    checks("PRM-22/not-utf8", "not UTF-8 inside", {"region": "\xff"}, {"Region": "=?base64?/w==?="}, "header-value")
    checks("PRM-22/surrogate", "UTF-8 has no surrogates", '{"region":"\\ud800"}', {"Region": "=?base64?7aCA?="}, "header-value")
    for inside, word in (("SGVsbG9=", "spare-bits"), ("SGVs bG8=", "blank"), ("YWI-YWI_", "url-safe")):
        checks(f"PRM-23/{word}", "one text has one form", {"region": "Hello"}, {"Region": f"=?base64?{inside}?="}, "header-value")
    for value, word in (("\u00e9", "latin-1"), ("a\x00", "nul"), ("a\x7f", "delete"), ("a\nb", "line-feed")):
        checks(f"PRM-29/{word}", "bytes that no header may have", {"region": value}, {"Region": value}, "header-value")
        checks(f"PRM-29/{word}-number", "for a number as well", {"n": 1}, {"N": value}, "header-value")

    for body, header, word in (
        ("42", "42.0", "point"),
        ("42", "42.000", "points"),
        ("42.0", "42", "body-point"),
        ("4.2e1", "42", "body-exponent"),
        ("0", "-0", "minus-zero"),
        ("-0", "0", "body-minus-zero"),
        ("-7", "-7.0", "minus"),
        ("1e3", "1000", "thousand"),
        ("9007199254740991", "9007199254740991.0", "largest"),
        ("-9007199254740991", "-9007199254740991", "smallest"),
        ("1.5", "1.50", "fraction"),
        ("42", "42." + "0" * 61, "64-characters"),
    ):
        checks(f"PRM-27/{word}", "numbers compare by value", f'{{"n":{body}}}', {"N": header})
    for body, header, word in (
        ("42", "43", "other"),
        ("42", "-42", "sign"),
        ("42", "42.1", "fraction"),
        ("42", "42.00000000000000000001", "tiny-fraction"),
        ("42", "4.2e1", "exponent"),
        ("1000", "1e3", "exponent-1000"),
        ("1e3", "1e3", "same-exponent"),
        ("42", "+42", "plus"),
        ("42", "0042", "zeros"),
        ("0", "00", "two-zeros"),
        ("42", "42.", "bare-point"),
        ("0.5", ".5", "bare-fraction"),
        ("42", "0x2a", "hexadecimal"),
        ("1000", "1_000", "underscore"),
        ("1000", "1,000", "comma"),
        ("42", "", "empty"),
        ("42", "42 42", "two"),
        ("42", "\u0664\u0662".encode().decode("latin-1"), "other-digits"),
        ("9007199254740991", "9007199254740992", "rounding"),
        ("9007199254740990", "9007199254740991", "neighbours"),
        ("42", "42." + "0" * 62, "65-characters"),
        ("1", "true", "boolean"),
    ):
        reason = "header-value" if word == "other-digits" else "param-mismatch"
        checks(f"PRM-27/not-{word}", "only plain decimals, and exactly", f'{{"n":{body}}}', {"N": header}, reason)
    for body, word in (("9007199254740992", "above"), ("-9007199254740992", "below"), ("1e400", "huge"), ("1e-1000001", "tiny"),
                       ("9" * 5000, "5000-digits")):
        checks(f"PRM-07/body-{word}", "no header can make it true", f'{{"n":{body}}}', {"N": body[:40]}, "param-out-of-range", rules=("PRM-24",))
        checks(f"PRM-07/body-{word}-alone", "and it does not pass without one", f'{{"n":{body}}}', {}, "param-out-of-range", rules=("PRM-25",))
    for value, word in (({}, "object"), ([], "array"), ([42], "array-of-one")):
        checks(f"PRM-24/{word}", "no header can carry it", {"n": value}, {"N": "42"}, "param-not-primitive")
        checks(f"PRM-25/{word}", "and it does not pass without one", {"n": value}, {}, "param-not-primitive")
    # A wrong type is not the header's fault while both agree.
    checks("PRM-24/wrong-type", "text for an integer, and the header agrees", {"n": "abc"}, {"N": "abc"})
    checks("PRM-24/wrong-type-differs", "text for an integer, and the header differs", {"n": "abc"}, {"N": "abd"}, "param-mismatch")
    checks("PRM-24/wrong-type-number", "text with digits is text", {"n": "42"}, {"N": "42.0"}, "param-mismatch")
    checks("PRM-24/wrong-type-boolean", "a boolean for text", {"region": True}, {"Region": "true"})
    checks("PRM-24/boolean-case", "booleans are in lower case", {"flag": True}, {"Flag": "True"}, "param-mismatch")
    checks("PRM-24/boolean-number", "1 is not true", {"flag": True}, {"Flag": "1"}, "param-mismatch")
    checks("PRM-24/boolean-other", "false is not true", {"flag": False}, {"Flag": "true"}, "param-mismatch")
    checks("PRM-24/boolean-text", "the text true is not the boolean, but has its header", {"flag": "true"}, {"Flag": "true"})
    checks("PRM-01/nothing-mirrored", "a tool that mirrors nothing", {"region": "eu"}, {"Region": "us"}, schema=properties(region={"type": "string"}))


def param_cases() -> Cases:
    cases = Cases("wireseal-param/1")
    for make in (compile_cases, emit_cases, verify_cases):
        make(cases)
    return cases
