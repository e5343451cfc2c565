// SPDX-License-Identifier: Apache-2.0

/** A Java record that is a key, so it never changes. */
public record Buyer(String name, int length) {

    static Buyer of(String name) {
        return new Buyer(name, name.length());
    }
}
