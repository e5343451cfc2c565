// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.core.fs.FileSystem;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.streaming.runtime.streamrecord.StreamElement;
import org.apache.flink.streaming.runtime.streamrecord.StreamElementSerializer;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;

/** The records of a cell: made once per fork, shared by all its threads, never changed. */
@State(Scope.Benchmark)
public class Records {

    private static final long SEED = 11_859;

    /** Different records at the most, and in bytes. */
    private static final int MOST = 1024;

    private static final int MOST_BYTES = 4 << 20;

    /** Says that a stream record without a time stamp follows. */
    private static final int TAG = 1;

    /** In bytes, as Flink serializes it, without the length in front; of a row the next fewer. */
    @Param({"8", "16", "32", "64", "256", "1024", "32768", "1048576"})
    public int size;

    /** Any of {@link RecordType}. */
    @Param({"string", "tuple", "bytes", "row"})
    public String type;

    /** {@code mixed}: call sites polluted before measuring; {@code pure}: not. */
    @Param({"mixed", "pure"})
    public String profile;

    private Object[] values;
    private byte[][] frames;

    /** Draws the records and pollutes; called by JMH. */
    @Setup(Level.Trial)
    public final void setUp() throws IOException {
        // As Flink's own processes begin, so that a patch of Flink is in place.
        FileSystem.initialize(new Configuration(), null);
        Random random = new Random(SEED);
        values =
                Stream.generate(() -> RecordType.named(type).draw(size - TAG, random))
                        .limit(Math.min(MOST, MOST_BYTES / size))
                        .toArray();
        frames = new byte[values.length][];
        TypeSerializer<StreamElement> serializer = newSerializer();
        for (int i = 0; i < values.length; i++) {
            frames[i] = frame(serializer, values[i]);
        }
        if (profile.equals("mixed")) {
            new CallSitePolluter().run();
        } else if (!profile.equals("pure")) {
            throw new IllegalArgumentException(
                    "Unknown profile '" + profile + "'; choose mixed or pure");
        }
    }

    private byte[] frame(TypeSerializer<StreamElement> serializer, Object value)
            throws IOException {
        DataOutputSerializer record = new DataOutputSerializer(size);
        serializer.serialize(new StreamRecord<>(value), record);
        int length = TAG + RecordType.named(type).taken(size - TAG);
        if (record.length() != length) {
            throw new IllegalStateException(
                    "A record of " + length + " bytes takes " + record.length());
        }
        return ByteBuffer.allocate(Integer.BYTES + length)
                .putInt(length)
                .put(record.getCopyOfBuffer())
                .array();
    }

    /** What a task serializes such records with. */
    @SuppressWarnings({"unchecked", "rawtypes"})
    TypeSerializer<StreamElement> newSerializer() {
        return new StreamElementSerializer(RecordType.named(type).newSerializer());
    }

    Object[] values() {
        return values;
    }

    /** The records as they are on the network: a length of four bytes, then the record. */
    byte[][] frames() {
        return frames;
    }

    /**
     * Whether a value that was read is the one that was written.
     *
     * @throws IllegalStateException when it is another one
     */
    void requireValue(int index, Object read) {
        if (!Arrays.deepEquals(new Object[] {values[index]}, new Object[] {read})) {
            throw new IllegalStateException("Record " + index + " was not read as it was written");
        }
    }
}
