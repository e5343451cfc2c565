// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.line;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import net.bytebuddy.description.type.TypeDescription;
import net.bytebuddy.jar.asm.Label;
import net.bytebuddy.jar.asm.MethodVisitor;
import net.bytebuddy.jar.asm.Opcodes;
import net.bytebuddy.pool.TypePool;

/**
 * The class of ours that woven code asks whether the patches of a family run: for each family it
 * has a public static final boolean, named after it in capitals. It stands in a package of its own
 * beside those of the families, which begin with the family's name.
 */
public final class FamilySwitches {

    /** Its method that each woven class calls first of all; it takes and returns nothing. */
    private static final String REQUIRE = "require";

    private final String owner;

    /** Takes the binary name of the class. */
    public FamilySwitches(String owner) {
        this.owner = owner;
    }

    /**
     * Checks that woven code can use it.
     *
     * @throws WeaveException when it is not there, or lacks a field or the method
     */
    public void requireUsable(TypePool pool, Collection<String> families) {
        TypePool.Resolution resolution = pool.describe(owner);
        if (!resolution.isResolved() || !resolution.resolve().isPublic()) {
            throw new WeaveException(
                    "The switches of the families, "
                            + owner
                            + ", are missing: expected a public class.");
        }
        TypeDescription type = resolution.resolve();
        boolean asked =
                type.getDeclaredMethods().stream()
                        .filter(method -> method.getName().equals(REQUIRE))
                        .filter(method -> method.getDescriptor().equals("()V"))
                        .anyMatch(method -> method.isPublic() && method.isStatic());
        if (!asked) {
            throw new WeaveException(
                    owner
                            + " is to be asked by woven classes: expected public static void "
                            + REQUIRE
                            + "(), found "
                            + type.getDeclaredMethods()
                            + ".");
        }
        for (String family : families) {
            boolean found =
                    type.getDeclaredFields().stream()
                            .filter(field -> field.getName().equals(field(family)))
                            .filter(field -> field.getType().represents(boolean.class))
                            .anyMatch(f -> f.isPublic() && f.isStatic() && f.isFinal());
            if (!found) {
                throw new WeaveException(
                        owner
                                + " has no switch of the family "
                                + family
                                + ": expected public static final boolean "
                                + field(family)
                                + ", found "
                                + type.getDeclaredFields()
                                + ".");
            }
        }
    }

    /** Goes to a label when the family is switched off. */
    public void visitTest(MethodVisitor visitor, String family, Label off) {
        visitor.visitFieldInsn(Opcodes.GETSTATIC, internalName(), field(family), "Z");
        visitor.visitJumpInsn(Opcodes.IFEQ, off);
    }

    /** Asks the class. */
    public void visitCall(MethodVisitor visitor) {
        visitor.visitMethodInsn(Opcodes.INVOKESTATIC, internalName(), REQUIRE, "()V", false);
    }

    /** The family in whose packages a class of ours stands; empty for what all of them share. */
    public Optional<String> familyOf(String className, Collection<String> families) {
        String root = packageOf(packageOf(owner)) + ".";
        return families.stream()
                .filter(family -> packageOf(className).startsWith(root + family))
                .max(Comparator.comparingInt(String::length));
    }

    private static String packageOf(String name) {
        return name.substring(0, Math.max(name.lastIndexOf('.'), 0));
    }

    private static String field(String family) {
        return family.toUpperCase(Locale.ROOT).replace('-', '_');
    }

    private String internalName() {
        return owner.replace('.', '/');
    }
}
