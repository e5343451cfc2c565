// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.form;

import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How many slots of the stack an instruction takes and how many it gives, by the line that {@link
 * MethodForm} has for it. A long and a double have two (JVM specification, 6.5).
 */
final class StackEffect {

    private static final Pattern VARIABLE = Pattern.compile("([ilfda])(load|store) .*");
    private static final Pattern FIELD = Pattern.compile("(get|put)(static|field) (\\S+) .*");
    private static final Pattern CALL =
            Pattern.compile("invoke(\\w+) [^(]*\\(([^)]*)\\)([^ ]+)(?: by .*)?");
    private static final Pattern ARRAY = Pattern.compile("([ibcslfda])a(load|store)");
    private static final Pattern CONVERSION = Pattern.compile("([ilfd])2([ilfdbcs])");
    private static final Pattern SUM =
            Pattern.compile("([ilfd])(?:add|sub|mul|div|rem|and|or|xor)");
    private static final Pattern SHIFT = Pattern.compile("([il])u?sh[lr]");
    private static final Pattern ORDER = Pattern.compile("([lfd])cmp[lg]?");
    private static final Pattern NEGATION = Pattern.compile("([ilfd])neg");
    private static final Pattern NEW_ARRAYS = Pattern.compile("multianewarray .* with (\\d+)");

    private static final Map<String, StackEffect> OTHERS =
            Map.ofEntries(
                    Map.entry("nop", of(0, 0)),
                    Map.entry("iinc", of(0, 0)),
                    Map.entry("goto", of(0, 0)),
                    Map.entry("new", of(0, 1)),
                    Map.entry("newarray", of(1, 1)),
                    Map.entry("anewarray", of(1, 1)),
                    Map.entry("arraylength", of(1, 1)),
                    Map.entry("checkcast", of(1, 1)),
                    Map.entry("instanceof", of(1, 1)),
                    Map.entry("athrow", of(1, 0)),
                    Map.entry("switch", of(1, 0)),
                    Map.entry("ifeq", of(1, 0)),
                    Map.entry("ifne", of(1, 0)),
                    Map.entry("iflt", of(1, 0)),
                    Map.entry("ifge", of(1, 0)),
                    Map.entry("ifgt", of(1, 0)),
                    Map.entry("ifle", of(1, 0)),
                    Map.entry("ifnull", of(1, 0)),
                    Map.entry("ifnonnull", of(1, 0)),
                    Map.entry("if_icmpeq", of(2, 0)),
                    Map.entry("if_icmpne", of(2, 0)),
                    Map.entry("if_icmplt", of(2, 0)),
                    Map.entry("if_icmpge", of(2, 0)),
                    Map.entry("if_icmpgt", of(2, 0)),
                    Map.entry("if_icmple", of(2, 0)),
                    Map.entry("if_acmpeq", of(2, 0)),
                    Map.entry("if_acmpne", of(2, 0)),
                    Map.entry("pop", of(1, 0)),
                    Map.entry("pop2", of(2, 0)),
                    Map.entry("dup", of(1, 2)),
                    Map.entry("dup_x1", of(2, 3)),
                    Map.entry("dup_x2", of(3, 4)),
                    Map.entry("dup2", of(2, 4)),
                    Map.entry("dup2_x1", of(3, 5)),
                    Map.entry("dup2_x2", of(4, 6)),
                    Map.entry("swap", of(2, 2)));

    private final int takes;
    private final int gives;

    private StackEffect(int takes, int gives) {
        this.takes = takes;
        this.gives = gives;
    }

    private static StackEffect of(int takes, int gives) {
        return new StackEffect(takes, gives);
    }

    int takes() {
        return takes;
    }

    int gives() {
        return gives;
    }

    /** The effect of an instruction that goes on or jumps; empty where it is not known. */
    static Optional<StackEffect> of(String line) {
        if (line.startsWith("push ")) {
            boolean wide = line.startsWith("push long ") || line.startsWith("push double ");
            return Optional.of(of(0, wide ? 2 : 1));
        }
        Matcher found = VARIABLE.matcher(line);
        if (found.matches()) {
            int slots = slots(found.group(1));
            return Optional.of(found.group(2).equals("load") ? of(0, slots) : of(slots, 0));
        }
        found = FIELD.matcher(line);
        if (found.matches()) {
            int slots = slots(found.group(3));
            int object = found.group(2).equals("field") ? 1 : 0;
            return Optional.of(
                    found.group(1).equals("get") ? of(object, slots) : of(object + slots, 0));
        }
        found = CALL.matcher(line);
        if (found.matches()) {
            boolean receiver =
                    !found.group(1).equals("static") && !found.group(1).equals("dynamic");
            int takes = receiver ? 1 : 0;
            for (String type : found.group(2).split(",")) {
                takes += slots(type);
            }
            return Optional.of(of(takes, slots(found.group(3))));
        }
        return ofNumbers(line);
    }

    private static Optional<StackEffect> ofNumbers(String line) {
        Matcher found = ARRAY.matcher(line);
        if (found.matches()) {
            int slots = slots(found.group(1));
            return Optional.of(found.group(2).equals("load") ? of(2, slots) : of(2 + slots, 0));
        }
        found = CONVERSION.matcher(line);
        if (found.matches()) {
            return Optional.of(of(slots(found.group(1)), slots(found.group(2))));
        }
        found = SUM.matcher(line);
        if (found.matches()) {
            return Optional.of(of(2 * slots(found.group(1)), slots(found.group(1))));
        }
        found = SHIFT.matcher(line);
        if (found.matches()) {
            return Optional.of(of(slots(found.group(1)) + 1, slots(found.group(1))));
        }
        found = ORDER.matcher(line);
        if (found.matches()) {
            return Optional.of(of(2 * slots(found.group(1)), 1));
        }
        found = NEGATION.matcher(line);
        if (found.matches()) {
            return Optional.of(of(slots(found.group(1)), slots(found.group(1))));
        }
        found = NEW_ARRAYS.matcher(line);
        if (found.matches()) {
            return Optional.of(of(Integer.parseInt(found.group(1)), 1));
        }
        return Optional.ofNullable(OTHERS.get(line.split(" ", 2)[0]));
    }

    /** Of a type in words, or of the letter that an instruction has for it. */
    static int slots(String type) {
        switch (type) {
            case "":
            case "void":
                return 0;
            case "l":
            case "d":
            case "long":
            case "double":
                return 2;
            default:
                return 1;
        }
    }
}
