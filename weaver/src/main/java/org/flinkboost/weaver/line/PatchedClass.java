// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.line;

import java.util.List;

/** A class that a line's patches may change, as {@code lines.toml} and its lock describe it. */
public final class PatchedClass {

    private final String jar;
    private final String family;
    private final String checksum;
    private final List<String> equal;

    /**
     * One class.
     *
     * @param jar Flink's artefact that has it, without a version of Scala: {@code flink-runtime}
     * @param family what its patches belong to; each has a switch
     * @param checksum SHA-256 of the class file of the line's own release
     * @param equal SHA-256 of class files that do the same, of other releases
     */
    public PatchedClass(String jar, String family, String checksum, List<String> equal) {
        this.jar = jar;
        this.family = family;
        this.checksum = checksum;
        this.equal = equal;
    }

    public String jar() {
        return jar;
    }

    public String family() {
        return family;
    }

    public String checksum() {
        return checksum;
    }

    public List<String> equal() {
        return equal;
    }

    /** The same class as somebody's own build has it. */
    public PatchedClass withChecksum(String other) {
        return new PatchedClass(jar, family, other, List.of());
    }
}
