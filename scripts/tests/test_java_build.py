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

# With the real parent and, because that depends on it, the real weaver.
AGGREGATOR = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
    <modelVersion>4.0.0</modelVersion>
    <groupId>org.flinkboost</groupId>
    <artifactId>aggregator</artifactId>
    <version>0</version>
    <packaging>pom</packaging>
    <modules>
        <module>{root}/weaver</module>
        <module>patch</module>
    </modules>
</project>
"""
MODULE = """\
<project xmlns="http://maven.apache.org/POM/4.0.0">
    <modelVersion>4.0.0</modelVersion>
    <parent>
        <groupId>org.flinkboost</groupId>
        <artifactId>flink-boost-patch-parent</artifactId>
        <version>0.2.0-SNAPSHOT</version>
        <relativePath>../{root}/patch-parent/pom.xml</relativePath>
    </parent>
    <artifactId>patch</artifactId>
    <properties>
        <main.release>{release}</main.release>
    </properties>
    <build>
        <plugins>
            <plugin>
                <groupId>org.codehaus.mojo</groupId>
                <artifactId>animal-sniffer-maven-plugin</artifactId>
            </plugin>
        </plugins>
    </build>
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
    (folder / "pom.xml").write_text(AGGREGATOR.format(root=root))
    source = folder / "patch" / "src" / "main" / "java" / "acme" / "Text.java"
    source.parent.mkdir(parents=True)
    source.write_text(SOURCE.format(comment=comment, expression=expression))
    (folder / "patch" / "pom.xml").write_text(MODULE.format(root=root, release=release))
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
    assert "java-8-api" in done.stdout


# Between what is compiled and what the oldest Java offers; with release 8 the compiler is first.
@pytest.mark.parametrize("release", [8, 11])
@pytest.mark.test_all
def test_what_java_8_does_not_have_does_not_build(tmp_path: Path, release: int) -> None:
    done = build(tmp_path, release=release, expression='"text".repeat(2)')
    assert done.returncode != 0
    complaint = (
        "cannot find symbol" if release == 8 else "Undefined reference: String String.repeat"
    )
    assert complaint in done.stdout


@pytest.mark.test_all
def test_a_comment_that_refers_to_nothing_does_not_build(tmp_path: Path) -> None:
    done = build(tmp_path, comment="As {@link Missing}.")
    assert done.returncode != 0
    assert "reference not found" in done.stdout
