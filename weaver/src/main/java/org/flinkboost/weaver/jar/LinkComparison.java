// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.jar;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flinkboost.weaver.form.Words;

/**
 * Whether the classes around the woven ones are as they are in a line: what {@link Links} found in
 * both is compared. A class that our code no longer needs is no difference.
 */
public final class LinkComparison {

    private static final List<String> VISIBILITIES =
            List.of("private", "package", "protected", "public");

    private LinkComparison() {}

    /** A sentence for each neighbour that is not as in the line. */
    public static List<String> differences(Collection<String> line, Collection<String> own) {
        Map<String, String[]> found = byWhat(own);
        Map<String, String[]> expected = byWhat(line);
        List<String> differences = new ArrayList<>();
        expected.forEach(
                (what, words) -> {
                    String[] others = found.get(what);
                    if (others == null ? isLost(words, found) : !isAsGood(words, others)) {
                        differences.add(sentence(words, others));
                    }
                });
        found.forEach(
                (what, words) -> {
                    // Nobody implements in our classes what their interface did not have.
                    if (words[1].equals("open")
                            && expected.containsKey(words[0] + " extended")
                            && !expected.containsKey(what)) {
                        differences.add(
                                named(words) + " has no body, expected no such method to be open");
                    }
                });
        return differences;
    }

    /** Of a class that is still used; a member that is not there at all has no user left. */
    private static boolean isLost(String[] words, Map<String, String[]> found) {
        boolean used = found.containsKey(words[0] + " class");
        return used
                && (words[1].equals("subtype")
                        || words[1].equals("open") && found.containsKey(words[0] + " extended"));
    }

    private static boolean isAsGood(String[] expected, String[] found) {
        if (!expected[1].equals(found[1])) {
            return false;
        }
        boolean hasAccess = expected.length > 2 && VISIBILITIES.contains(expected[2]);
        return !hasAccess || VISIBILITIES.indexOf(found[2]) >= VISIBILITIES.indexOf(expected[2]);
    }

    /** The words of each link, by what it is about, whatever kind and visibility that has. */
    private static Map<String, String[]> byWhat(Collection<String> links) {
        Map<String, String[]> all = new TreeMap<>();
        for (String link : links) {
            String[] words = link.split(" ");
            String about;
            switch (words[1]) {
                case "class":
                case "interface":
                    about = "class";
                    break;
                case "subtype":
                case "open":
                case "extended":
                    about = String.join(" ", List.of(words).subList(1, words.length));
                    break;
                default:
                    about = words[3] + " " + words[4];
            }
            all.put(words[0] + " " + about, words);
        }
        return all;
    }

    private static String sentence(String[] expected, String[] found) {
        if (found == null) {
            return expected[1].equals("subtype")
                    ? owner(expected) + " is no " + expected[2].replace('/', '.') + " any more"
                    : named(expected) + " is not open any more";
        }
        return named(expected)
                + " is "
                + found[2]
                + " "
                + found[1]
                + ", expected "
                + expected[2]
                + " "
                + expected[1];
    }

    private static String named(String[] words) {
        if (words.length < 4) {
            return owner(words);
        }
        String name = words[words.length - 2];
        String descriptor = words[words.length - 1];
        return descriptor.startsWith("(")
                ? Words.ofMethod(words[0], name, descriptor)
                : Words.ofField(words[0], name, descriptor);
    }

    private static String owner(String[] words) {
        return words[0].replace('/', '.');
    }
}
