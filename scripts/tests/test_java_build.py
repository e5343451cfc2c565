"""The checks of the Java build bite: a module that breaks one of the rules does not build."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import default_line, find_line
from flink_boost.flink.maven import maven_arguments
from flink_boost.flink.pinned_maven import maven_command

MODULE = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
    <modelVersion>4.0.0</modelVersion>
    <parent>
        <groupId>org.flinkboost</groupId>
        <artifactId>flink-boost-parent</artifactId>
        <version>local-SNAPSHOT</version>
        <relativePath>{root}/pom.xml</relativePath>
    </parent>
    <artifactId>patch</artifactId>
    <properties>
        <main.release>{release}</main.release>
    </properties>
</project>
"""
SOURCE = """\
// SPDX-License-Identifier: Apache-2.0
package acme;

/** Builds text. */
final class Text {{

    private Text() {{}}

    /** {comment} */
    static String text() {{
        return {expression};
    }}
}}
"""


def build(
    folder: Path, *, release: int = 8, comment: str = "Some text.", expression: str = '"text"'
) -> subprocess.CompletedProcess[str]:
    """Compiles and checks a module with one class."""
    root = os.path.relpath(PROJECT_ROOT, folder)
    (folder / "pom.xml").write_text(MODULE.format(root=root, release=release))
    source = folder / "src" / "main" / "java" / "acme" / "Text.java"
    source.parent.mkdir(parents=True)
    source.write_text(SOURCE.format(comment=comment, expression=expression))
    return subprocess.run(
        [
            *(*maven_command(), "--offline"),
            *maven_arguments(find_line(default_line())),
            *("-f", str(folder / "pom.xml"), "process-classes"),
        ],
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )


def test_a_module_that_keeps_the_rules_builds(tmp_path: Path) -> None:
    done = build(tmp_path)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(("release", "builds"), [(8, False), (11, True)])
@pytest.mark.test_all
def test_what_a_java_does_not_have_does_not_build(
    tmp_path: Path, release: int, builds: bool
) -> None:
    done = build(tmp_path, release=release, expression='"text".repeat(2)')
    assert (done.returncode == 0) is builds
    assert ("cannot find symbol" in done.stdout) is not builds


@pytest.mark.test_all
def test_a_comment_that_refers_to_nothing_does_not_build(tmp_path: Path) -> None:
    done = build(tmp_path, comment="As {@link Missing}.")
    assert done.returncode != 0
    assert "reference not found" in done.stdout
