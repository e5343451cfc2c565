// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.AccessibleObject;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;

/**
 * The views of flink-runtime, whose names differ between lines and which are package-private, and
 * private fields of views, all through constant handles.
 */
final class RuntimeViews {

    private static final String PACKAGE = "org.apache.flink.runtime.io.network.api.serialization.";
    private static final String[] WRAPPERS = {
        PACKAGE + "NonSpanningWrapper",
        PACKAGE + "SpillingAdaptiveSpanningRecordDeserializer$NonSpanningWrapper"
    };
    private static final String PAGES = "org.apache.flink.runtime.io.disk.RandomAccessInputView";

    /** Bytes around a slice. */
    private static final int FRONT = 11;

    private static final int BACK = 5;

    private static final MethodHandles.Lookup LOOKUP = MethodHandles.lookup();
    private static final Class<?> WRAPPER = find(WRAPPERS);
    private static final Class<?> PAGED = find(PAGES);

    private static final MethodHandle NEW_WRAPPER = constructor(WRAPPER, DataInputView.class);
    private static final MethodHandle INITIALIZE =
            method(
                    WRAPPER,
                    "initializeFromMemorySegment",
                    void.class,
                    MemorySegment.class,
                    int.class,
                    int.class);
    private static final MethodHandle CLEAR = method(WRAPPER, "clear", void.class);
    private static final MethodHandle WRAPPER_POSITION = getter(WRAPPER, DataInputView.class);
    private static final MethodHandle MOVE_WRAPPER = setter(WRAPPER, DataInputView.class);
    private static final MethodHandle NEW_PAGES =
            constructor(PAGED, DataInputView.class, ArrayList.class, int.class, int.class);
    private static final MethodHandle SEEK =
            method(PAGED, "setReadPosition", void.class, long.class);
    private static final MethodHandle TELL = method(PAGED, "getReadPosition", long.class);
    private static final MethodHandle POSITION =
            getter(DataInputDeserializer.class, DataInputDeserializer.class);
    private static final MethodHandle MOVE =
            setter(DataInputDeserializer.class, DataInputDeserializer.class);
    private static final MethodHandle MOVE_OUTPUT =
            setter(DataOutputSerializer.class, DataOutputSerializer.class);

    private RuntimeViews() {}

    static DataInputView newWrapper() {
        try {
            return (DataInputView) NEW_WRAPPER.invokeExact();
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    static void initialize(DataInputView wrapper, MemorySegment segment, int start, int end) {
        try {
            INITIALIZE.invokeExact(wrapper, segment, start, end);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    static void clear(DataInputView wrapper) {
        try {
            CLEAR.invokeExact(wrapper);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    static int positionOfWrapper(DataInputView wrapper) {
        try {
            return (int) WRAPPER_POSITION.invokeExact(wrapper);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    static void moveWrapper(DataInputView wrapper, int position) {
        try {
            MOVE_WRAPPER.invokeExact(wrapper, position);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** A view of pages whose bytes end at {@code end}, at {@code start}. */
    static DataInputView newPages(ArrayList<MemorySegment> pages, int start, int end) {
        int limit = end - (pages.size() - 1) * Codec.PAGE;
        try {
            DataInputView view = (DataInputView) NEW_PAGES.invokeExact(pages, Codec.PAGE, limit);
            SEEK.invokeExact(view, (long) start);
            return view;
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** A heap segment of these bytes in the middle of an array, around which are ones. */
    static MemorySegment slice(byte[] bytes) {
        // A segment has at least one byte.
        int size = Math.max(bytes.length, 1);
        byte[] ones = new byte[FRONT + size + BACK];
        Arrays.fill(ones, (byte) 1);
        ones[FRONT] = 0;
        System.arraycopy(bytes, 0, ones, FRONT, bytes.length);
        MemorySegment segment = MemorySegmentFactory.wrap(ones);
        try {
            Field address = open(MemorySegment.class.getDeclaredField("address"));
            long first = address.getLong(segment) + FRONT;
            address.setLong(segment, first);
            open(MemorySegment.class.getDeclaredField("addressLimit"))
                    .setLong(segment, first + size);
            open(MemorySegment.class.getDeclaredField("size")).setInt(segment, size);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
        return segment;
    }

    static int positionOfPages(DataInputView view) {
        try {
            return (int) (long) TELL.invokeExact(view);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    static int positionOf(DataInputDeserializer view) {
        try {
            return (int) POSITION.invokeExact(view);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    static void move(DataInputDeserializer view, int position) {
        try {
            MOVE.invokeExact(view, position);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    static void move(DataOutputSerializer view, int position) {
        try {
            MOVE_OUTPUT.invokeExact(view, position);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    private static Class<?> find(String... names) {
        for (String name : names) {
            try {
                return Class.forName(name, false, RuntimeViews.class.getClassLoader());
            } catch (ClassNotFoundException e) {
                // The name in other releases.
            }
        }
        throw new AssertionError("there is none of " + String.join(", ", names));
    }

    private static MethodHandle constructor(Class<?> type, Class<?> as, Class<?>... parameters) {
        try {
            Constructor<?> constructor = open(type.getDeclaredConstructor(parameters));
            return LOOKUP.unreflectConstructor(constructor)
                    .asType(MethodType.methodType(as, parameters));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static MethodHandle method(
            Class<?> type, String name, Class<?> result, Class<?>... parameters) {
        try {
            Method method = open(type.getDeclaredMethod(name, parameters));
            return LOOKUP.unreflect(method)
                    .asType(
                            MethodType.methodType(result, parameters)
                                    .insertParameterTypes(0, DataInputView.class));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static MethodHandle getter(Class<?> type, Class<?> as) {
        try {
            return LOOKUP.unreflectGetter(position(type))
                    .asType(MethodType.methodType(int.class, as));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static MethodHandle setter(Class<?> type, Class<?> as) {
        try {
            return LOOKUP.unreflectSetter(position(type))
                    .asType(MethodType.methodType(void.class, as, int.class));
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static Field position(Class<?> type) throws NoSuchFieldException {
        return open(type.getDeclaredField("position"));
    }

    private static <T extends AccessibleObject> T open(T member) {
        member.setAccessible(true);
        return member;
    }

    private static RuntimeException unchecked(Throwable e) {
        if (e instanceof Error) {
            throw (Error) e;
        }
        return e instanceof RuntimeException ? (RuntimeException) e : new IllegalStateException(e);
    }
}
