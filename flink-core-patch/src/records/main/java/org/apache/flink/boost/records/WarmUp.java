// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.boost.strings.OwnViews;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.types.StringValue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows HotSpot, once per process, all kinds of views that records are read from.
 *
 * <p>Nearly all records of a job come from network buffers, and only one in some hundred, which is
 * in two buffers, from an array. Code that was compiled without having seen one is thrown away at
 * the first, method after method, and compiling what a job consists of takes a second each time.
 * The branches are in static methods that all generated classes share, so it is enough to call
 * these. Type profiles of Flink's own serializers stay as they are.
 */
final class WarmUp implements Runnable {

    private static final Logger LOG = LoggerFactory.getLogger(WarmUp.class);

    /** HotSpot counts branches from the code of its first compiler on, after some 200 calls. */
    private static final int ROUNDS = 100;

    private static final int CALLS = 20;

    /** Bytes of the fields of fixed width, with a null flag in front of each. */
    private static final int FIXED = 2 + 2 + 3 + 3 + 5 + 9;

    private static final String[] TEXTS = {
        "", "a", "seven x", "of thirteen x", "twenty-four characters x", "\u00e9t\u00e9", "\u6f22"
    };

    private final byte[] bytes;
    private final List<MemorySegment> segments = new ArrayList<>();
    private final DataInputView network;
    private final Method select;

    private int round;

    WarmUp() throws ReflectiveOperationException, IOException {
        DataOutputSerializer out = new DataOutputSerializer(16);
        write(out);
        bytes = out.getCopyOfBuffer();
        segments.add(MemorySegmentFactory.wrap(bytes));
        MemorySegment direct = MemorySegmentFactory.allocateUnpooledOffHeapMemory(bytes.length);
        direct.put(0, bytes);
        segments.add(direct);
        Class<?> type = OwnViews.SEGMENT_INPUT;
        Constructor<?> constructor = type == null ? null : type.getDeclaredConstructor();
        if (constructor == null) {
            network = null;
            select = null;
            return;
        }
        constructor.setAccessible(true);
        network = (DataInputView) constructor.newInstance();
        select =
                type.getDeclaredMethod(
                        "initializeFromMemorySegment", MemorySegment.class, int.class, int.class);
        select.setAccessible(true);
    }

    /** Begins on the thread that generates, behind what it has to do. */
    static void start() {
        GenerationThread.run(
                () -> {
                    try {
                        new WarmUp().run();
                    } catch (ReflectiveOperationException
                            | IOException
                            | RuntimeException
                            | Error e) {
                        fail(e);
                    }
                });
    }

    /** A little, so that a class that somebody waits for comes in between. */
    @Override
    public void run() {
        try {
            for (int i = 0; i < CALLS; i++) {
                move();
            }
        } catch (ReflectiveOperationException | IOException | RuntimeException | Error e) {
            fail(e);
            return;
        }
        round++;
        if (round < ROUNDS) {
            GenerationThread.run(this);
        }
    }

    boolean hasNetworkViews() {
        return network != null;
    }

    private static void fail(Throwable e) {
        LOG.warn("HotSpot could not be shown all views: records may be slow at first.", e);
    }

    /** Moves a record of each kind of field and text, through views of each kind. */
    void move() throws ReflectiveOperationException, IOException {
        DataOutputSerializer out = new DataOutputSerializer(bytes.length);
        write(out);
        read(new DataInputDeserializer(bytes));
        if (network != null) {
            for (MemorySegment each : segments) {
                select.invoke(network, each, 0, bytes.length);
                read(network);
            }
        }
        read(new DataInputViewStreamWrapper(new ByteArrayInputStream(bytes)));
    }

    /** As generated code does. */
    private static void write(DataOutputSerializer out) throws IOException {
        byte[] array = FixedFields.room(out, FIXED);
        if (array == null) {
            out.write(new byte[FIXED]);
        } else {
            int at = FixedFields.advance(out, FIXED);
            FixedFields.writeBoolean(array, at, true);
            FixedFields.writeByte(array, at + 2, (byte) 1);
            FixedFields.writeShort(array, at + 4, (short) 1);
            FixedFields.writeChar(array, at + 7, 'x');
            FixedFields.writeFloat(array, at + 10, 1);
            FixedFields.writeDouble(array, at + 15, 1);
        }
        for (String text : TEXTS) {
            StringValue.writeString(text, out);
        }
    }

    private static void read(DataInputView in) throws IOException {
        if (!FixedFields.startsWith(in, (byte) 0)) {
            in.skipBytesToRead(FIXED);
        } else {
            MemorySegment segment = FixedFields.segment(in, FIXED);
            byte[] array = FixedFields.array(in, FIXED);
            int at = FixedFields.position(in);
            if (FixedFields.booleanFlag(array, segment, at) == 0) {
                FixedFields.readBoolean(array, segment, at);
                FixedFields.readByte(array, segment, at + 2);
                FixedFields.readShort(array, segment, at + 4);
                FixedFields.readChar(array, segment, at + 7);
                FixedFields.readFloat(array, segment, at + 10);
                FixedFields.readDouble(array, segment, at + 15);
            }
            FixedFields.position(in, at + FIXED);
        }
        for (String text : TEXTS) {
            if (!text.equals(StringValue.readString(in))) {
                throw new IllegalStateException(text + " is not read from " + in.getClass());
            }
        }
    }
}
