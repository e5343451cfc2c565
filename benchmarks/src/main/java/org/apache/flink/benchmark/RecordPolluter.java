// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;

/**
 * Drives records of all forms through the views of the network and of checkpoints before anything
 * is measured: a fork that knows one class and one view only would inline what no TaskManager does.
 */
final class RecordPolluter {

    private static final long MIN_MILLIS = 600;
    // Of each form, and enough for C2 (threshold 5,000 calls) where the time is over before.
    private static final int MIN_RECORDS = 2_000;

    private RecordPolluter() {}

    /**
     * Pollutes the call sites of this JVM, once.
     *
     * @throws IllegalStateException when a serializer gives back another record than it was given
     */
    static void run() {
        Once.PER_JVM.run();
    }

    private static final class Once {
        private static final Runnable PER_JVM = () -> {};

        static {
            try {
                pollute();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private static void pollute() throws IOException {
        List<Way> ways = new ArrayList<>();
        for (RecordForm form : RecordForm.values()) {
            if (form.isSupported()) {
                ways.add(new Way(form));
            }
        }
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(MIN_MILLIS);
        for (int i = 0; i < MIN_RECORDS || System.nanoTime() < end; i++) {
            for (Way way : ways) {
                way.go(i);
            }
        }
    }

    /** A form's records through all views. */
    private static final class Way {

        private final TypeSerializer<Object> serializer;
        private final Object[] records;
        private final byte[][] encodings;
        private final List<WriteTarget> targets =
                List.of(WriteTarget.serializer(1), WriteTarget.stream(1));
        private final List<ReadSource> sources;

        Way(RecordForm form) throws IOException {
            serializer = form.newSerializer();
            records = form.records();
            encodings = form.encodings();
            List<byte[]> buffers = Arrays.asList(encodings);
            sources =
                    List.of(
                            ReadSource.offHeapNetwork(buffers),
                            ReadSource.deserializer(buffers),
                            ReadSource.stream(buffers));
        }

        void go(int turn) throws IOException {
            int record = turn % records.length;
            Object copy = serializer.copy(records[record]);
            for (WriteTarget target : targets) {
                target.clear();
                serializer.serialize(copy, (DataOutputView) target.output());
            }
            for (ReadSource source : sources) {
                source.select(record);
                Object read = serializer.deserialize((DataInputView) source.input());
                // Now and then: comparing takes as long as the rest.
                if (turn % 64 == 0
                        && !Arrays.equals(
                                encodings[record], RecordForm.encoding(serializer, read))) {
                    throw new IllegalStateException("Wrong record read by " + serializer);
                }
            }
        }
    }
}
