// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.boost.strings.FlinkClasses;
import org.apache.flink.boost.strings.TransferViews.Input;
import org.apache.flink.boost.strings.TransferViews.Output;
import org.apache.flink.boost.strings.TransferViews.Source;
import org.apache.flink.boost.strings.TransferViews.Target;

/** The views of flink-runtime, opened on either side. */
final class NetworkViews {

    private static final String NETWORK = "org.apache.flink.runtime.io.network.api.serialization.";
    private static final String DISK = "org.apache.flink.runtime.io.disk.";
    private static final String FACTORY = "org.apache.flink.core.memory.MemorySegmentFactory";
    private static final String PAGES = "org.apache.flink.boost.strings.Pages";
    private static final int PAGE_SIZE = 64;

    /** Stands for a method of the factory that makes a part of an array a segment. */
    private static final String SLICE = "slice";

    private static final String SLICES = "org.apache.flink.boost.sidebyside.RuntimeViews";

    /** The view of a record in one network buffer; its name differs by line. */
    private static final String NON_SPANNING = nonSpanning();

    /** Memory in pages. */
    static final Source PAGED_INPUT = NetworkViews::pagedInput;

    /** Memory in as many pages as are wanted. */
    static final Target PAGED_OUTPUT = (flink, capacity) -> pagedOutput(flink, Integer.MAX_VALUE);

    private NetworkViews() {}

    /** A segment with these bytes, made by a method of {@code MemorySegmentFactory}. */
    private static Object segment(FlinkClasses flink, String factory, byte[] bytes)
            throws IOException {
        if (factory.equals(SLICE)) {
            return flink.invokeStatic(SLICES, SLICE, (Object) bytes);
        }
        // A segment has at least one byte. Without an owner, as in Flink's pool of network buffers.
        Object segment = flink.invokeStatic(FACTORY, factory, Math.max(bytes.length, 1), null);
        flink.invoke(segment, "put", 0, bytes, 0, bytes.length);
        return segment;
    }

    /** Records in one network buffer: off-heap, on-heap, and in a part of an array. */
    static List<Source> segments() {
        List<Source> sources = new ArrayList<>();
        for (String factory :
                List.of("allocateUnpooledOffHeapMemory", "allocateUnpooledSegment", SLICE)) {
            sources.add((flink, bytes, start, end) -> segment(flink, factory, bytes, start, end));
        }
        return sources;
    }

    /** These, and memory in pages. */
    static List<Source> sources() {
        List<Source> sources = segments();
        sources.add(PAGED_INPUT);
        return sources;
    }

    /** Targets that are not flink-core's. */
    static List<Target> targets() {
        return List.of(PAGED_OUTPUT);
    }

    private static Input segment(
            FlinkClasses flink, String factory, byte[] bytes, int start, int end)
            throws IOException {
        Object segment = segment(flink, factory, bytes);
        DataInput view = (DataInput) flink.create(NON_SPANNING);
        flink.invoke(view, "initializeFromMemorySegment", segment, start, end);
        return new Input(view, () -> (int) FlinkClasses.field(view, "position"));
    }

    private static Input pagedInput(FlinkClasses flink, byte[] bytes, int start, int end)
            throws IOException {
        Object pages = flink.create(PAGES, PAGE_SIZE, Integer.MAX_VALUE);
        ArrayList<?> filled = (ArrayList<?>) flink.invoke(pages, "filled", bytes, start, end);
        int inLast = end - start - (filled.size() - 1) * PAGE_SIZE;
        DataInput view =
                (DataInput) flink.create(DISK + "RandomAccessInputView", filled, PAGE_SIZE, inLast);
        return new Input(
                view, () -> start + ((Long) call(flink, view, "getReadPosition")).intValue());
    }

    /** Memory in so many pages of 64 bytes. */
    static Output pagedOutput(FlinkClasses flink, int most) {
        Object pages = flink.create(PAGES, PAGE_SIZE, most);
        DataOutput view =
                (DataOutput)
                        flink.create(
                                DISK + "SimpleCollectingOutputView",
                                new ArrayList<>(),
                                pages,
                                PAGE_SIZE);
        return new Output(
                view,
                () -> {
                    int size = ((Long) call(flink, view, "getCurrentOffset")).intValue();
                    return (byte[]) call(flink, pages, "bytes", size);
                },
                () -> 0);
    }

    private static String nonSpanning() {
        String nested = NETWORK + "SpillingAdaptiveSpanningRecordDeserializer$NonSpanningWrapper";
        return FlinkClasses.STOCK.has(nested) ? nested : NETWORK + "NonSpanningWrapper";
    }

    private static Object call(
            FlinkClasses flink, Object receiver, String method, Object... arguments) {
        try {
            return flink.invoke(receiver, method, arguments);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
