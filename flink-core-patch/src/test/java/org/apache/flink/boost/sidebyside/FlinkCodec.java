// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.core.memory.DataOutputViewStreamWrapper;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.types.StringValue;

/** The Flink classes of the loader that loaded this class. */
public final class FlinkCodec implements Codec {

    private static final int FEW_BYTES = 5;

    private final Map<Output, DataOutputView> outputs = new EnumMap<>(Output.class);
    private final ByteSource source = new ByteSource(Integer.MAX_VALUE);
    private final ByteSource slowSource = new ByteSource(FEW_BYTES);
    private final ByteSource foreignSource = new ByteSource(Integer.MAX_VALUE);
    private final DataInputView stream = new DataInputViewStreamWrapper(source);
    private final DataInputView slowStream = new DataInputViewStreamWrapper(slowSource);
    private final DataInputView foreign = new ForeignInput(foreignSource);
    private final DataInputDeserializer deserializer = new DataInputDeserializer();
    private final DataInputDeserializer derived = new Derived();
    private final DataInputView wrapper = RuntimeViews.newWrapper();
    private final ByteSink sink = new ByteSink();

    private ByteBuffer offHeap = ByteBuffer.allocateDirect(1 << 10);
    private List<MemorySegment> segments = List.of();
    private DataOutputSerializer serializer = new DataOutputSerializer(256);
    private Input inputKind;
    private DataInputView in;
    private DataOutputView out;

    public FlinkCodec() {
        outputs.put(Output.STREAM, new DataOutputViewStreamWrapper(sink));
        outputs.put(Output.FOREIGN, new ForeignOutput(sink));
        open(Output.SERIALIZER, 256);
    }

    @Override
    public void open(Input view, byte[] bytes, int start, int end) {
        inputKind = view;
        switch (view) {
            case DESERIALIZER:
                deserializer.setBuffer(bytes, start, end - start);
                in = deserializer;
                break;
            case DERIVED:
                derived.setBuffer(bytes, start, end - start);
                in = derived;
                break;
            case STREAM:
                source.open(bytes, start, end);
                in = stream;
                break;
            case SLOW_STREAM:
                slowSource.open(bytes, start, end);
                in = slowStream;
                break;
            case FOREIGN:
                foreignSource.open(bytes, start, end);
                in = foreign;
                break;
            case HEAP_SEGMENT:
                // A segment has at least one byte.
                in =
                        wrapper(
                                MemorySegmentFactory.wrap(bytes.length == 0 ? new byte[1] : bytes),
                                start,
                                end);
                break;
            case OFF_HEAP_SEGMENT:
                in = wrapper(MemorySegmentFactory.wrapOffHeapMemory(offHeap(bytes)), start, end);
                break;
            case SLICED_SEGMENT:
                in = wrapper(RuntimeViews.slice(bytes), start, end);
                break;
            default:
                ArrayList<MemorySegment> pages = pages(bytes, end);
                segments = pages;
                in = RuntimeViews.newPages(pages, start, end);
        }
    }

    /** The open input, for what this interface does not have. */
    public DataInputView input() {
        return in;
    }

    /** The open output. */
    public DataOutputView output() {
        return out;
    }

    @Override
    public int position() {
        switch (inputKind) {
            case DESERIALIZER:
            case DERIVED:
                return RuntimeViews.positionOf((DataInputDeserializer) in);
            case STREAM:
                return source.position();
            case SLOW_STREAM:
                return slowSource.position();
            case FOREIGN:
                return foreignSource.position();
            case PAGES:
                return RuntimeViews.positionOfPages(in);
            default:
                return RuntimeViews.positionOfWrapper(wrapper);
        }
    }

    @Override
    public void moveTo(int position) {
        switch (inputKind) {
            case DESERIALIZER:
            case DERIVED:
                RuntimeViews.move((DataInputDeserializer) in, position);
                break;
            case HEAP_SEGMENT:
            case OFF_HEAP_SEGMENT:
            case SLICED_SEGMENT:
                RuntimeViews.moveWrapper(wrapper, position);
                break;
            default:
                throw new UnsupportedOperationException(inputKind.name());
        }
    }

    @Override
    public void release() throws IOException {
        switch (inputKind) {
            case DESERIALIZER:
            case DERIVED:
                ((DataInputDeserializer) in).releaseArrays();
                break;
            case STREAM:
            case SLOW_STREAM:
            case FOREIGN:
                ((InputStream) in).close();
                break;
            default:
                RuntimeViews.clear(wrapper);
        }
    }

    @Override
    public void free() {
        segments.forEach(MemorySegment::free);
    }

    @Override
    public void open(Output view, int capacity) {
        sink.clear();
        if (view == Output.SERIALIZER) {
            serializer = new DataOutputSerializer(capacity);
            out = serializer;
        } else {
            out = outputs.get(view);
        }
    }

    @Override
    public void clear() {
        sink.clear();
        serializer.clear();
    }

    @Override
    public boolean isSerializer() {
        return out == serializer;
    }

    @Override
    public byte[] written() {
        return isSerializer() ? serializer.getSharedBuffer() : sink.bytes();
    }

    @Override
    public int writtenLength() {
        return isSerializer() ? serializer.length() : sink.size();
    }

    @Override
    public void writeString(CharSequence text) throws IOException {
        StringValue.writeString(text, out);
    }

    @Override
    public String readString() throws IOException {
        return StringValue.readString(in);
    }

    @Override
    public void copyString() throws IOException {
        StringValue.copyString(in, out);
    }

    @Override
    public void copyBySerializer() throws IOException {
        StringSerializer.INSTANCE.copy(in, out);
    }

    @Override
    public CharSequence stringValue(CharSequence text) {
        return new StringValue(text);
    }

    @Override
    public String readFromNull() throws IOException {
        return StringValue.readString((DataInput) null);
    }

    @Override
    public void writeToNull(CharSequence text) throws IOException {
        StringValue.writeString(text, (DataOutput) null);
    }

    @Override
    public void copyWithNull(boolean nullInput) throws IOException {
        StringValue.copyString(nullInput ? null : in, nullInput ? out : null);
    }

    private DataInputView wrapper(MemorySegment segment, int start, int end) {
        segments = List.of(segment);
        RuntimeViews.initialize(wrapper, segment, start, end);
        return wrapper;
    }

    private ByteBuffer offHeap(byte[] bytes) {
        if (offHeap.capacity() < bytes.length) {
            offHeap = ByteBuffer.allocateDirect(2 * bytes.length);
        }
        offHeap.clear();
        offHeap.put(bytes);
        offHeap.flip();
        if (bytes.length == 0) {
            offHeap.limit(1);
        }
        return offHeap.slice();
    }

    private static ArrayList<MemorySegment> pages(byte[] bytes, int end) {
        ArrayList<MemorySegment> pages = new ArrayList<>();
        for (int from = 0; from == 0 || from < end; from += PAGE) {
            byte[] page = new byte[PAGE];
            System.arraycopy(bytes, from, page, 0, Math.min(PAGE, end - from));
            pages.add(MemorySegmentFactory.wrap(page));
        }
        return pages;
    }

    /** As users may extend Flink's class. */
    private static final class Derived extends DataInputDeserializer {

        private static final long serialVersionUID = 1L;
    }
}
