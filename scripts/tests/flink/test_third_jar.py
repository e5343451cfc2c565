"""A patched class of flink-table-runtime, from ``lines.toml`` through the weaver to the guard."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from installations import VERSION

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink import line_jars
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.javatests import CODEC_MODULE, module_build
from flink_boost.flink.jdks import java_home
from flink_boost.flink.line_build import ensure_further_jars
from flink_boost.flink.line_jars import jar_path, patched_jars
from flink_boost.flink.lines import artefacts_of, load_lines

pytestmark = pytest.mark.needs_jars("2.3.0")

RELEASE = "2.3.0"
ROWS = "org.apache.flink.table.runtime.typeutils.RowDataSerializer"
ENTRY = ROWS.replace(".", "/") + ".class"
FURTHER = ("flink-table-runtime", "flink-table-common")
FLINK = CACHE / "m2" / "org" / "apache" / "flink"
BIN = java_home(17) / "bin"

STUB = f"""\
package org.apache.flink.boost.records.patches;

@org.flinkboost.weaver.patch.Patches("{ROWS}")
public final class RowDataSerializerPatch {{

    public interface Memory {{}}

    @org.flinkboost.weaver.patch.Replaces
    public static boolean serialize(
            Memory self,
            org.apache.flink.table.data.RowData row,
            org.apache.flink.core.memory.DataOutputView target) {{
        return false;
    }}
}}
"""
ASK = f"""\
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.table.data.GenericRowData;
import org.apache.flink.table.runtime.typeutils.RowDataSerializer;
import org.apache.flink.table.types.logical.IntType;

public class Ask {{
    public static void main(String[] arguments) throws Exception {{
        System.out.println(org.apache.flink.boost.guard.BoostMode.report().trim());
        try {{
            Class<?> rows = Class.forName("{ROWS}", false, Ask.class.getClassLoader());
            System.out.println(rows.getInterfaces().length + " interfaces");
            Rows.write();
        }} catch (ClassNotFoundException absent) {{
            System.out.println("no rows");
        }}
    }}
}}

class Rows {{
    static void write() throws Exception {{
        DataOutputSerializer out = new DataOutputSerializer(64);
        new RowDataSerializer(new IntType()).serialize(GenericRowData.of(7), out);
        byte[] bytes = out.getCopyOfBuffer();
        System.out.println(java.util.Arrays.toString(bytes));
    }}
}}
"""


class Woven:
    """A source tree with the class among the patched ones, and what is made of it."""

    def __init__(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = root
        self.lines_file = root / "lines.toml"
        self.patches = root / "patches"
        self.jar = root / "boost.jar"
        self._describe()
        own = lambda version: artefacts_of(version, self.lines_file)  # noqa: E731
        monkeypatch.setattr(line_jars, "artefacts_of", own)
        self.line = load_lines(self.lines_file)[RELEASE]
        self.cache = root / ".cache"
        (self.cache / "jars").mkdir(parents=True)
        (self.cache / "m2").symlink_to(CACHE / "m2")
        for name in FURTHER:
            shutil.copy(self._official(name), self.cache / "jars")
        self.further = ensure_further_jars(self.line, self.cache)
        self.class_path = module_build(CODEC_MODULE, self.line).jars

    @staticmethod
    def _official(name: str, release: str = RELEASE) -> Path:
        jar = FLINK / name / release / f"{name}-{release}.jar"
        assert jar.is_file(), "Run `make build`, which the benchmarks need it for."
        return jar

    def _describe(self) -> None:
        text = (PROJECT_ROOT / "lines.toml").read_text(encoding="utf-8")
        entry = f'"{ROWS}" = {{ jar = "flink-table-runtime", family = "records", since = "2.3" }}'
        text = text.replace("[patched]\n", f"[patched]\n{entry}\n")
        head = f'[lines."{RELEASE}".jars]\n'
        pins = (
            f'"{name}-{RELEASE}.jar" = "{digest(self._official(name).read_bytes())}"\n'
            for name in FURTHER
        )
        self.lines_file.write_text(text.replace(head, head + "".join(pins)), encoding="utf-8")
        with zipfile.ZipFile(self._official(FURTHER[0])) as jar:
            self.lock(digest(jar.read(ENTRY)))

    def lock(self, checksum: str) -> None:
        text = (PROJECT_ROOT / "classes.lock").read_text(encoding="utf-8")
        text += f'\n[["{ROWS}"]]\n{checksum} = ["{RELEASE}"]\n'
        (self.root / "classes.lock").write_text(text, encoding="utf-8")

    def compile(self) -> None:
        built = PROJECT_ROOT / CODEC_MODULE / "target" / RELEASE / "classes"
        shutil.copytree(built, self.patches)
        source = self.root / "RowDataSerializerPatch.java"
        source.write_text(STUB)
        self._javac(source, self.patches, self.class_path)

    def _javac(self, source: Path, target: Path, jars: tuple[str, ...]) -> None:
        # The jar that stands for the further ones, as Maven hands it to a compiler.
        named = line_jars.class_path_jar(self.line, self.cache)
        class_path = os.pathsep.join([*jars, str(self.patches), str(named)])
        run(BIN / "javac", "-Xlint:path", "-Werror", "-proc:none", "--release", "11",
            "-d", target, "-cp", class_path, source)  # fmt: skip

    def weave(self) -> subprocess.CompletedProcess[str]:
        stock = [str(jar_path(self.line, jar, self.cache)) for jar in patched_jars(self.line)]
        return self._weaver(
            "weave",
            f"--jar={os.pathsep.join(stock)}",
            f"--patches={self.patches}",
            "--module=flink-patch",
            f"--out={self.root / 'woven'}",
        )

    def assemble(self) -> subprocess.CompletedProcess[str]:
        return self._weaver(
            "assemble",
            f"--releases={PROJECT_ROOT / 'releases.toml'}",
            "--aside=records",
            f"--woven={self.root / 'woven'}",
            f"--out={self.jar}",
        )

    def _weaver(self, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        target = PROJECT_ROOT / "weaver" / "target" / RELEASE
        jars = (target / "test-classpath.txt").read_text(encoding="utf-8").strip()
        beside = os.pathsep.join([*self.class_path, *map(str, self.further)])
        return subprocess.run(
            [
                *(BIN / "java", "-cp", f"{target / 'classes'}{os.pathsep}{jars}"),
                *("org.flinkboost.weaver.Main", command, f"--lines={self.lines_file}"),
                *(f"--line={RELEASE}", f"--class-path={beside}", f"--boost-version={VERSION}"),
                "--families=org.apache.flink.boost.guard.Families",
                *arguments,
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def ask(self, *further: Path) -> list[str]:
        """What a JVM with these jars behind Flink's says."""
        asking = self.root / "asking"
        if not asking.exists():
            source = self.root / "Ask.java"
            source.write_text(ASK)
            self._javac(source, asking, self.class_path)
        jars = [str(asking), str(self.jar), *self.class_path, *map(str, further)]
        opens = "--add-opens=java.base/java.lang=ALL-UNNAMED"
        return run(BIN / "java", opens, "-cp", os.pathsep.join(jars), "Ask").splitlines()


def digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def run(*command: str | Path) -> str:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture
def woven(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Woven:
    made = Woven(tmp_path, monkeypatch)
    made.compile()
    return made


def test_a_class_of_a_third_jar_is_woven_and_judged(woven: Woven) -> None:
    done = woven.weave()
    assert done.returncode == 0, done.stdout + done.stderr
    assert ROWS in done.stdout
    done = woven.assemble()
    assert done.returncode == 0, done.stdout + done.stderr

    with_rows = woven.ask(*woven.further)
    assert with_rows[:3] == ["strings\ton\t", "records\ton", "1 interfaces"]
    # Stock's body: a length of 16, the header, then 7.
    assert with_rows[3].startswith("[0, 0, 0, 16, ")

    # Where the jar is not there nothing makes its class seem present.
    assert woven.ask() == [
        "strings\ton\t",
        "records\toff\tflink-table-runtime is not on the class path",
        "no rows",
    ]

    other = woven.root / "other.jar"
    with zipfile.ZipFile(woven.further[0]) as jar, zipfile.ZipFile(other, "w") as changed:
        for name in jar.namelist():
            if name.startswith("org/apache/flink/table/runtime/typeutils/"):
                # Class files may have another source file's name and do the same.
                changed.writestr(name, jar.read(name).replace(b"RowDataSerializer.java", b"R" * 22))
            elif name.endswith(".class"):
                changed.writestr(name, jar.read(name))
    says = woven.ask(other, *woven.further[1:])
    assert says[1].startswith("records\tmissed\t")
    assert "RowDataSerializer" in says[1]
    assert says[2] == "0 interfaces"
    assert says[3] == with_rows[3]


@pytest.mark.test_all
def test_a_class_file_with_another_checksum_is_not_woven(woven: Woven) -> None:
    woven.lock("0" * 64)
    done = woven.weave()
    assert done.returncode != 0
    said = " ".join((done.stdout + done.stderr).split())
    assert f"{ROWS} is not the class of Flink 2.3.0: expected SHA-256 000" in said
    assert not (woven.root / "woven").exists()


@pytest.mark.test_all
def test_a_jar_that_is_not_the_pinned_one_is_not_woven(woven: Woven) -> None:
    jar = woven.further[0]
    jar.write_bytes(jar.read_bytes() + b"x")
    done = woven.weave()
    assert done.returncode != 0
    assert "is not the official jar of Flink 2.3.0" in " ".join((done.stdout + done.stderr).split())
