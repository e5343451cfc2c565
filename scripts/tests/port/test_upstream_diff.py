"""What ``flink-boost upstream-diff`` says about sources of Flink, made up and real ones."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from flink_boost.base.errors import BrokenData, UsageProblem
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.cli.main import main
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.lines import find_line, load_lines, nearest_line
from flink_boost.flink.versions import distance, version_key
from flink_boost.port.sources.diff import (
    ClassChange,
    MemberChange,
    compare_sources,
)
from flink_boost.port.sources.diff import (
    MemberStatus as Status,
)
from flink_boost.port.sources.java import parse_java
from flink_boost.port.sources.patches import Use, UsedClass, patches_of_tree, read_patches
from flink_boost.port.sources.tree import SourceTree, fetch_sources, read_folder, read_jars

pytestmark = pytest.mark.test_all

TEXT = "org/apache/flink/acme/Text.java"
NAME = "org.apache.flink.acme.Text"
STOCK = """\
package org.apache.flink.acme;

public final class Text {
    private byte[] bytes = new byte[8];
    private int size;

    public static String read(DataInput in) { return in.readLine(); }
    public void write(DataOutput out, int from) { out.write(bytes, from, size); }
    private void grow(int size) { this.size += size; }
    public int size() { return size; }
}
"""
PATCHES = """\
package boost;

@Patches("org.apache.flink.acme.Text")
public final class TextPatch {
    public interface Memory {
        @Reads("bytes") byte[] boostBytes();
        @Adds("cache") Object boostCache();
        @Adds("cache") void boostCache(Object cache);
    }
    @Replaces public static Object read(DataInput in) { return null; }
    @Replaces public static boolean write(Memory self, DataOutput out, int from) {
        return true;
    }
}
"""
INSIDES = """\
package boost;

@Patches({"org.apache.flink.acme.Text"})
public interface Insides {
    @Reads("size") int boostSize();
    @Writes("size") void boostSize(int size);
    @Calls("grow") void boostGrow(int size);
}
"""


def patches() -> tuple[UsedClass, ...]:
    types = [
        *parse_java(PATCHES).values(),
        *parse_java(INSIDES).values(),
    ]
    return read_patches(types)


def tree(files: dict[str, str]) -> SourceTree:
    return SourceTree("made up", None, {path: text.encode for path, text in files.items()})


def compare(now: dict[str, str]) -> ClassChange:
    (change,) = compare_sources(patches(), [NAME], tree({TEXT: STOCK}), tree(now))
    return change


def by_name(change: ClassChange) -> dict[str, MemberChange]:
    return {each.expected.partition("(")[0].rpartition(" ")[2]: each for each in change.members}


def test_patches_of_one_class_are_put_together() -> None:
    (patched,) = patches()
    assert [(each.use, each.signature) for each in patched.members] == [
        (Use.REPLACES, "static Object read(DataInput)"),
        (Use.REPLACES, "void write(DataOutput, int)"),
        (Use.READS, "byte[] bytes"),
        (Use.WRITES, "int size"),
        (Use.CALLS, "void grow(int)"),
    ]


def test_our_own_patches_are_those_of_every_line() -> None:
    patched = patches_of_tree()
    for line in load_lines().values():
        own = [each for each in patched if set(each.names) & set(line.classes)]
        for each in own:
            assert len(set(each.names) & set(line.classes)) == 1
        assert len(line.classes) == len(own)
        methods = [m for each in own for m in each.members if m.parameters is not None]
        of_records = [name for name, family in line.family_of.items() if family == "records"]
        records = sum(3 - name.endswith(".KryoSerializer") for name in of_records)
        assert len(methods) == records + (13 if line.folder == "1.9.3" else 5)
    with pytest.raises(BrokenData, match="There are no patches"):
        patches_of_tree(PROJECT_ROOT / "docs")


def test_only_code_counts() -> None:
    now = STOCK.replace("public static", "/** Reads. */ @Nonnull\n static").replace("; }", ";\n}")
    change = compare({TEXT: now})
    assert not change.changed
    assert {each.status for each in change.members} == {Status.UNCHANGED}


@pytest.mark.parametrize(
    ("was", "now", "member", "status", "applies", "found"),
    [
        ("in.readLine()", "in.readUTF()", "read", Status.CHANGED, True, "another body"),
        ("static String read", "String read", "read", Status.CHANGED, False, "String read("),
        ("DataInput in", "DataInputView in", "read", Status.CHANGED, False, "read(DataInputView)"),
        ("String read(", "String decode(", "read", Status.GONE, False, "nothing"),
        ("DataOutput out, int from) { out", "View o, int from) { o", "write", Status.CHANGED, False,
         "void write(View, int)"),
        ("void grow(int size) { this.size += size; }", "", "grow", Status.GONE, False, "nothing"),
        ("int size;", "long size;", "size", Status.CHANGED, False, "long size"),
        ("int size;", "final int size;", "size", Status.CHANGED, False, "final int size"),
        ("byte[] bytes =", "final byte[] bytes =", "bytes", Status.CHANGED, True, "final byte[]"),
        ("new byte[8]", "null", "bytes", Status.CHANGED, True, "byte[] bytes"),
        ("byte[] bytes", "byte[] memory", "bytes", Status.GONE, False, "nothing"),
        ("private byte[] bytes = new byte[8];", "", "bytes", Status.GONE, False, "nothing"),
    ],
)  # fmt: skip
def test_what_became_of_a_member_is_told(
    was: str, now: str, member: str, status: Status, applies: bool, found: str
) -> None:
    change = compare({TEXT: STOCK.replace(was, now)})
    told = by_name(change)
    assert (told[member].status, told[member].applies) == (status, applies)
    assert found in told[member].found
    assert change.changed
    rest = {each.status for name, each in told.items() if name != member}
    assert rest == {Status.UNCHANGED}


def test_a_change_is_shown_with_its_lines() -> None:
    read = by_name(compare({TEXT: STOCK.replace("in.readLine()", "in.readUTF()")}))["read"]
    assert read.line == 7
    assert "-public static String read(DataInput in) { return in.readLine(); }" in read.diff
    assert "+public static String read(DataInput in) { return in.readUTF(); }" in read.diff


def test_what_changed_beside_is_no_change_of_ours() -> None:
    now = STOCK.replace("return size;", "return size + 1;")
    now = now.replace("public int size", "public int capacity() { return 8; }\n public int size")
    assert not compare({TEXT: now}).changed


def test_a_class_is_found_in_another_package() -> None:
    path, text = "org/apache/flink/core/Text.java", STOCK.replace("flink.acme;", "flink.core;")
    change = compare({path: text})
    assert (change.status, change.found) == (Status.RENAMED, "org.apache.flink.core.Text")
    assert change.changed
    assert {each.status for each in change.members} == {Status.UNCHANGED}


def test_a_class_that_only_has_the_name_is_not_taken_for_ours() -> None:
    other = "package org.apache.flink.core; class Text { static String read(DataInput in) {} }"
    change = compare({"org/apache/flink/core/Text.java": other, "org/apache/flink/acme/B.java": ""})
    assert (change.status, change.found) == (Status.GONE, None)
    assert {each.status for each in change.members} == {Status.GONE}


def test_patches_that_do_not_fit_their_own_line_are_an_error() -> None:
    stock = tree({TEXT: STOCK})
    with pytest.raises(BrokenData, match=r"TextPatch\.read replaces static Object read\(DataInput"):
        compare_sources(patches(), [NAME], tree({TEXT: STOCK.replace("read(", "r(")}), stock)
    with pytest.raises(BrokenData, match="made up does not hold"):
        compare_sources(patches(), [NAME], tree({}), stock)


def test_sources_are_found_in_a_checkout_and_in_unpacked_jars(tmp_path: Path) -> None:
    checkout, unpacked = tmp_path / "flink", tmp_path / "unpacked"
    for place, text in {
        checkout / "flink-core-api/src/main/java" / TEXT: STOCK,
        checkout / "flink-core/src/test/java" / TEXT: "not this one",
        checkout / "flink-core/target/generated/src/main/java" / TEXT: "nor this one",
        checkout / ".git/org/apache/flink/acme/Other.java": "nor this one",
        unpacked / "flink-core-2.3.0-sources" / TEXT: STOCK,
        unpacked / "META-INF/LICENSE": "",
    }.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text, encoding="utf-8")
    (checkout / "pom.xml").write_text(
        "<parent><version>33</version></parent><artifactId>flink-parent</artifactId>\n"
        " <version>2.4-SNAPSHOT</version>",
        encoding="utf-8",
    )
    for folder, version in ((checkout, "2.4-SNAPSHOT"), (unpacked, None)):
        found = read_folder(folder)
        assert list(found.files) == [TEXT]
        assert found.version == version
        assert found.find_type(NAME) is not None
    with pytest.raises(UsageProblem, match="holds no sources of Flink"):
        read_folder(unpacked / "META-INF")
    (tmp_path / "cut.jar").write_bytes(b"PK")
    with pytest.raises(BrokenData, match=r"cut\.jar is not a jar"):
        read_jars([tmp_path / "cut.jar"], "Flink 7")


def test_the_nearest_line_is_that_of_the_nearest_number() -> None:
    lines = [find_line(version) for version in ("1.9.3", "1.20.5", "2.3.0")]
    nearest = {"1.9.0": "1.9.3", "1.10.0": "1.9.3", "1.19.3": "1.20.5", "2.0-SNAPSHOT": "2.3.0"}
    for version, line in nearest.items():
        assert nearest_line(version, lines).version == line
    assert version_key("2.4-SNAPSHOT") == (2, 4, 0)
    # Of two at one distance the later.
    assert min(["1.9.3", "1.11.3"], key=lambda each: distance("1.10.3", each)) == "1.11.3"


@pytest.fixture(scope="module")
def sources(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The official sources of our lines, unpacked."""
    folders = {}
    for version, line in load_lines().items():
        folders[version] = tmp_path_factory.mktemp(version)
        for pin in line.sources:
            with zipfile.ZipFile(fetch_sources(pin, CACHE)) as jar:
                parts = ("/types/", "erializ", "/io/network/")
                wanted = [n for n in jar.namelist() if any(part in n for part in parts)]
                jar.extractall(folders[version], wanted)
    return folders


def answer(capsys: pytest.CaptureFixture[str]) -> dict[str, object]:
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("version", ["1.9.3", "1.20.5", "2.3.0"])
def test_a_release_is_as_its_own_line(version: str, sources: dict[str, Path]) -> None:
    assert main(["upstream-diff", str(sources[version]), "--line", version]) == 0


def test_from_1_9_to_1_20_flink_rewrote_what_we_patch(
    sources: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["upstream-diff", str(sources["1.20.5"]), "--line", "1.9.3"]
    assert main([*call, "--json"]) == 7
    found = answer(capsys)
    assert (found["ok"], found["exit_code"], found["line"]) == (False, 7, "1.9.3")
    classes = found["classes"]
    assert isinstance(classes, list)
    changed = {
        member["ours"]: member["status"]
        for each in classes
        for member in each["members"]
        if member["status"] != "unchanged"
    }
    # From 1.10 on Flink frames records as we do, elsewhere: newer lines have other patches for it.
    of_records = {name for name in changed if name.startswith(("RecordWriter", "Spanning"))}
    assert changed["SpanningRecordSerializerPatch.serializeRecord"] == "gone"
    assert {name: changed[name] for name in changed.keys() - of_records} == {
        "StringValuePatch.writeString": "changed",
        "StringValuePatch.readString": "changed",
        "DataOutputSerializerPatch.write": "changed",
    }
    assert [
        each["found"].rpartition(".")[2] for each in classes if each["status"] == "renamed"
    ] == ["NonSpanningWrapper"]
    assert main([*call, "--diff"]) == 7
    shown = capsys.readouterr()
    assert "CHANGED: another body, line" in shown.out
    assert "+        if (lenBytes" in shown.out or "+            int " in shown.out
    assert "StringValue.writeString, StringValue.readString" in shown.err


def test_from_1_20_to_2_3_only_pojos_and_kryo_changed(
    sources: dict[str, Path], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["upstream-diff", str(sources["2.3.0"]), "--line", "1.20.5"]) == 7
    shown = capsys.readouterr()
    unchanged, changed = shown.out.count("  unchanged"), shown.out.count("  CHANGED: another body")
    assert unchanged > 20
    assert f"{changed} of {unchanged + changed} patched" in shown.err
    named = shown.err.partition("not as in Flink 1.20.5: ")[2].partition(". ")[0]
    kryo, pojo = "KryoSerializer.deserialize", "PojoSerializer."
    assert set(named.split(", ")) == {kryo, f"{pojo}copy", f"{pojo}deserialize"}


def test_a_field_of_a_superclass_is_compared_too() -> None:
    base = "org/apache/flink/acme/Base.java"
    above = "package org.apache.flink.acme; class Base<T> { protected final T[] parts; }"
    text = STOCK.replace("class Text {", "class Text extends Base<String> {")
    patch = PATCHES.replace('@Reads("bytes") byte[]', '@Reads("parts") Object[]')
    patched = read_patches(list(parse_java(patch).values()))
    before = {TEXT: text, base: above}

    def parts(now: dict[str, str]) -> Status:
        (change,) = compare_sources(patched, [NAME], tree(before), tree(now))
        return by_name(change)["parts"].status

    assert parts(before) is Status.UNCHANGED
    assert parts({**before, base: above.replace("T[]", "List<T>")}) is Status.CHANGED
    assert parts({TEXT: text}) is Status.GONE


def test_a_wrong_call_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["upstream-diff", str(tmp_path / "nowhere")]) == 2
    assert main(["upstream-diff", str(tmp_path), "--json"]) == 2
    assert "holds no sources of Flink" in capsys.readouterr().err
    assert find_line("2.3.0").sources
