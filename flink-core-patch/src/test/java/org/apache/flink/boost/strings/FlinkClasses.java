// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Flink's classes from one class loader, called by reflection, so that the same test code drives
 * the woven classes of the class path and stock's from the official jars in the same JVM.
 */
public final class FlinkClasses {

    /** The woven classes: first on the class path. */
    public static final FlinkClasses PATCHED =
            new FlinkClasses(FlinkClasses.class.getClassLoader());

    /** The classes of the official jars that the system property {@code stock.jars} names. */
    public static final FlinkClasses STOCK = new FlinkClasses(stockLoader());

    /** Reflection copies its answers at each question; the tests ask millions of times. */
    private static final Map<Class<?>, Constructor<?>[]> CONSTRUCTORS = new ConcurrentHashMap<>();

    private static final Map<Class<?>, Method[]> METHODS = new ConcurrentHashMap<>();
    private static final Map<Class<?>, Map<String, Field>> FIELDS = new ConcurrentHashMap<>();

    private final Map<String, Class<?>> types = new ConcurrentHashMap<>();
    private final ClassLoader loader;
    private final Method writeString;
    private final Method readString;
    private final Method copyString;

    private FlinkClasses(ClassLoader loader) {
        this.loader = loader;
        Class<?> stringValue = type("org.apache.flink.types.StringValue");
        this.writeString = method(stringValue, "writeString", CharSequence.class, DataOutput.class);
        this.readString = method(stringValue, "readString", DataInput.class);
        this.copyString = method(stringValue, "copyString", DataInput.class, DataOutput.class);
    }

    /** {@code StringValue.writeString}. */
    public void writeString(CharSequence text, DataOutput out) throws IOException {
        call(writeString, null, text, out);
    }

    /** {@code StringValue.readString}. */
    public String readString(DataInput in) throws IOException {
        return (String) call(readString, null, in);
    }

    /** {@code StringValue.copyString}. */
    public void copyString(DataInput in, DataOutput out) throws IOException {
        call(copyString, null, in, out);
    }

    /** A {@code DataOutputSerializer} with that capacity. */
    public DataOutput newOutput(int capacity) {
        return (DataOutput) create("org.apache.flink.core.memory.DataOutputSerializer", capacity);
    }

    /** A {@code DataInputDeserializer} over part of an array. */
    public DataInput newInput(byte[] bytes, int start, int length) {
        return (DataInput)
                create("org.apache.flink.core.memory.DataInputDeserializer", bytes, start, length);
    }

    /** A {@code StringValue} with that text. */
    public Object newStringValue(CharSequence text) {
        return create("org.apache.flink.types.StringValue", text);
    }

    /** Creates an object by its public or package-private constructor. */
    public Object create(String className, Object... arguments) {
        for (Constructor<?> constructor : constructors(type(className))) {
            if (fits(constructor.getParameterTypes(), arguments)) {
                try {
                    return constructor.newInstance(arguments);
                } catch (ReflectiveOperationException e) {
                    throw new AssertionError(e);
                }
            }
        }
        throw new AssertionError("no such constructor of " + className);
    }

    /** Calls a method of any visibility by name and argument types. */
    public Object invoke(Object receiver, String name, Object... arguments) throws IOException {
        for (Class<?> c = receiver.getClass(); c != null; c = c.getSuperclass()) {
            for (Method method : methods(c)) {
                if (method.getName().equals(name) && fits(method.getParameterTypes(), arguments)) {
                    return call(method, receiver, arguments);
                }
            }
        }
        throw new AssertionError("no method " + name + " in " + receiver.getClass());
    }

    /** The same of an interface: where an argument is null, several of the class's may fit. */
    public Object invokeOf(String type, Object receiver, String name, Object... arguments)
            throws IOException {
        for (Method method : methods(type(type))) {
            if (method.getName().equals(name) && fits(method.getParameterTypes(), arguments)) {
                return call(method, receiver, arguments);
            }
        }
        throw new AssertionError("no method " + name + " in " + type);
    }

    /** Calls a static method by name and argument types. */
    public Object invokeStatic(String className, String name, Object... arguments)
            throws IOException {
        for (Method method : methods(type(className))) {
            if (method.getName().equals(name) && fits(method.getParameterTypes(), arguments)) {
                return call(method, null, arguments);
            }
        }
        throw new AssertionError("no static method " + name + " in " + className);
    }

    /** Value of a private field, of the object's class or of one that it extends. */
    public static Object field(Object object, String name) {
        try {
            return FIELDS.computeIfAbsent(object.getClass(), type -> new ConcurrentHashMap<>())
                    .computeIfAbsent(name, missing -> declaredField(object.getClass(), missing))
                    .get(object);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    /** Sets a private field, of the object's class or of one that it extends. */
    public static void setField(Object object, String name, Object value) {
        try {
            declaredField(object.getClass(), name).set(object, value);
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    /** The class of that name, as this side sees it. */
    public Class<?> type(String name) {
        return types.computeIfAbsent(name, this::load);
    }

    private Class<?> load(String name) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new AssertionError(e);
        }
    }

    private static Constructor<?>[] constructors(Class<?> type) {
        return CONSTRUCTORS.computeIfAbsent(
                type,
                missing -> {
                    Constructor<?>[] declared = missing.getDeclaredConstructors();
                    AccessibleObject.setAccessible(declared, true);
                    return declared;
                });
    }

    private static Method[] methods(Class<?> type) {
        return METHODS.computeIfAbsent(
                type,
                missing -> {
                    // Those of the JDK's classes stay closed to the tests.
                    Method[] declared =
                            missing.getName().startsWith("java.")
                                    ? missing.getMethods()
                                    : missing.getDeclaredMethods();
                    if (!missing.getName().startsWith("java.")) {
                        AccessibleObject.setAccessible(declared, true);
                    }
                    return declared;
                });
    }

    /** Of the class or of one that it extends. */
    private static Field declaredField(Class<?> type, String name) {
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            for (Field field : c.getDeclaredFields()) {
                if (field.getName().equals(name)) {
                    field.setAccessible(true);
                    return field;
                }
            }
        }
        throw new AssertionError("no field " + name + " in " + type);
    }

    /** Whether this side has a class of that name. */
    public boolean has(String name) {
        try {
            Class.forName(name, false, loader);
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    private static ClassLoader stockLoader() {
        List<URL> urls = new ArrayList<>();
        // Views that the tests define: each side has its own class of them.
        urls.add(FlinkClasses.class.getProtectionDomain().getCodeSource().getLocation());
        String jars = System.getProperty("stock.jars");
        if (jars == null) {
            throw new AssertionError("-Dstock.jars must name the official Flink jars");
        }
        // All jars of the class path, so that stock's classes see the rest of stock Flink.
        String all = jars + File.pathSeparator + System.getProperty("java.class.path");
        for (String entry : all.split(File.pathSeparator)) {
            if (entry.endsWith(".jar") && !isOurs(entry)) {
                try {
                    urls.add(new File(entry).toURI().toURL());
                } catch (MalformedURLException e) {
                    throw new AssertionError(e);
                }
            }
        }
        return new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
    }

    /** Jars of this project: the weaver, and the drop-in jar. */
    private static boolean isOurs(String jar) {
        return new File(jar).getName().startsWith("flink-boost-");
    }

    private static Method method(Class<?> type, String name, Class<?>... parameters) {
        try {
            return type.getMethod(name, parameters);
        } catch (NoSuchMethodException e) {
            throw new AssertionError(e);
        }
    }

    private static Object call(Method method, Object receiver, Object... arguments)
            throws IOException {
        try {
            return method.invoke(receiver, arguments);
        } catch (InvocationTargetException e) {
            if (e.getCause() instanceof IOException) {
                throw (IOException) e.getCause();
            }
            if (e.getCause() instanceof RuntimeException) {
                throw (RuntimeException) e.getCause();
            }
            throw (Error) e.getCause();
        } catch (IllegalAccessException e) {
            throw new AssertionError(e);
        }
    }

    private static boolean fits(Class<?>[] parameters, Object[] arguments) {
        if (parameters.length != arguments.length) {
            return false;
        }
        for (int i = 0; i < parameters.length; i++) {
            Class<?> wanted = parameters[i] == int.class ? Integer.class : parameters[i];
            if (arguments[i] != null && !wanted.isInstance(arguments[i])) {
                return false;
            }
        }
        return true;
    }
}
