// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.form;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import net.bytebuddy.jar.asm.Type;

/** How constants and members read. */
public final class Words {

    private Words() {}

    static String ofType(String descriptor) {
        return Type.getType(descriptor).getClassName();
    }

    public static String ofField(String owner, String name, String descriptor) {
        return ofType(descriptor) + " " + owner.replace('/', '.') + "." + name;
    }

    public static String ofMethod(String owner, String name, String descriptor) {
        return owner.replace('/', '.') + "." + ofSignature(name, descriptor);
    }

    static String ofSignature(String name, String descriptor) {
        List<String> types = new ArrayList<>();
        for (Type type : Type.getArgumentTypes(descriptor)) {
            types.add(type.getClassName());
        }
        return name
                + "("
                + String.join(",", types)
                + ")"
                + Type.getReturnType(descriptor).getClassName();
    }

    static String ofConstant(Object value) {
        if (value instanceof String) {
            return "\"" + escaped((String) value) + "\"";
        }
        if (value instanceof Type) {
            Type type = (Type) value;
            return type.getSort() == Type.METHOD
                    ? ofSignature("", type.getDescriptor())
                    : type.getClassName() + ".class";
        }
        return value.getClass().getSimpleName().toLowerCase(Locale.ROOT) + " " + value;
    }

    static String escaped(String text) {
        StringBuilder readable = new StringBuilder();
        for (char each : text.toCharArray()) {
            if (each == '"' || each == '\\') {
                readable.append('\\').append(each);
            } else if (each >= ' ' && each < 0x7F) {
                readable.append(each);
            } else {
                readable.append(String.format("\\u%04x", (int) each));
            }
        }
        return readable.toString();
    }
}
