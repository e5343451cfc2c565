// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import org.apache.flink.boost.woven.DataInputDeserializerMemory;
import org.apache.flink.boost.woven.DataOutputSerializerMemory;
import org.apache.flink.boost.woven.SegmentInput;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * The views that show us their memory, looked up once.
 *
 * <p>Another jar may stand in front of ours with a copy of one of these classes that is not
 * patched. It is null here then, so that no view is taken for it, and stock's body moves its bytes.
 *
 * <p>Views are told apart by exact class. An {@code instanceof} of our interfaces would go through
 * the secondary supertype cache, which threads that ask for different interfaces of one class take
 * from each other (JDK-8180450); after an exact comparison the compiler needs no check at all.
 */
public final class OwnViews {

    /** {@code DataOutputSerializer} as an {@link DataOutputSerializerMemory}. */
    public static final Class<?> ARRAY_OUTPUT =
            ifOpened(DataOutputSerializer.class, DataOutputSerializerMemory.class);

    /** {@code DataInputDeserializer} as an {@link DataInputDeserializerMemory}. */
    public static final Class<?> ARRAY_INPUT =
            ifOpened(DataInputDeserializer.class, DataInputDeserializerMemory.class);

    /** The name that the view of a record in one network buffer has in the releases. */
    private static final String[] SEGMENT_INPUT_NAMES = {
        "org.apache.flink.runtime.io.network.api.serialization.NonSpanningWrapper",
        "org.apache.flink.runtime.io.network.api.serialization"
                + ".SpillingAdaptiveSpanningRecordDeserializer$NonSpanningWrapper"
    };

    /** That view as a {@link SegmentInput}; null when flink-runtime is not there, too. */
    public static final Class<?> SEGMENT_INPUT = segmentInput();

    private OwnViews() {}

    /** Whether an input is one of these. */
    public static boolean showsMemory(DataInputView in) {
        Class<?> view = in.getClass();
        return view == SEGMENT_INPUT || view == ARRAY_INPUT;
    }

    /** Whether a class would be one of these, or extends one, but is not patched. */
    static boolean isLeftAsStock(Class<?> type) {
        return ARRAY_OUTPUT == null && DataOutputSerializer.class.isAssignableFrom(type)
                || ARRAY_INPUT == null && DataInputDeserializer.class.isAssignableFrom(type)
                || SEGMENT_INPUT == null && isSegmentInputName(type.getName());
    }

    private static boolean isSegmentInputName(String name) {
        return name.equals(SEGMENT_INPUT_NAMES[0]) || name.equals(SEGMENT_INPUT_NAMES[1]);
    }

    private static Class<?> segmentInput() {
        for (String name : SEGMENT_INPUT_NAMES) {
            try {
                Class<?> view = Class.forName(name, false, OwnViews.class.getClassLoader());
                return ifOpened(view, SegmentInput.class);
            } catch (ClassNotFoundException | LinkageError e) {
                // The other line's name, or flink-core without flink-runtime.
            }
        }
        return null;
    }

    private static Class<?> ifOpened(Class<?> view, Class<?> opening) {
        return opening.isAssignableFrom(view) ? view : null;
    }
}
