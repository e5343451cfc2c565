# ruff: noqa: E501 a table is read by columns
"""Comments as strangers may write them, each with what it should be taken for.

``None``: not for us. A word: the kind of mistake. ``Asked`` and the like: a request that is right.
"""

from __future__ import annotations

from flink_boost.service.requests.grammar import Cancel, Help, Status

ME = "/benchmark-request"
ASKED = "asked"

SHELL = [
    "$(id)", "`id`", "a;id", "a&&id", "a||id", "a|id", "a>b", "a<b", "a&", "${HOME}", "$((1))",
    "'a'", '"a"', "a'", 'a"', "a\\b", "!a", "~root", "{a,b}", "(a)", "#a", "%s", "^a", "a%00",
    "+a", "<script>", "<!--", "a:b", "@root", "http://a.b/c", "../../etc/passwd", "a/b", "%2e%2e",
    "{{7*7}}", "a'--", "';DROP",
]  # fmt: skip
LOOK_ALIKE = [
    "seriаlizer", "ѕerializer", "ｓerializer", "serializer\u0301", "line=２.3.0", "pairs=٥", "pairs=५",
    "write\x00", "write\x1b[31m", "write\x07", "🚀", "𝓌rite", "straße", "ﬁle", "serializer–Tuple",
]  # fmt: skip
BLANKS = "\t\v\f\x1c\x1f\x85\u00a0\u1680\u2000\u2003\u2009\u2028\u2029\u202f\u205f\u3000"
UNSEEN = (
    "\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202e\u2060\u2066\u2069\ufeff\U000e0041"
)
OPTIONS = {
    "--pairs 5": "dashes", "-p 5": "dashes", "--help": "dashes", "--": "dashes", "-": "dashes",
    "--line=2.3.0": "dashes", "-Xmx1g": "dashes", "--output=/etc/passwd": "dashes",
    "pairs=0": "pairs", "pairs=-1": "pairs", "pairs=2": "pairs", "pairs=11": "pairs",
    "pairs=": "pairs", "pairs=5.0": "pairs", "pairs=1e3": "pairs", "pairs=0x5": "pairs",
    "pairs=five": "pairs", "pairs=999999999999": "pairs", "pairs=5;id": "pairs", "pairs=+5": "pairs",
    "pairs=$(id)": "pairs", "pairs=5 pairs=5": "twice", "pairs=5 pairs=6": "twice",
    "line=9.9.9": "line", "line=": "line", "line=../..": "line", "line=2.3": "line",
    "line=2.3.0;id": "line", "line=2.3.0 line=2.3.0": "twice", "line=--help": "line",
    "line=2.3.0/../1.9.3": "line", "line=$(id)": "line", "line='2.3.0'": "line",
    "profile profile": "twice", "profile=yes": "option", "forks=5": "option", "pair=5": "option",
    "Pairs=5": "option", "LINE=2.3.0": "option", "recipe=/etc/passwd": "option", "jvm=-Xmx": "option",
    "length=16": "option", "base=main": "option", "head=main": "option", "repo=a": "option",
    "__class__=a": "unknown", "=5": "unknown", "==": "unknown", "write[length=16,kind=ascii": "unknown",
    "help me": "verb-alone", "help help": "verb-alone", "status now": "verb-alone",
    "cancel all": "verb-alone", "write help": "verb-alone", "cancel write": "verb-alone",
    "write status": "verb-alone", "write cancel": "verb-alone", "HELP please": "verb-alone",
    f"write {ME}": "one-command", "/benchmark": "one-command", "/": "one-command",
    "/etc/passwd": "one-command",
    "nonsense": "unknown", "Strin": "unknown", "serializerHeavyStrin": "unknown", "?": "unknown",
    ".": "unknown", "[": "unknown", "]": "unknown", "[a-z]": "unknown", "wri[t]e": "unknown",
    "write[": "unknown", "write]": "unknown", "[!a]*": "glob", "write$": "unknown",
    ".*": "unknown", "write.*": "unknown", "__import__": "unknown", "None": "unknown",
    "serializer(Tuple|AnswerRow)": "glob", "^write": "glob", "write|read": "glob", "\\w+": "glob",
    "profil": "unknown", "a" * 151: "long-word", "*" * 151: "long-word",
    " ".join(f"a{number}*" for number in range(13)): "globs",
    "*a" * 70: "unknown", "*" + "?" * 140 + "*": "unknown",
    "*": "benchmarks", "**": "benchmarks", "write": "benchmarks", "read": "benchmarks",
    "*e*": "benchmarks", "StringSerializationBenchmark": "benchmarks",
    "StringSerializationBenchmark.*": "benchmarks", "*.write*": "benchmarks",
}  # fmt: skip
BELOW = [
    "\nserializerTuple\nserializerPojo", "\r\nserializerTuple\r\nserializerPojo\r\n",
    "\n\n- serializerTuple\n- `serializerPojo`\n", "\n```\nserializerTuple\nserializerPojo\n```",
    "serializerTuple\nserializerPojo", "\nserializerTuple, serializerPojo", "serializerPojo\rserializerTuple",
    "\n* serializerTuple\n* serializerPojo pairs=5", "\n\u00a0serializerTuple\u200b\n\u3000serializerPojo",
]  # fmt: skip
UNREAD = [
    "\nserializerTuple and serializerPojo", "\nserializerTuple\n> serializerPojo",
    "\nserializerTuple\nserializerPoj", "\nserializerTuple forks=5",
    "\n/benchmark-request serializerTuple", "\n@everybody serializerTuple `id` <b>",
    "\nserializerTuple" + "\nserializerPojo" * 1000,
]  # fmt: skip
GOOD = {
    "": ASKED, " ": ASKED, "serializerHeavyString": ASKED, "serializerheavystring": ASKED,
    "SERIALIZERTUPLE": ASKED, "serializer* pairs=3": ASKED, "serializer????? profile": ASKED,
    "SerializationFrameworkMiniBenchmarks.serializerTuple": ASKED,
    "SerializationFrameworkMiniBenchmarks": ASKED, "  serializerTuple   profile  ": ASKED,
    "profile": ASKED, "pairs=10 serializerTuple": ASKED, "line=1.9.3": ASKED,
    "line=2.3.0 pairs=3 serializerTuple profile": ASKED,
    "serializerTuple serializerTuple": ASKED, "write[length=16,kind=ascii,profile=mixed*": ASKED,
    "*write[length=16,kind=ascii,profile=mixed,view=serializer]": ASKED,
    "*write[*length=16,kind=ascii,profile=mixed*": ASKED,
    "pairs=005 serializerTuple": ASKED,
    "help": Help(), "status": Status(), "cancel": Cancel(), " help ": Help(), "Help": Help(),
    "CANCEL": Cancel(), "help\nwrite": Help(), "cancel\r\n\r\nthank you": Cancel(),
    "serializerTuple\n/benchmark-request cancel": ASKED,
    "serializerTuple\nthe rest; $(id) `id` is not read": ASKED,
    "serializerTuple\n" + "x" * 65_000: ASKED,
}  # fmt: skip
NOT_FOR_US = [
    "", " ", "\n", "\0", "hello", "x" * 65_536, "\n" * 65_536, "/" * 65_536, "LGTM", "/", "//", "/help",
    "/rebase", "/benchmark", "/bench", "benchmark-request", "please /benchmark-request",
    f"\n{ME}", f"hi\n{ME}", f"> {ME}", f">{ME}", f"> > {ME}", f"`{ME}`", f"``{ME}``", f"```\n{ME}\n```",
    f"~~~\n{ME}\n~~~", f"    {ME}", f"\t{ME}", f"     {ME} help", f"<!-- {ME} -->", f"<code>{ME}</code>",
    f"* {ME}", f"- {ME}", f"1. {ME}", f"# {ME}", f"**{ME}**", f"_{ME}_", f"[{ME}](x)", f"|{ME}|",
    f"\x00{ME}", f"\r{ME}", f"\ufeff    {ME}", f"\ufeff\t{ME}", f"   \t{ME}", f"\u200b> {ME}",
    f"\u00a0> {ME}", f"\ufeff`{ME}`", f"\u200b\n{ME}", f"\u3000\r\n{ME}", f"@bot {ME}", f"On Monday X wrote:\n> {ME}", "∕benchmark-request", "／benchmark-request",
    "\\benchmark-request", "|benchmark-request", f"'{ME}'", f'"{ME}"', "/approve", "/retest",
    "/benchmarking is fun", "/ benchmark-request", "/home/benchmark-request",
]  # fmt: skip
MISSPELT = [
    f"{ME}s", f"{ME}: write", f"{ME}, write", f"{ME}.", "/benchmark_request",
    "/benchmark-requst", "/benchmark-reqeust", "/Benchmark-Request", "/BENCHMARK-REQUEST",
    "/benchmarkrequest", "/benchmаrk-request", "/benchmark-rеquest", "/benchmark‐request",
    "/benchmark–request", "/benchmark\u00adrequest", f"{ME};id", f"{ME}$(id)", f"{ME}`id`",
    f"{ME}--pairs", f"{ME}/", f"{ME}\x00", "/benchmark-requests help", "/bench-mark-request",
    f"{ME}serializerTuple", f"{ME}serializerTuple pairs=5", f"{ME}serializerTuple pairs=99",
    f"{ME}serializerTuple\u00a0profile", f"{ME}write.ascii.16.mixed.serializer", f"{ME}help",
    f"{ME}:serializerTuple", f"{ME}，serializerTuple", f"{ME}[serializerTuple]", f"{ME}" + "x" * 900,
    f"{ME.upper()}serializerTuple", "/benchmark request", "/benchmark\u00a0request serializerTuple",
    "/benchmark-requstserializerTuple",
]  # fmt: skip


def table() -> list[tuple[str, object]]:
    """Every comment with what it is."""
    found: list[tuple[str, object]] = [(text, None) for text in NOT_FOR_US]
    found += [(text, "command") for text in MISSPELT]
    found += [(f"{ME} {word}", "glob") for word in SHELL]
    found += [(f"{ME} {word}", "characters") for word in LOOK_ALIKE]
    for blank in BLANKS:
        found += [
            (f"{ME}{blank}serializerTuple", ASKED),
            (f"{ME} serializerTuple{blank}pairs=3{blank}", ASKED),
            (f"{ME}{blank}help", Help()),
        ]
        if blank != "\t":  # which indents
            found.append((f"{blank}{ME} cancel", Cancel()))
    for mark in UNSEEN:
        found += [
            (f"{mark}{ME} serializerTuple", ASKED),
            (f"/bench{mark}mark-request{mark} serializer{mark}Tuple{mark}", ASKED),
            (f"{mark} {mark}{ME}{mark}\u00a0status{mark}", Status()),
        ]
    found += [(f"{ME} {words}", ASKED) for words in BELOW + UNREAD]
    found += [(f"{ME} {words}", kind) for words, kind in OPTIONS.items()]
    found += [
        (f"{ME} {words}".rstrip(" ") if not words else f"{ME} {words}", kind)
        for words, kind in GOOD.items()
    ]
    found += [
        (f"{ME} " + "write " * 300, "too-long"),
        (f"{ME} " + "x" * 65_000, "too-long"),
        (ME + " " * 65_000, "too-long"),
        (f"{ME} " + " ".join(["serializerTuple*"] + [f"serializer{'?' * n}*" for n in range(1, 13)]),
         "globs"),
        (f"   {ME} help", Help()),
        (f"{ME}\r", ASKED),
        (f"{ME}\n{ME} cancel", ASKED),
    ]  # fmt: skip
    return found
