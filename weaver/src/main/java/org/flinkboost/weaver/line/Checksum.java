// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.line;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** SHA-256 in lower-case hexadecimal, as {@code lines.toml} writes it. */
public final class Checksum {

    private Checksum() {}

    public static String of(byte[] bytes) {
        try {
            StringBuilder hex = new StringBuilder();
            for (byte each : MessageDigest.getInstance("SHA-256").digest(bytes)) {
                hex.append(Character.forDigit((each >> 4) & 0xF, 16));
                hex.append(Character.forDigit(each & 0xF, 16));
            }
            return hex.toString();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JDK has SHA-256.", e);
        }
    }

    public static String of(Path file) throws IOException {
        return of(Files.readAllBytes(file));
    }
}
