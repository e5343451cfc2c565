// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.util.Set;
import org.apache.flink.boost.string.FlinkClasses;

/** Makes a {@link Codec} of either side. */
public final class Sides {

    /** What is defined again by the loader of stock's side; the rest of the package is shared. */
    private static final Set<String> BRIDGE =
            Set.of(
                    FlinkCodec.class.getName(),
                    RuntimeViews.class.getName(),
                    ForeignInput.class.getName(),
                    ForeignOutput.class.getName());

    private static final Constructor<?> STOCK = stockBridge();

    private Sides() {}

    /** The woven classes of the class path. */
    public static Codec patched() {
        return new FlinkCodec();
    }

    /** Stock's classes, in a loader of their own. */
    public static Codec stock() {
        try {
            return (Codec) STOCK.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static Constructor<?> stockBridge() {
        ClassLoader stock =
                FlinkClasses.STOCK.type("org.apache.flink.types.StringValue").getClassLoader();
        try {
            return new BridgeLoader(stock).loadClass(FlinkCodec.class.getName()).getConstructor();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Defines the bridge in front of stock's loader. */
    private static final class BridgeLoader extends ClassLoader {

        BridgeLoader(ClassLoader stock) {
            super(stock);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            boolean inner = name.startsWith(FlinkCodec.class.getName() + "$");
            if (!inner && !BRIDGE.contains(name)) {
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
