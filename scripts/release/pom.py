"""The POM of a drop-in jar, by which Maven finds it; the jar needs nothing beside Flink itself."""

from __future__ import annotations

from flink_boost.flink.lines import Line

GROUP = "org.flinkboost"
_POM = """\
<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0"
         xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
         xsi:schemaLocation="http://maven.apache.org/POM/4.0.0 http://maven.apache.org/xsd/maven-4.0.0.xsd">
    <modelVersion>4.0.0</modelVersion>
    <groupId>{group}</groupId>
    <artifactId>{artifact}</artifactId>
    <version>{version}</version>
    <packaging>jar</packaging>
    <name>flink-boost for Flink {line}</name>
    <description>Classes that serialize faster, for lib/ of an installation.</description>
    <licenses>
        <license>
            <name>Apache-2.0</name>
            <url>https://www.apache.org/licenses/LICENSE-2.0.txt</url>
        </license>
    </licenses>
</project>
"""


def artifact(line: Line) -> str:
    """The drop-in jar's name in Maven: its file is named ``<artifact>-<version>.jar``."""
    return f"flink-boost-{line.version}"


def pom(line: Line, version: str) -> str:
    """The POM of a line's jar."""
    return _POM.format(group=GROUP, artifact=artifact(line), version=version, line=line.version)
