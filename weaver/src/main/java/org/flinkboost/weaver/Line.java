// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.util.Map;

/** One supported Flink release, as {@code lines.toml} describes it. */
final class Line {

    private final String version;
    private final boolean enabled;
    private final Map<String, String> jars;
    private final Map<String, String> classes;

    Line(String version, boolean enabled, Map<String, String> jars, Map<String, String> classes) {
        this.version = version;
        this.enabled = enabled;
        this.jars = jars;
        this.classes = classes;
    }

    /** The release, for example 2.3.0. */
    String version() {
        return version;
    }

    /** False when it is known and not built. */
    boolean enabled() {
        return enabled;
    }

    /** SHA-256 of each official jar by file name. */
    Map<String, String> jars() {
        return jars;
    }

    /** SHA-256 of each class file that may be changed, by binary class name. */
    Map<String, String> classes() {
        return classes;
    }
}
