"""Our changes as a patch of Flink's sources: it applies, compiles and does what stock does."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from installations import everything_in

from flink_boost.cli.main import main
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.javatests import CODEC_MODULE, module_build
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import Line, find_line
from flink_boost.port.sources.tree import fetch_sources

pytestmark = pytest.mark.test_all

CORE = "flink-core/src/main/java/org/apache/flink"
RUNTIME = "flink-runtime/src/main/java/org/apache/flink"
JUPITER = ("junit-jupiter-api", "opentest4j", "apiguardian-api", "junit-platform-commons", "jsr305")
# Has fields of a class that is patched.
_ABOVE = "org.apache.flink.api.java.typeutils.runtime.TupleSerializerBase"
# Runs the methods of a test class, as an engine would, which the build does not need otherwise.
RUNNER = """\
package org.apache.flink.boost.strings;

public class Runner {
    public static void main(String[] arguments) throws Exception {
        int count = 0;
        for (java.lang.reflect.Method method : BoostedStringTest.class.getDeclaredMethods()) {
            if (method.isAnnotationPresent(org.junit.jupiter.api.Test.class)) {
                method.setAccessible(true);
                method.invoke(new BoostedStringTest());
                count++;
            }
        }
        System.out.println(count + " tests passed");
    }
}
"""


def new_checkout(folder: Path, line: Line) -> Path:
    """The patched classes' official sources, as a checkout of Flink has them."""
    for pin in line.sources:
        module = "flink-core" if pin.project == "flink-core" else "flink-runtime"
        with zipfile.ZipFile(fetch_sources(pin, CACHE)) as jar:
            for name in (*line.classes, _ABOVE):
                path = f"{name.partition('$')[0].replace('.', '/')}.java"
                if path in jar.namelist():
                    jar.extract(path, folder / module / "src" / "main" / "java")
    return folder


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    return new_checkout(tmp_path / "flink", find_line("2.3.0"))


def apply(checkout: Path, patch: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=checkout, timeout=60, check=True)
    subprocess.run(["git", "apply", str(patch)], cwd=checkout, timeout=60, check=True)


def class_path(line: Line) -> str:
    """Flink's own jars, and of those that our tests are built with JUnit's interfaces."""
    jars = [Path(jar) for jar in module_build(CODEC_MODULE, line).jars]
    jupiter = [jar for jar in jars if jar.stem.rpartition("-")[0] in JUPITER]
    assert len(jupiter) == len(JUPITER)
    return os.pathsep.join(map(str, [*jupiter, *(ensure_distribution(line) / "lib").glob("*.jar")]))


def sources(checkout: Path) -> Iterator[str]:
    return (str(path) for path in checkout.rglob("*.java"))


@pytest.mark.needs_jars
def test_the_patch_applies_compiles_and_passes_its_test(checkout: Path, tmp_path: Path) -> None:
    patch = tmp_path / "strings.patch"
    call = ["upstream-diff", str(checkout), "--line", "2.3.0", "--patch", str(patch)]
    before = everything_in(checkout)
    assert main(call) == 0
    assert everything_in(checkout) == before, "only the patch is written"
    apply(checkout, patch)
    assert (checkout / CORE / "boost/strings/StringReader.java").is_file()
    assert (checkout / RUNTIME / "boost/woven/NonSpanningWrapperMemory.java").is_file()
    test = checkout / "flink-core/src/test/java/org/apache/flink/boost/strings"
    assert (test / "BoostedStringTest.java").is_file()
    texts = [Path(path).read_text(encoding="utf-8") for path in sources(checkout)]
    assert not [text for text in texts if "flinkboost" in text or "SPDX" in text]
    assert all("Licensed to the Apache Software Foundation" in text for text in texts)

    (test / "Runner.java").write_text(RUNNER, encoding="utf-8")
    home, classes = java_home(17), tmp_path / "classes"
    jars = class_path(find_line("2.3.0"))
    subprocess.run(
        [
            *(shutil.which("javac") or str(home / "bin" / "javac"), "--release", "11", "-nowarn"),
            *("-d", str(classes), "-cp", jars, *sources(checkout)),
        ],
        timeout=200,
        check=True,
    )
    done = subprocess.run(
        [
            *(str(home / "bin" / "java"), "-Xlog:class+load:file=" + str(tmp_path / "loaded")),
            *("--add-opens", "java.base/java.lang=ALL-UNNAMED"),
            *("-cp", f"{classes}{os.pathsep}{jars}", "org.apache.flink.boost.strings.Runner"),
        ],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    assert done.stdout == "4 tests passed\n", done.stderr
    loaded = (tmp_path / "loaded").read_text(encoding="utf-8")
    assert f"org.apache.flink.types.StringValue source: file:{classes}" in loaded
    assert "org.apache.flink.boost.codec.VarintDecoder" in loaded, "our code ran"


def test_code_that_is_not_there_is_named_and_no_patch_is_written(
    checkout: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = checkout / CORE / "types" / "StringValue.java"
    text = file.read_text(encoding="utf-8")
    file.write_text(text.replace("readString(DataInput", "readString(int n, DataInput"), "utf-8")
    patch = tmp_path / "strings.patch"
    assert main(["upstream-diff", str(checkout), "--patch", str(patch)]) == 7
    assert "StringValue has no static Object readString(DataInput)" in capsys.readouterr().err
    assert not patch.exists()
    file.unlink()
    assert main(["upstream-diff", str(checkout), "--patch", str(patch)]) == 7
    assert not patch.exists()


def test_the_nested_view_of_1_9_is_patched_in_its_outer_class(tmp_path: Path) -> None:
    checkout = new_checkout(tmp_path / "flink", find_line("1.9.3"))
    patch = tmp_path / "strings.patch"
    call = ["upstream-diff", str(checkout), "--line", "1.9.3", "--patch", str(patch)]
    assert main(call) == 0
    apply(checkout, patch)
    name = "runtime/io/network/api/serialization/SpillingAdaptiveSpanningRecordDeserializer.java"
    text = (checkout / RUNTIME / name).read_text(encoding="utf-8")
    head, _, rest = text.partition("class NonSpanningWrapper implements DataInputView")
    assert rest.startswith(", org.apache.flink.boost.woven.NonSpanningWrapperMemory {")
    assert "boostSegment" not in head
    assert rest.index("MemorySegment boostSegment()") < rest.index("class SpanningWrapper")
