// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.form;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.Type;

/**
 * Brings the ways in which compilers put strings together into one: for Java 8 they call a
 * StringBuilder for each part, for later releases one {@code invokedynamic} behind all parts. Also
 * the two ways in which they have a null checked.
 */
final class Concatenation {

    private static final String FACTORY = "java/lang/invoke/StringConcatFactory";
    private static final String BUILDER = "java.lang.StringBuilder";
    private static final String BEGIN = "new " + BUILDER;
    private static final String INIT = "invokespecial " + BUILDER + ".<init>()void";
    private static final Pattern APPEND =
            Pattern.compile(
                    "invokevirtual java\\.lang\\.StringBuilder\\.append\\((.+)\\)"
                            + "java\\.lang\\.StringBuilder");
    private static final String END = "invokevirtual " + BUILDER + ".toString()java.lang.String";

    private static final Pattern LABEL = Pattern.compile("(L\\d+):");
    private static final Pattern JUMP = Pattern.compile("(?:goto|if\\w*|switch) .*");
    private static final Pattern TARGET = Pattern.compile("\\bL\\d+\\b");

    /** What the next instruction does not follow. */
    private static final Pattern END_OF_WAY = Pattern.compile("(?:goto|switch|athrow)\\b.*");

    private static final String MADE = "put together ";
    private static final String TEXT_OF =
            "invokestatic java.lang.String.valueOf(java.lang.Object)java.lang.String";
    private static final Pattern LAST_TEXT =
            Pattern.compile("java\\.lang\\.String((?: \\+ \"(?:[^\"\\\\]|\\\\.)*\")?)$");
    private static final String NULL_CHECK = "throw if null";
    private static final List<String> NULL_CHECKS =
            List.of(
                    "invokevirtual java.lang.Object.getClass()java.lang.Class",
                    "invokestatic java.util.Objects.requireNonNull(java.lang.Object)"
                            + "java.lang.Object");

    private Concatenation() {}

    static boolean isMadeBy(Handle bootstrap) {
        return bootstrap.getOwner().equals(FACTORY);
    }

    /**
     * One {@code invokedynamic} in words: constants in their places, other parts by their types.
     */
    static String inWords(String name, String descriptor, Object... arguments) {
        Type[] types = Type.getArgumentTypes(descriptor);
        String recipe =
                arguments.length > 0 ? (String) arguments[0] : "\u0001".repeat(types.length);
        List<String> parts = new ArrayList<>();
        StringBuilder text = new StringBuilder();
        int type = 0;
        int constant = 1;
        for (char each : recipe.toCharArray()) {
            if (each == '\u0001') {
                flush(text, parts);
                parts.add(part(types[type++].getClassName()));
            } else if (each == '\u0002') {
                text.append(arguments[constant++]);
            } else {
                text.append(each);
            }
        }
        flush(text, parts);
        return joined(parts);
    }

    /** The same instructions with each chain of a StringBuilder as one, behind its parts. */
    static List<String> inOneStep(List<String> instructions) {
        List<String> result = new ArrayList<>();
        Deque<List<String>> open = new ArrayDeque<>();
        for (int index = 0; index < instructions.size(); index++) {
            String line = instructions.get(index);
            String next = index + 1 < instructions.size() ? instructions.get(index + 1) : "";
            Matcher append = APPEND.matcher(line);
            if (NULL_CHECKS.contains(line) && next.equals("pop")) {
                result.add(NULL_CHECK);
                index++;
            } else if (line.equals(BEGIN)
                    && next.equals("dup")
                    && index + 2 < instructions.size()
                    && instructions.get(index + 2).equals(INIT)
                    && isConcatenation(instructions, index + 3)) {
                open.push(new ArrayList<>());
                index += 2;
            } else if (!open.isEmpty() && append.matches()) {
                String last = result.isEmpty() ? "" : result.get(result.size() - 1);
                if (last.startsWith("push \"") && instructions.get(index - 1).equals(last)) {
                    result.remove(result.size() - 1);
                    open.peek().add(last.substring("push ".length()));
                } else {
                    open.peek().add(appended(append.group(1)));
                }
            } else if (!open.isEmpty() && line.equals(END)) {
                result.add(joined(merged(open.pop())));
            } else if (line.startsWith(MADE)
                    && !result.isEmpty()
                    && result.get(result.size() - 1).equals(TEXT_OF)) {
                // Later compilers ask the last object for its text one instruction earlier.
                result.remove(result.size() - 1);
                result.add(LAST_TEXT.matcher(line).replaceFirst("java.lang.Object$1"));
            } else {
                result.add(line);
            }
        }
        return result;
    }

    /**
     * Whether a builder is used for nothing but appending, and then for its text: no instruction
     * but these reaches down to it on the stack, and no jump leads away from it.
     */
    private static boolean isConcatenation(List<String> instructions, int start) {
        int depth = 0;
        Deque<Integer> builders = new ArrayDeque<>(List.of(depth));
        Map<String, List<Integer>> awaited = new HashMap<>();
        boolean reached = true;
        for (int index = start; index < instructions.size(); index++) {
            String line = instructions.get(index);
            Matcher label = LABEL.matcher(line);
            if (label.matches()) {
                List<Integer> jumped = awaited.remove(label.group(1));
                if (!reached && jumped != null) {
                    depth = jumped.get(1);
                    reached = true;
                }
                if (!reached || jumped != null && !jumped.equals(List.of(builders.size(), depth))) {
                    return false;
                }
                continue;
            }
            Matcher append = APPEND.matcher(line);
            if (!reached) {
                return false;
            } else if (line.equals(BEGIN)) {
                if (index + 2 >= instructions.size()
                        || !instructions.get(index + 1).equals("dup")
                        || !instructions.get(index + 2).equals(INIT)) {
                    return false;
                }
                index += 2;
                builders.push(++depth);
            } else if (append.matches()) {
                depth -= StackEffect.slots(append.group(1));
                if (depth != builders.element()) {
                    return false;
                }
            } else if (line.equals(END)) {
                if (depth != builders.pop()) {
                    return false;
                }
                if (builders.isEmpty()) {
                    return awaited.isEmpty();
                }
            } else {
                Optional<StackEffect> effect = StackEffect.of(line);
                if (line.contains(BUILDER)
                        || effect.isEmpty()
                        || depth - effect.get().takes() < builders.element()) {
                    return false;
                }
                depth += effect.get().gives() - effect.get().takes();
                Matcher target = TARGET.matcher(line);
                while (JUMP.matcher(line).matches() && target.find()) {
                    awaited.put(target.group(), List.of(builders.size(), depth));
                }
                reached = !END_OF_WAY.matcher(line).matches();
            }
        }
        return false;
    }

    /** What the text of a part depends on: of an object its own method, of numbers their kind. */
    private static String part(String type) {
        switch (type) {
            case "boolean":
            case "char":
            case "int":
            case "long":
            case "float":
            case "double":
            case "java.lang.String":
                return type;
            case "byte":
            case "short":
                return "int";
            default:
                return "java.lang.Object";
        }
    }

    /** A compiler appends an object as such; a program may append the characters of an array. */
    private static String appended(String type) {
        String part = part(type);
        return part.equals("java.lang.Object") ? type : part;
    }

    private static void flush(StringBuilder text, List<String> parts) {
        if (text.length() > 0) {
            parts.add("\"" + Words.escaped(text.toString()) + "\"");
            text.setLength(0);
        }
    }

    private static List<String> merged(List<String> parts) {
        List<String> result = new ArrayList<>();
        for (String part : parts) {
            String last = result.isEmpty() ? "" : result.get(result.size() - 1);
            if (part.startsWith("\"") && last.startsWith("\"")) {
                result.set(
                        result.size() - 1,
                        last.substring(0, last.length() - 1) + part.substring(1));
            } else {
                result.add(part);
            }
        }
        return result;
    }

    private static String joined(List<String> parts) {
        return MADE + String.join(" + ", parts);
    }
}
