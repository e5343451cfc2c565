// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard.classpath;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.util.Locale;

/**
 * One thing that our classes need of a class that is not ours; the weaver's {@code Links} says how
 * it is written.
 */
final class Link {

    private final String owner;
    private final String kind;
    private final String[] words;

    private Link(String[] words) {
        this.owner = words[0];
        this.kind = words[1];
        this.words = words;
    }

    /**
     * Reads the words of a link.
     *
     * @throws IllegalArgumentException when they are none
     */
    static Link parse(String text) {
        String[] words = text.split(" ");
        int expected = words.length < 2 ? -1 : length(words[1]);
        if (words.length != expected) {
            throw new IllegalArgumentException("'" + text + "' is no link");
        }
        return new Link(words);
    }

    private static int length(String kind) {
        switch (kind) {
            case "extended":
                return 2;
            case "class":
            case "interface":
            case "subtype":
                return 3;
            case "open":
                return 4;
            case "method":
            case "static-method":
            case "field":
            case "static-field":
                return 5;
            default:
                return -1;
        }
    }

    /** Internal name of the class that is needed. */
    String owner() {
        return owner;
    }

    /** True for a method that a class of ours may have to implement, and does. */
    boolean isOpenMethod() {
        return kind.equals("open");
    }

    /** Name and descriptor of the open method. */
    String openMethod() {
        return words[2] + words[3];
    }

    /** True when a class of ours extends or implements the owner. */
    boolean isExtended() {
        return kind.equals("extended");
    }

    /** What is wrong with the owner, as the end of a sentence that begins with it; or null. */
    String mismatch(ClassShape shape, ClassShapes all) throws IOException {
        switch (kind) {
            case "class":
            case "interface":
                if (shape.isInterface() != kind.equals("interface")) {
                    return "is no " + kind;
                }
                return Access.of(shape.access()).compareTo(Access.named(words[2])) < 0
                        ? "is no longer " + words[2]
                        : null;
            case "subtype":
                return all.supertypes(owner).contains(words[2])
                        ? null
                        : "is no " + words[2].replace('/', '.');
            case "extended":
                return shape.isFinal() ? "is final" : null;
            case "open":
                return null;
            default:
                return memberMismatch(all);
        }
    }

    private String memberMismatch(ClassShapes all) throws IOException {
        boolean field = kind.endsWith("field");
        Integer found = all.member(owner, field, words[3] + (field ? " " : "") + words[4]);
        String named = (field ? "field " : "method ") + words[3] + (field ? " " : "") + words[4];
        if (found == null) {
            return "has no " + named;
        }
        if (ClassShape.isStatic(found) != kind.startsWith("static-")) {
            return "has the " + named + (ClassShape.isStatic(found) ? " static" : " not static");
        }
        return Access.of(found).compareTo(Access.named(words[2])) < 0
                ? "has the " + named + " no longer " + words[2]
                : null;
    }

    /** How far something can be seen, the least first. */
    private enum Access {
        PRIVATE,
        PACKAGE,
        PROTECTED,
        PUBLIC;

        static Access of(int flags) {
            if (Modifier.isPublic(flags)) {
                return PUBLIC;
            }
            if (Modifier.isProtected(flags)) {
                return PROTECTED;
            }
            return Modifier.isPrivate(flags) ? PRIVATE : PACKAGE;
        }

        static Access named(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }
}
