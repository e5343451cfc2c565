// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.boost.strings.FlinkClasses;

/**
 * Puts code of ours between a test and Flink's classes, once per side.
 *
 * <p>A bridge is a class that calls Flink directly and implements an interface of this package. For
 * stock's side it is defined again, by a loader in front of stock's; the interface is shared.
 */
public final class Sides {

    private static final Class<?>[] CODEC_HELPERS = {
        RuntimeViews.class, ForeignInput.class, ForeignOutput.class
    };

    private static final Constructor<?> STOCK_CODEC = ofStock(FlinkCodec.class, CODEC_HELPERS);

    private Sides() {}

    /** The woven classes of the class path. */
    public static Codec patched() {
        return new FlinkCodec();
    }

    /** Stock's classes, in a loader of their own. */
    public static Codec stock() {
        try {
            return (Codec) STOCK_CODEC.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /**
     * The constructor of a bridge to stock's classes.
     *
     * @param bridge a public class with a public constructor without parameters
     * @param helpers classes of the same package that call Flink too
     */
    public static Constructor<?> ofStock(Class<?> bridge, Class<?>... helpers) {
        ClassLoader stock =
                FlinkClasses.STOCK.type("org.apache.flink.types.StringValue").getClassLoader();
        Set<String> names = new HashSet<>();
        names.add(bridge.getName());
        for (Class<?> helper : helpers) {
            names.add(helper.getName());
        }
        try {
            return new BridgeLoader(stock, names).loadClass(bridge.getName()).getConstructor();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Defines the bridge in front of stock's loader. */
    private static final class BridgeLoader extends ClassLoader {

        private final Set<String> bridge;

        BridgeLoader(ClassLoader stock, Set<String> bridge) {
            super(stock);
            this.bridge = bridge;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            int dollar = name.indexOf('$');
            if (!bridge.contains(dollar < 0 ? name : name.substring(0, dollar))) {
                return name.startsWith(Sides.class.getPackageName() + ".")
                        ? Sides.class.getClassLoader().loadClass(name)
                        : super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> defined = findLoadedClass(name);
                return defined == null ? define(name) : defined;
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            String file = name.replace('.', '/') + ".class";
            try (InputStream in = Sides.class.getClassLoader().getResourceAsStream(file)) {
                byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
