// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.util.Map;

/** One supported Flink release, as {@code lines.toml} describes it. */
final class Line {

    private final String version;
    private final Map<String, String> jars;
    private final Map<String, PatchedClass> classes;

    Line(String version, Map<String, String> jars, Map<String, PatchedClass> classes) {
        this.version = version;
        this.jars = jars;
        this.classes = classes;
    }

    /** The release, for example 2.3.0. */
    String version() {
        return version;
    }

    /** SHA-256 of each official jar by file name. */
    Map<String, String> jars() {
        return jars;
    }

    /** Each class that is patched in this line, by binary class name. */
    Map<String, PatchedClass> classes() {
        return classes;
    }
}
