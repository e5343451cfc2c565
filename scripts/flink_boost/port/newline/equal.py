"""Which class files of new releases do what a known one does, so that one jar fits both."""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from flink_boost.base.commands import run_captured
from flink_boost.base.errors import EnvironmentProblem
from flink_boost.flink.classes import ClassLock, PatchedClass
from flink_boost.flink.jdks import java_home
from flink_boost.flink.versions import version_key
from flink_boost.port.newline.look import Elsewhere, Source, jars_of, nowhere
from flink_boost.port.newline.rows import Looked

_MAIN = "org.flinkboost.weaver.form.EqualClassesMain"
_SECONDS = 60.0
_WEAVERS_JDK = 17  # the machine's own

# Whether the second class file does what the first one does.
Compare = Callable[[bytes, bytes], bool]


def with_equal(
    looked: Looked,
    lock: ClassLock,
    source: Source,
    compare: Compare,
    patched: Iterable[PatchedClass] = (),
    elsewhere: Elsewhere = nowhere,
) -> Looked:
    """What was looked at, with a known class file for each new one that does the same.

    Raises what the source and the comparison raise.
    """
    classes = list(patched)

    def read(version: str, name: str) -> bytes:
        return _class_file(jars_of(version, classes, source, elsewhere).values(), version, name)

    equal: dict[str, str] = {}
    # In the order in which they are entered: the second of two new ones joins the first.
    looks = sorted(looked.looks, key=lambda each: version_key(each.version), reverse=True)
    for name in dict.fromkeys(name for look in looks for name in look.classes):
        # The newest first, which a new release is most like.
        groups = [dict(group) for group in reversed(lock.groups.get(name, ()))]
        for look in looks:
            checksum = look.classes.get(name)
            if checksum is None or any(checksum in group for group in groups):
                continue
            content = read(look.version, name)
            for group in groups:
                known, releases = next(iter(group.items()))
                if compare(read(releases[-1], name), content):
                    equal[checksum] = known
                    group[checksum] = (look.version,)
                    break
            else:
                groups.append({checksum: (look.version,)})
    return replace(looked, equal=equal)


def comparing(weaver: Callable[[], Sequence[Path]]) -> Compare:
    """Compares by the weaver's jars, which are asked for only then.

    Raises ``EnvironmentProblem`` when it cannot be run.
    """

    def compare(first: bytes, second: bytes) -> bool:
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / "first", Path(folder) / "second"]
            for file, content in zip(files, (first, second), strict=True):
                file.write_bytes(content)
            class_path = os.pathsep.join(map(str, weaver()))
            java = str(java_home(_WEAVERS_JDK) / "bin" / "java")
            done = run_captured([java, "-cp", class_path, _MAIN, *map(str, files)], _SECONDS)
        if done.returncode:
            raise EnvironmentProblem(
                f"The weaver could not compare class files ({done.stdout.strip()[-200:]}).",
                "Run `make build`.",
            )
        return not done.stdout.strip()

    return compare


def _class_file(jars: Iterable[Path], version: str, name: str) -> bytes:
    entry = name.replace(".", "/") + ".class"
    for path in jars:
        with zipfile.ZipFile(path) as archive:
            if entry in archive.NameToInfo:
                return archive.read(entry)
    raise EnvironmentProblem(f"No jar of Flink {version} has {name}.", "Look at lines.toml.")
