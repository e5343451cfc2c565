// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.LinkedHashMap;
import java.util.stream.Stream;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.typeutils.runtime.PojoSerializer;
import org.apache.flink.api.java.typeutils.runtime.RowSerializer;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;

/**
 * Stock's serializers of records, untouched, beside those of the tests' class path. Both work with
 * the same views and the same serializers of fields.
 */
final class StockSerializers {

    private static final String SERIALIZERS = "org.apache.flink.api.java.typeutils.";

    /** What these ask for where Avro is there. */
    private static final String SERIALIZERS_OF_AVRO = "org.apache.flink.formats.avro.utils.";

    private static final ClassLoader STOCK = new StockLoader();

    private StockSerializers() {}

    /** Stock's serializer of a POJO or a Java record. */
    static TypeSerializer<Object> pojo(
            Class<?> type, Field[] fields, TypeSerializer<?>[] serializers) {
        return pojo(STOCK, type, fields, serializers);
    }

    /** That of the tests' class path. */
    static TypeSerializer<Object> ourPojo(
            Class<?> type, Field[] fields, TypeSerializer<?>[] serializers) {
        return pojo(StockSerializers.class.getClassLoader(), type, fields, serializers);
    }

    private static TypeSerializer<Object> pojo(
            ClassLoader loader, Class<?> type, Field[] fields, TypeSerializer<?>[] serializers) {
        Object[] arguments = {type, serializers, fields, new SerializerConfigImpl()};
        return make(loader, PojoSerializer.class, arguments);
    }

    /** Stock's serializer of tuples. */
    static TypeSerializer<Object> tuple(Class<?> type, TypeSerializer<?>[] serializers) {
        return make(STOCK, TupleSerializer.class, type, serializers);
    }

    /**
     * Stock's serializer of rows.
     *
     * @param positions the names of the positions; may be null
     */
    static TypeSerializer<Object> row(
            TypeSerializer<?>[] serializers,
            LinkedHashMap<String, Integer> positions,
            boolean hasKind) {
        return make(STOCK, RowSerializer.class, serializers, positions, hasKind);
    }

    /** Stock's serializer by Kryo. */
    static TypeSerializer<Object> kryo(Class<?> type, SerializerConfig config) {
        return make(STOCK, KryoSerializer.class, type, config);
    }

    /** Stock's own class of that name. */
    static Class<?> stock(Class<?> type) {
        try {
            return Class.forName(type.getName(), true, STOCK);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException("Stock has no such class.", e);
        }
    }

    /**
     * What a call comes to with the serializer's own class loader as the thread's. Stock asks that
     * one for what it needs of Avro, when a serializer is made and, in some releases, later.
     */
    static String inLoaderOf(TypeSerializer<Object> serializer, Outcome.Call call) {
        ClassLoader before = enter(serializer.getClass().getClassLoader());
        try {
            return Outcome.of(call);
        } finally {
            enter(before);
        }
    }

    private static ClassLoader enter(ClassLoader loader) {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(loader);
        return before;
    }

    @SuppressWarnings("unchecked")
    private static TypeSerializer<Object> make(
            ClassLoader loader, Class<?> serializer, Object... arguments) {
        ClassLoader before = enter(loader);
        try {
            Class<?> type = Class.forName(serializer.getName(), true, loader);
            for (Constructor<?> each : type.getConstructors()) {
                if (takes(each.getParameterTypes(), arguments)) {
                    return (TypeSerializer<Object>) each.newInstance(arguments);
                }
            }
            throw new IllegalStateException(type + " has no such constructor.");
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("A serializer cannot be made.", e);
        } finally {
            enter(before);
        }
    }

    /** Releases have constructors with as many parameters of other types. */
    private static boolean takes(Class<?>[] types, Object[] arguments) {
        boolean fits = types.length == arguments.length;
        for (int i = 0; fits && i < types.length; i++) {
            Object each = arguments[i];
            fits = each == null || types[i].isPrimitive() || types[i].isInstance(each);
        }
        return fits;
    }

    private static final class StockLoader extends URLClassLoader {

        StockLoader() {
            super(jars(), StockSerializers.class.getClassLoader());
        }

        /** Stock's before the others of the class path, which have more serializers. */
        private static URL[] jars() {
            return Stream.of("stock.jars", "java.class.path")
                    .flatMap(each -> Stream.of(System.getProperty(each).split(File.pathSeparator)))
                    .map(StockLoader::url)
                    .toArray(URL[]::new);
        }

        private static URL url(String jar) {
            try {
                return new File(jar).toURI().toURL();
            } catch (MalformedURLException e) {
                throw new UncheckedIOException(new IOException(e));
            }
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                if (loaded == null
                        && (name.startsWith(SERIALIZERS) || name.startsWith(SERIALIZERS_OF_AVRO))) {
                    loaded = findClass(name);
                }
                return loaded != null ? loaded : super.loadClass(name, resolve);
            }
        }
    }
}
