// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

/** A class that a line's patches may change, as {@code lines.toml} and its lock describe it. */
final class PatchedClass {

    private final String jar;
    private final String family;
    private final String checksum;

    /**
     * One class.
     *
     * @param jar Flink's artefact that has it, without a version of Scala: {@code flink-runtime}
     * @param family what its patches belong to; each has a switch
     * @param checksum SHA-256 of the class file of the line's own release
     */
    PatchedClass(String jar, String family, String checksum) {
        this.jar = jar;
        this.family = family;
        this.checksum = checksum;
    }

    String jar() {
        return jar;
    }

    String family() {
        return family;
    }

    String checksum() {
        return checksum;
    }

    /** The same class as another release has it. */
    PatchedClass withChecksum(String other) {
        return new PatchedClass(jar, family, other);
    }
}
