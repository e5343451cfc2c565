// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.ArrayList;
import org.apache.flink.api.common.typeutils.base.StringSerializer;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.core.memory.DataOutputViewStreamWrapper;
import org.apache.flink.runtime.io.disk.SimpleCollectingOutputView;
import org.apache.flink.types.StringValue;

/** The Flink classes of the loader that loaded this class. */
public final class FlinkCodec implements Codec {

    private final FlinkInput input = new FlinkInput();
    private final ByteSink sink = new ByteSink();
    private final DataOutputView stream = new DataOutputViewStreamWrapper(sink);
    private final DataOutputView foreign = new ForeignOutput(sink);

    private Pages pages;
    private DataOutput out;

    public FlinkCodec() {
        open(Output.SERIALIZER, 256);
    }

    @Override
    public void open(Input view, byte[] bytes, int start, int end) {
        input.open(view, bytes, start, end);
    }

    @Override
    public void open(UserInput view, byte[] bytes, int start, int end) {
        input.open(view, bytes, start, end);
    }

    @Override
    public void openStream(InputStream own) {
        input.openStream(own);
    }

    @Override
    public void openPlain(DataInput plain) {
        input.openPlain(plain);
    }

    @Override
    public DataInput input() {
        return input.view();
    }

    @Override
    public int position() {
        return input.position();
    }

    @Override
    public void moveTo(int position) {
        input.moveTo(position);
    }

    @Override
    public void release() throws IOException {
        input.release();
    }

    @Override
    public void free() {
        input.free();
    }

    @Override
    public void open(Output view, int capacity) {
        sink.clear();
        switch (view) {
            case SERIALIZER:
                out = new DataOutputSerializer(capacity);
                break;
            case DERIVED:
                out = new UserViews.DerivedOutput(capacity);
                break;
            case STREAM:
                out = stream;
                break;
            case FOREIGN:
                out = foreign;
                break;
            default:
                openPages(Integer.MAX_VALUE);
        }
    }

    @Override
    public void open(UserOutput view, int capacity) {
        switch (view) {
            case CIPHERING:
                out = new UserViews.CipheringOutput(capacity);
                break;
            case COUNTING_WRITE:
                out = new UserViews.WriteOutput(capacity);
                break;
            case COUNTING_BYTES:
                out = new UserViews.BytesOutput(capacity);
                break;
            case COUNTING_ARRAYS:
                out = new UserViews.ArraysOutput(capacity);
                break;
            case COUNTING_ALL:
                out = new UserViews.AllOutput(capacity);
                break;
            default:
                openPages(capacity / PAGE);
        }
    }

    private void openPages(int most) {
        pages = new Pages(PAGE, most);
        out = new SimpleCollectingOutputView(new ArrayList<>(), pages, PAGE);
    }

    @Override
    public void openStream(OutputStream own) {
        out = new DataOutputViewStreamWrapper(own);
    }

    @Override
    public void openPlain(DataOutput plain) {
        out = plain;
    }

    @Override
    public DataOutput output() {
        return out;
    }

    @Override
    public void moveOutputTo(int position) {
        RuntimeViews.move((DataOutputSerializer) out, position);
    }

    @Override
    public void clear() {
        sink.clear();
        if (isSerializer()) {
            ((DataOutputSerializer) out).clear();
        } else if (isPaged()) {
            openPages(pages.most());
        }
    }

    @Override
    public boolean isSerializer() {
        return out instanceof DataOutputSerializer;
    }

    private boolean isPaged() {
        return out instanceof SimpleCollectingOutputView;
    }

    @Override
    public byte[] written() {
        if (isSerializer()) {
            return ((DataOutputSerializer) out).getSharedBuffer();
        }
        return isPaged() ? pages.bytes(writtenLength()) : sink.bytes();
    }

    @Override
    public int writtenLength() {
        if (isSerializer()) {
            return ((DataOutputSerializer) out).length();
        }
        return isPaged()
                ? (int) ((SimpleCollectingOutputView) out).getCurrentOffset()
                : sink.size();
    }

    @Override
    public void writeString(CharSequence text) throws IOException {
        StringValue.writeString(text, out);
    }

    @Override
    public String readString() throws IOException {
        return StringValue.readString(input.view());
    }

    @Override
    public void copyString() throws IOException {
        StringValue.copyString(input.view(), out);
    }

    @Override
    public void copyBySerializer() throws IOException {
        StringSerializer.INSTANCE.copy((DataInputView) input.view(), (DataOutputView) out);
    }

    @Override
    public void writeSegment(int offset, int length) throws IOException {
        ((DataOutputSerializer) out).write(input.segment(), offset, length);
    }

    @Override
    public String inputCalls() {
        return ((UserViews.Counting) input.view()).calls();
    }

    @Override
    public String outputCalls() {
        return ((UserViews.Counting) out).calls();
    }

    @Override
    public CharSequence stringValue(CharSequence text) {
        return new StringValue(text);
    }

    @Override
    public void readInto(CharSequence stringValue) throws IOException {
        ((StringValue) stringValue).read((DataInputView) input.view());
    }

    @Override
    public byte[] serializedByKryo(Object object) throws IOException {
        return Serialized.byKryo(object);
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
        StringValue.copyString(nullInput ? null : input.view(), nullInput ? out : null);
    }
}
