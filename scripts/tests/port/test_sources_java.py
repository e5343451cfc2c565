"""Java sources as tree-sitter reads them."""

from __future__ import annotations

import pytest

from flink_boost.base.errors import BrokenData
from flink_boost.port.sources.java import parse_java
from flink_boost.port.sources.java_types import JavaType

SOURCE = """\
package a.b;

import java.util.List;

/** A comment. */
@Marked({"one", "t" + "wo"})
public final class Outer<T> extends Base {
    private static final int SIZE = 1 << 4, TWICE[] = {2};
    protected volatile byte[] bytes;

    @Override
    public static synchronized String read(final java.io.DataInput in, List<byte[]>... more)
            throws IOException {
        // a comment
        return in.readUTF() + "a  b";
    }

    abstract int[] length(@Nullable char c[])[];

    static class Inner {
        void run() {}
        enum Kind { A, B; int rank; void up() {} }
    }

    interface Shape { int SIDES = 3; double area(); }
}
"""


def types() -> dict[str, JavaType]:
    return parse_java(SOURCE.encode(), "Outer.java")


def test_types_have_their_binary_names() -> None:
    names = ["a.b.Outer", "a.b.Outer$Inner", "a.b.Outer$Inner$Kind", "a.b.Outer$Shape"]
    assert list(types()) == names
    assert types()["a.b.Outer$Inner"].simple_name == "Inner"
    assert list(parse_java(b"class NoPackage {}", "x")) == ["NoPackage"]


def test_methods_have_erased_types_and_a_body() -> None:
    read, length = types()["a.b.Outer"].methods
    assert read.signature == "static String read(DataInput, List[])"
    assert length.signature == "int[][] length(char[])"
    assert read.body[:3] == ("{", "return", "in")
    assert "a  b" in read.body, "blanks in a string are code"
    assert length.body == ()
    assert read.line == 11
    assert read.text.startswith("@Override")
    (up,) = types()["a.b.Outer$Inner$Kind"].methods
    assert up.signature == "void up()"


def test_fields_have_types_modifiers_and_initial_values() -> None:
    size, twice, contents = types()["a.b.Outer"].fields
    assert size.signature == "static final int SIZE"
    assert size.initial == ("1", "<<", "4")
    assert twice.type == "int[]"
    assert contents.signature == "byte[] bytes"
    (sides,) = types()["a.b.Outer$Shape"].fields
    assert sides.signature == "static final int SIDES"


def test_type_parameters_are_erased_to_their_first_bound() -> None:
    source = """
        class Box<T extends a.Shape & Closeable, U> {
            List<T> all;
            T first;
            <V extends Number> void put(T one, U[] more, V own, W other) {}
            class Inner<T> { T get() { return null; } }
        }
    """
    found = parse_java(source.encode(), "x")
    assert [each.type for each in found["Box"].fields] == ["List", "Shape"]
    (put,) = found["Box"].methods
    assert put.signature == "void put(Shape, Object[], Number, W)"
    (get,) = found["Box$Inner"].methods
    assert get.signature == "Object get()"


def test_constants_of_annotations_are_put_together() -> None:
    (marked,) = types()["a.b.Outer"].annotations
    assert marked.name == "Marked"
    assert marked.values == {"value": ("one", "two")}


def test_comments_and_layout_do_not_count() -> None:
    other = SOURCE.replace("// a comment", "/* another\n one */").replace("    ", "\t")
    assert parse_java(other.encode(), "x") == types()
    changed = SOURCE.replace("in.readUTF()", "in.readLine()")
    assert parse_java(changed.encode(), "x") != types()


def test_a_file_that_is_not_java_is_refused_with_its_line() -> None:
    with pytest.raises(BrokenData, match=r"Cut\.java is not Java.*, see line 1[0-9]"):
        parse_java(SOURCE.partition("return")[0].encode(), "Cut.java")
