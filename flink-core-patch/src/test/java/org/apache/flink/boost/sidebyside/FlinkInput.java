// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.Closeable;
import java.io.DataInput;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.boost.sidebyside.Codec.Input;
import org.apache.flink.boost.sidebyside.Codec.UserInput;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataInputViewStreamWrapper;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;

/** The input of a {@link FlinkCodec}. */
final class FlinkInput {

    private static final int FEW_BYTES = 5;

    private final ByteSource wholeSource = new ByteSource(Integer.MAX_VALUE);
    private final ByteSource slowSource = new ByteSource(FEW_BYTES);
    private final DataInputView stream = new DataInputViewStreamWrapper(wholeSource);
    private final DataInputView slowStream = new DataInputViewStreamWrapper(slowSource);
    private final DataInputView foreign = new ForeignInput(wholeSource);
    private final DataInputView slowForeign = new ForeignInput(slowSource);
    private final DataInputDeserializer deserializer = new DataInputDeserializer();
    private final DataInputDeserializer derived = new UserViews.DerivedInput();
    private final DataInputView wrapper = RuntimeViews.newWrapper();

    private ByteBuffer offHeap = ByteBuffer.allocateDirect(1 << 10);
    private List<MemorySegment> segments = List.of();
    private ByteSource source;
    private DataInput in;

    void open(Input view, byte[] bytes, int start, int end) {
        switch (view) {
            case DESERIALIZER:
                open(deserializer, bytes, start, end);
                break;
            case DERIVED:
                open(derived, bytes, start, end);
                break;
            case STREAM:
                open(stream, wholeSource, bytes, start, end);
                break;
            case SLOW_STREAM:
                open(slowStream, slowSource, bytes, start, end);
                break;
            case FOREIGN:
                open(foreign, wholeSource, bytes, start, end);
                break;
            case HEAP_SEGMENT:
                // A segment has at least one byte.
                byte[] some = bytes.length == 0 ? new byte[1] : bytes;
                openWrapper(MemorySegmentFactory.wrap(some), start, end);
                break;
            case OFF_HEAP_SEGMENT:
                openWrapper(MemorySegmentFactory.wrapOffHeapMemory(offHeap(bytes)), start, end);
                break;
            case SLICED_SEGMENT:
                openWrapper(RuntimeViews.slice(bytes), start, end);
                break;
            default:
                ArrayList<MemorySegment> pages = pages(bytes, end);
                openPlain(RuntimeViews.newPages(pages, start, end));
                segments = pages;
        }
    }

    void open(UserInput view, byte[] bytes, int start, int end) {
        switch (view) {
            case SLOW_FOREIGN:
                open(slowForeign, slowSource, bytes, start, end);
                break;
            case DECIPHERING:
                open(new UserViews.DecipheringInput(), bytes, start, end);
                break;
            case COUNTING_BYTES:
                open(new UserViews.BytesInput(), bytes, start, end);
                break;
            default:
                open(new UserViews.ArraysInput(), bytes, start, end);
        }
    }

    void openStream(InputStream own) {
        openPlain(new DataInputViewStreamWrapper(own));
    }

    void openPlain(DataInput plain) {
        in = plain;
        source = null;
        segments = List.of();
    }

    /** The view as this side's Flink or the JDK has it. */
    DataInput view() {
        return in;
    }

    int position() {
        if (source != null) {
            return source.position();
        }
        if (in instanceof DataInputDeserializer) {
            return RuntimeViews.positionOf((DataInputDeserializer) in);
        }
        return in == wrapper
                ? RuntimeViews.positionOfWrapper(wrapper)
                : RuntimeViews.positionOfPages((DataInputView) in);
    }

    void moveTo(int position) {
        if (in instanceof DataInputDeserializer) {
            RuntimeViews.move((DataInputDeserializer) in, position);
        } else if (in == wrapper) {
            RuntimeViews.moveWrapper(wrapper, position);
        } else {
            throw new UnsupportedOperationException(in.getClass().getName());
        }
    }

    void release() throws IOException {
        if (in instanceof DataInputDeserializer) {
            ((DataInputDeserializer) in).releaseArrays();
        } else if (in == wrapper) {
            RuntimeViews.clear(wrapper);
        } else {
            ((Closeable) in).close();
        }
    }

    void free() {
        segments.forEach(MemorySegment::free);
    }

    /** The first segment, or null. */
    MemorySegment segment() {
        return segments.isEmpty() ? null : segments.get(0);
    }

    private void open(DataInputDeserializer view, byte[] bytes, int start, int end) {
        view.setBuffer(bytes, start, end - start);
        openPlain(view);
    }

    private void open(DataInputView view, ByteSource under, byte[] bytes, int start, int end) {
        under.open(bytes, start, end);
        openPlain(view);
        source = under;
    }

    private void openWrapper(MemorySegment segment, int start, int end) {
        openPlain(wrapper);
        segments = List.of(segment);
        RuntimeViews.initialize(wrapper, segment, start, end);
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
        for (int from = 0; from == 0 || from < end; from += Codec.PAGE) {
            byte[] page = new byte[Codec.PAGE];
            System.arraycopy(bytes, from, page, 0, Math.min(Codec.PAGE, end - from));
            pages.add(MemorySegmentFactory.wrap(page));
        }
        return pages;
    }
}
