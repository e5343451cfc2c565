// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.form;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import net.bytebuddy.jar.asm.Handle;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.utility.OpenedClassReader;
import org.flinkboost.weaver.form.TypeShape.Member;

/**
 * The normal form of a method: what it does, in words, without what a compiler is free to choose.
 *
 * <p>One line per instruction. Constants stand by value, labels are numbered in the order of their
 * places, and a method that the compiler made itself, as for a lambda, has no name, because its
 * name is a number: {@link #helpers} are these in the order of their use. A private method of the
 * class is called in one way, whether the class file knows nests or not, and a method of all
 * buffers is the one of their superclass, whatever JDK a compiler looked at.
 */
final class MethodForm extends MethodVisitor {

    /** Around a label's number until all places are known; no other word has it. */
    private static final char MARK = '\u0001';

    private static final Pattern LABEL = Pattern.compile(MARK + "(\\d+)" + MARK);

    private static final Pattern BUFFER = Pattern.compile("java/nio/\\w*Buffer");
    private static final String ANY_BUFFER = "java/nio/Buffer";

    /** What only the superclass of all buffers has in Java 8, each of them in later ones. */
    private static final Set<String> OF_BUFFERS =
            Set.of("clear()", "flip()", "limit(I)", "mark()", "position(I)", "reset()", "rewind()");

    private static final Map<Integer, String> HANDLES =
            Map.of(
                    Opcodes.H_GETFIELD, "getfield ",
                    Opcodes.H_GETSTATIC, "getstatic ",
                    Opcodes.H_PUTFIELD, "putfield ",
                    Opcodes.H_PUTSTATIC, "putstatic ",
                    Opcodes.H_INVOKEVIRTUAL, "invokevirtual ",
                    Opcodes.H_INVOKESTATIC, "invokestatic ",
                    Opcodes.H_INVOKESPECIAL, "invokespecial ",
                    Opcodes.H_NEWINVOKESPECIAL, "new ",
                    Opcodes.H_INVOKEINTERFACE, "invokeinterface ");

    private final TypeShape owner;
    private final int access;
    private final List<String> raw = new ArrayList<>();
    private final Map<Label, Integer> labels = new HashMap<>();
    private final Map<Integer, Integer> places = new HashMap<>();
    private final List<String> caught = new ArrayList<>();
    private final Set<Member> calls = new TreeSet<>();
    private final Set<Member> fields = new TreeSet<>();
    private final List<Member> helpers = new ArrayList<>();

    MethodForm(TypeShape owner, int access) {
        super(OpenedClassReader.ASM_API);
        this.owner = owner;
        this.access = access;
    }

    /** Its flags in the class file. */
    int access() {
        return access;
    }

    /** A line of words for each instruction, and for each exception that is caught. */
    List<String> instructions() {
        List<String> all = new ArrayList<>(raw);
        all.addAll(caught);
        List<String> numbered = new ArrayList<>();
        for (String line : all) {
            numbered.add(
                    LABEL.matcher(line)
                            .replaceAll(
                                    found -> "L" + places.get(Integer.valueOf(found.group(1)))));
        }
        return Concatenation.inOneStep(numbered);
    }

    /** Methods of the same class that it calls, but for those without a name of their own. */
    Set<Member> calls() {
        return calls;
    }

    /** Fields of the same class that it reads or writes. */
    Set<Member> fields() {
        return fields;
    }

    /** Methods of the same class that the compiler made, in the order of their use. */
    List<Member> helpers() {
        return helpers;
    }

    @Override
    public void visitInsn(int opcode) {
        if (opcode == Opcodes.ACONST_NULL) {
            raw.add("push null");
        } else if (opcode >= Opcodes.ICONST_M1 && opcode <= Opcodes.ICONST_5) {
            push(opcode - Opcodes.ICONST_0);
        } else if (opcode == Opcodes.LCONST_0 || opcode == Opcodes.LCONST_1) {
            push((long) (opcode - Opcodes.LCONST_0));
        } else if (opcode >= Opcodes.FCONST_0 && opcode <= Opcodes.FCONST_2) {
            push((float) (opcode - Opcodes.FCONST_0));
        } else if (opcode == Opcodes.DCONST_0 || opcode == Opcodes.DCONST_1) {
            push((double) (opcode - Opcodes.DCONST_0));
        } else {
            raw.add(Opcode.name(opcode));
        }
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
        if (opcode == Opcodes.NEWARRAY) {
            raw.add("newarray of type " + operand);
        } else {
            push(operand);
        }
    }

    @Override
    public void visitVarInsn(int opcode, int variable) {
        raw.add(Opcode.name(opcode) + " " + variable);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
        raw.add(Opcode.name(opcode) + " " + type.replace('/', '.'));
    }

    @Override
    public void visitFieldInsn(int opcode, String type, String name, String descriptor) {
        touch(type, name, descriptor);
        raw.add(Opcode.name(opcode) + " " + Words.ofField(type, name, descriptor));
    }

    private void touch(String type, String name, String descriptor) {
        if (type.equals(owner.name())) {
            fields.add(new Member(name, descriptor));
        }
    }

    @Override
    public void visitMethodInsn(
            int opcode, String type, String name, String descriptor, boolean isInterface) {
        Member method = new Member(name, descriptor);
        int flags = type.equals(owner.name()) ? owner.methods().getOrDefault(method, 0) : 0;
        boolean privately =
                opcode == Opcodes.INVOKESPECIAL
                        && (flags & Opcodes.ACC_PRIVATE) != 0
                        && !name.equals("<init>");
        raw.add(
                Opcode.name(privately ? Opcodes.INVOKEVIRTUAL : opcode)
                        + " "
                        + named(type, method, flags));
    }

    @Override
    public void visitInvokeDynamicInsn(
            String name, String descriptor, Handle bootstrap, Object... arguments) {
        if (Concatenation.isMadeBy(bootstrap)) {
            raw.add(Concatenation.inWords(name, descriptor, arguments));
            return;
        }
        StringBuilder line = new StringBuilder("invokedynamic ");
        line.append(Words.ofSignature(name, descriptor)).append(" by ");
        line.append(Words.ofMethod(bootstrap.getOwner(), bootstrap.getName(), bootstrap.getDesc()));
        for (Object argument : arguments) {
            line.append(", ").append(constant(argument));
        }
        raw.add(line.toString());
    }

    @Override
    public void visitJumpInsn(int opcode, Label label) {
        raw.add(Opcode.name(opcode) + " " + place(label));
    }

    @Override
    public void visitLabel(Label label) {
        raw.add(place(label) + ":");
        places.put(labels.get(label), places.size());
    }

    @Override
    public void visitLdcInsn(Object value) {
        push(value);
    }

    @Override
    public void visitIincInsn(int variable, int increment) {
        raw.add("iinc " + variable + " by " + increment);
    }

    @Override
    public void visitTableSwitchInsn(int min, int max, Label otherwise, Label... targets) {
        Map<Integer, Label> cases = new TreeMap<>();
        for (int key = min; key <= max; key++) {
            cases.put(key, targets[key - min]);
        }
        switchOver(cases, otherwise);
    }

    @Override
    public void visitLookupSwitchInsn(Label otherwise, int[] keys, Label[] targets) {
        Map<Integer, Label> cases = new TreeMap<>();
        for (int index = 0; index < keys.length; index++) {
            cases.put(keys[index], targets[index]);
        }
        switchOver(cases, otherwise);
    }

    @Override
    public void visitMultiANewArrayInsn(String descriptor, int dimensions) {
        raw.add("multianewarray " + Words.ofType(descriptor) + " with " + dimensions);
    }

    @Override
    public void visitTryCatchBlock(Label start, Label end, Label handler, String type) {
        caught.add(
                "from "
                        + place(start)
                        + " to "
                        + place(end)
                        + " catch "
                        + (type == null ? "anything" : type.replace('/', '.'))
                        + " at "
                        + place(handler));
    }

    /** A case that goes where all others go is a gap in the table of one compiler. */
    private void switchOver(Map<Integer, Label> cases, Label otherwise) {
        StringBuilder line = new StringBuilder("switch");
        cases.forEach(
                (key, target) -> {
                    if (!target.equals(otherwise)) {
                        line.append(' ')
                                .append(key)
                                .append(" to ")
                                .append(place(target))
                                .append(',');
                    }
                });
        raw.add(line.append(" else to ").append(place(otherwise)).toString());
    }

    private void push(Object value) {
        raw.add("push " + constant(value));
    }

    private String constant(Object value) {
        if (value instanceof Handle) {
            return handle((Handle) value);
        }
        return Words.ofConstant(value);
    }

    /** In the words of the instruction that does the same. */
    private String handle(Handle handle) {
        Member member = new Member(handle.getName(), handle.getDesc());
        String kind = HANDLES.get(handle.getTag());
        if (handle.getTag() <= Opcodes.H_PUTSTATIC) {
            touch(handle.getOwner(), handle.getName(), handle.getDesc());
            return kind + Words.ofField(handle.getOwner(), handle.getName(), handle.getDesc());
        }
        boolean own = handle.getOwner().equals(owner.name());
        int flags = own ? owner.methods().getOrDefault(member, 0) : 0;
        // Which of two kinds a private method is called by depends on the compiler.
        boolean privately =
                (flags & Opcodes.ACC_PRIVATE) != 0
                        && handle.getTag() != Opcodes.H_INVOKESTATIC
                        && handle.getTag() != Opcodes.H_NEWINVOKESPECIAL;
        return (privately ? HANDLES.get(Opcodes.H_INVOKEVIRTUAL) : kind)
                + named(handle.getOwner(), member, flags);
    }

    private String named(String type, Member method, int flags) {
        boolean own = type.equals(owner.name());
        if (own && (flags & Opcodes.ACC_SYNTHETIC) != 0 && (flags & Opcodes.ACC_BRIDGE) == 0) {
            helpers.add(method);
            return "a method that the compiler made, " + Words.ofSignature("", method.descriptor());
        }
        if (own) {
            calls.add(method);
        }
        String parameters = method.descriptor().substring(0, method.descriptor().indexOf(')') + 1);
        if (BUFFER.matcher(type).matches() && OF_BUFFERS.contains(method.name() + parameters)) {
            return Words.ofMethod(ANY_BUFFER, method.name(), parameters + "L" + ANY_BUFFER + ";");
        }
        return Words.ofMethod(type, method.name(), method.descriptor());
    }

    private String place(Label label) {
        return MARK + "" + labels.computeIfAbsent(label, unknown -> labels.size()) + MARK;
    }
}
