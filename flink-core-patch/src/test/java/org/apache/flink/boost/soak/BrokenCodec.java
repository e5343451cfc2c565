// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import org.apache.flink.boost.sidebyside.Codec;

/** A codec with one wrong code unit: the soak test has to find it, or it finds nothing. */
final class BrokenCodec {

    private BrokenCodec() {}

    /** Reads that code unit, wherever it comes, as its neighbour. */
    static Codec reading(Codec codec, char unit) {
        return broken(codec, "readString", unit);
    }

    /** Writes that code unit, wherever it comes, as its neighbour. */
    static Codec writing(Codec codec, char unit) {
        return broken(codec, "writeString", unit);
    }

    private static Codec broken(Codec codec, String name, char unit) {
        return (Codec)
                Proxy.newProxyInstance(
                        BrokenCodec.class.getClassLoader(),
                        new Class<?>[] {Codec.class},
                        (proxy, method, arguments) -> {
                            boolean breaks = method.getName().equals(name);
                            if (breaks && arguments != null && arguments[0] != null) {
                                arguments[0] = damaged(arguments[0].toString(), unit);
                            }
                            try {
                                Object result = method.invoke(codec, arguments);
                                return breaks && result != null
                                        ? damaged((String) result, unit)
                                        : result;
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private static String damaged(String text, char unit) {
        return text.replace(unit, (char) (unit ^ 1));
    }
}
