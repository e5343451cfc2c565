// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Constructor;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Puts code of ours between a test and Flink's classes, once per side.
 *
 * <p>A bridge is a class that calls Flink directly and implements an interface of this package. For
 * stock's side it is defined again, by a loader in front of stock's; the interface is shared.
 */
public final class Sides {

    private static final String OURS = "org.apache.flink.boost.";

    private static final Class<?>[] CODEC_HELPERS = {
        FlinkInput.class,
        ForeignInput.class,
        ForeignOutput.class,
        Pages.class,
        RuntimeViews.class,
        Serialized.class,
        UserViews.class
    };

    /** The classes of the official jars that the system property {@code stock.jars} names. */
    private static final ClassLoader STOCK = stockLoader();

    private Sides() {}

    /** The woven classes of the class path. */
    public static Codec patched() {
        return new FlinkCodec();
    }

    /** Stock's classes, in a loader of their own. */
    public static Codec stock() {
        try {
            return (Codec) StockCodec.CONSTRUCTOR.newInstance();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** The woven class of that name, not initialised. */
    public static Class<?> patchedType(String name) {
        return type(name, Sides.class.getClassLoader());
    }

    /** Stock's class of that name, not initialised. */
    public static Class<?> stockType(String name) {
        return type(name, STOCK);
    }

    private static Class<?> type(String name, ClassLoader loader) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static ClassLoader stockLoader() {
        String jars = System.getProperty("stock.jars");
        if (jars == null) {
            throw new AssertionError("-Dstock.jars must name the official Flink jars");
        }
        List<URL> urls = new ArrayList<>();
        // All jars of the class path, so that stock's classes see the rest of stock Flink.
        String all = jars + File.pathSeparator + System.getProperty("java.class.path");
        for (String entry : all.split(File.pathSeparator)) {
            // The weaver and the drop-in jar are ours.
            if (entry.endsWith(".jar") && !new File(entry).getName().startsWith("flink-boost-")) {
                try {
                    urls.add(new File(entry).toURI().toURL());
                } catch (MalformedURLException e) {
                    throw new AssertionError(e);
                }
            }
        }
        return new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
    }

    /**
     * The constructor of a bridge to stock's classes.
     *
     * @param bridge a public class with a public constructor without parameters
     * @param helpers classes of the same package that call Flink too
     */
    public static Constructor<?> ofStock(Class<?> bridge, Class<?>... helpers) {
        Set<String> names = new HashSet<>();
        names.add(bridge.getName());
        for (Class<?> helper : helpers) {
            names.add(helper.getName());
        }
        try {
            return new BridgeLoader(names).loadClass(bridge.getName()).getConstructor();
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    /** Apart: who asks for a class of stock's does not load the bridge. */
    private static final class StockCodec {

        static final Constructor<?> CONSTRUCTOR = ofStock(FlinkCodec.class, CODEC_HELPERS);
    }

    /** Defines the bridge in front of stock's loader. */
    private static final class BridgeLoader extends ClassLoader {

        private final Set<String> bridge;

        BridgeLoader(Set<String> bridge) {
            super(STOCK);
            this.bridge = bridge;
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            int dollar = name.indexOf('$');
            if (!bridge.contains(dollar < 0 ? name : name.substring(0, dollar))) {
                return name.startsWith(OURS)
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
