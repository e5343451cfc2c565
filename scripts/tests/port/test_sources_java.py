"""Which declarations are found in Java sources."""

from __future__ import annotations

import pytest

from flink_boost.base.errors import BrokenData
from flink_boost.port.sources.java import JavaType, Member, parse_java, without_annotations

SOURCE = """\
package a.b;

import java.util.List;

/** A comment. */
@Marked({"one", "t" + "wo"})
public final class Outer<T> extends Base {
    private static final int SIZE = 1 << 4;
    static final int[] TWICE = {2};
    int one, two;
    protected volatile byte[] bytes;

    @Override
    public static synchronized String read(final java.io.DataInput in, List<byte[]>... more)
            throws IOException {
        // a comment
        return in.readUTF() + "a  b";
    }

    abstract int [] length(@Nullable(why = "}") char[] c);

    static {
        run(() -> { int x = 1; });
    }

    String ended = "not } here; // nor here" + '{';

    static class Inner {
        void run() {}
        enum Kind { A, B; int rank; void up() {} }
    }

    interface Shape { int SIDES = 3; double area(); }
}
"""


def types() -> dict[str, JavaType]:
    return parse_java(SOURCE)


def members(name: str, *, methods: bool) -> list[Member]:
    return [each for each in types()[name].members if (each.parameters is not None) is methods]


def test_types_have_their_binary_names() -> None:
    names = ["a.b.Outer", "a.b.Outer$Inner", "a.b.Outer$Inner$Kind", "a.b.Outer$Shape"]
    assert list(types()) == names
    assert types()["a.b.Outer$Inner"].simple_name == "Inner"
    assert types()["a.b.Outer$Shape"].kind == "interface"
    assert (types()["a.b.Outer"].superclass, types()["a.b.Outer"].implements) == ("Base", False)
    assert SOURCE[types()["a.b.Outer"].head_end :].startswith(
        " {\n    private static final int SIZE"
    )
    assert SOURCE[types()["a.b.Outer"].end :] == "}\n"
    assert list(parse_java("class NoPackage {}")) == ["NoPackage"]


def test_methods_have_erased_types_and_a_body() -> None:
    read, length = members("a.b.Outer", methods=True)
    assert read.signature == "static String read(DataInput, List[])"
    assert (read.parameter_names, read.throws) == (("in", "more"), "throws IOException")
    assert length.signature == "int[] length(char[])"
    assert read.code[:3] == ("{", "return", "in")
    assert '"a  b"' in read.code, "blanks in a string are code"
    assert SOURCE[read.inside :].startswith("\n        // a comment")
    assert length.inside == 0
    assert read.line == 13
    assert read.text.startswith("@Override")
    assert "up" in [each.name for each in members("a.b.Outer$Inner$Kind", methods=True)]


def test_fields_have_types_modifiers_and_initial_values() -> None:
    size, twice, one, two, contents, ended = members("a.b.Outer", methods=False)
    assert size.signature == "static final int SIZE"
    assert size.code == ("1", "<", "<", "4", ";")
    assert twice.signature == "static final int[] TWICE"
    assert contents.signature == "byte[] bytes"
    assert [one.name, two.name, ended.name] == ["one", "two", "ended"]


def test_the_name_of_a_type_variable_stays() -> None:
    (get,) = parse_java("class Box<T extends a.Shape> { T get(List<T> all) { } }")["Box"].members
    assert get.signature == "T get(List)"


def test_constants_of_annotations_are_put_together() -> None:
    assert types()["a.b.Outer"].annotations == {"Marked": ("one", "two")}
    without = without_annotations(SOURCE, frozenset({"Marked", "Nullable"}))
    assert without.count("@") == 1
    assert "int [] length(char[] c);" in without


def test_comments_and_layout_do_not_count() -> None:
    other = SOURCE.replace("// a comment", "/* another\n one */").replace("    ", "\t")
    before, now = ([each.members for each in parse_java(text).values()] for text in (SOURCE, other))
    assert before == now
    changed = SOURCE.replace("in.readUTF()", "in.readLine()")
    assert parse_java(changed)["a.b.Outer"].members != types()["a.b.Outer"].members


def test_a_file_that_is_not_whole_is_refused() -> None:
    with pytest.raises(BrokenData, match=r"Cut\.java is not whole"):
        parse_java(SOURCE.partition("return")[0], "Cut.java")
