// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.kryo;

import com.esotericsoftware.kryo.KryoException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import org.apache.flink.api.java.typeutils.runtime.DataInputViewStream;
import org.apache.flink.api.java.typeutils.runtime.NoFetchingInput;
import org.apache.flink.boost.codec.Words;
import org.apache.flink.boost.jdk.StringAccess;
import org.apache.flink.boost.jdk.WideArrays;
import org.apache.flink.boost.records.RecordAccess;
import org.apache.flink.boost.strings.OwnViews;
import org.apache.flink.core.memory.DataInputView;

/**
 * Stock's input for Kryo, which copies bytes of the view ahead of Kryo's asking for them.
 *
 * <p>While it is ahead the view stays where it was. Stock takes just what is asked for, one to
 * eight bytes, and is in step with the view; {@link #step} makes this input what stock's would be
 * at the same byte: the view's position, the total, what is in the buffer. It does so at the end of
 * each record, whether that was read or failed, where stock would take more than it is asked for,
 * where bytes go past the buffer, where the view ends, and where anybody looks at the input.
 * Stock's own code goes on from there.
 */
public final class LookAheadInput extends NoFetchingInput {

    /** Bytes that stock's buffer holds. */
    private static final int STOCKS_ROOM = 8;

    /** Characters that a new input has room for. */
    private static final int STOCKS_CHARS = 32;

    /** Bytes that are copied at once. Kryo keeps the array in its locals, so it never changes. */
    private static final int ROOM = 256;

    private final ViewBytes view = new ViewBytes();
    private final byte[] room = new byte[ROOM];

    private boolean isReading;
    private boolean isAhead;
    private boolean isShown;

    /** While ahead: the position in the view of the buffer's first byte. */
    private int origin;

    /** Holds what this input reads against stock's; null unless that is asked for. */
    private RecordAccess check;

    // What was asked for last, and where in the buffer it is.
    private int asked;
    private int askedAt;

    /**
     * @param view one that {@linkplain OwnViews#showsMemory shows its memory}
     */
    LookAheadInput(DataInputView view) {
        super(new DataInputViewStream(view));
        bind(view);
    }

    /** Becomes as new, on another view. */
    void bind(DataInputView source) {
        // First what may fail for want of memory.
        inputStream = new DataInputViewStream(source);
        view.bind(source);
        isAhead = false;
        asked = 0;
        askedAt = 0;
        buffer = room;
        capacity = STOCKS_ROOM;
        position = 0;
        limit = 0;
        total = 0;
        varEncoding = true;
        forgetText();
    }

    /** Forgets its view; it is bound to another one before it is read from again. */
    void release() {
        view.release();
        inputStream = null;
        forgetText();
    }

    /** A broken text has characters of the last one in its gaps; a long one leaves much room. */
    private void forgetText() {
        if (chars.length == STOCKS_CHARS) {
            Arrays.fill(chars, '\0');
        } else {
            chars = new char[STOCKS_CHARS];
        }
    }

    /** Whether a record is being read by it. */
    boolean isReading() {
        return isReading;
    }

    /** Whether stock is to go on: within a record, and for good once somebody has looked. */
    boolean isStocks() {
        return isReading || isShown;
    }

    /** Between records: whether it has bytes that stock's would have taken, too. */
    boolean hasMore() {
        return position < limit;
    }

    RecordAccess check(KryoInsides serializer) {
        if (check == null) {
            check = KryoCheck.of(serializer);
        }
        return check;
    }

    void startRecord() {
        isReading = true;
    }

    /** The end of a record, or of the attempt. */
    void endRecord() {
        isReading = false;
        step();
    }

    // What Kryo reads by.

    @Override
    protected int require(int required) throws KryoException {
        int remaining = limit - position;
        if (remaining < required) {
            remaining = refill(required);
        }
        // Within what was asked for before, stock takes nothing.
        if (askedAt + asked - position < required) {
            asked = required;
            askedAt = position;
        }
        return remaining;
    }

    private int refill(int required) {
        // Behind its record, for somebody who has kept it, it is stock's.
        boolean isEmpty = isReading && (isAhead || position == limit && !isShown);
        if (isEmpty && required <= STOCKS_ROOM) {
            int from = isAhead ? origin + position : view.position();
            int left = view.end() - from;
            if (from >= 0 && left >= required) {
                int count = Math.min(left, ROOM);
                view.copy(from, room, count);
                total += position;
                origin = from;
                position = 0;
                limit = count;
                asked = 0;
                askedAt = 0;
                isAhead = true;
                return count;
            }
        }
        step();
        return super.require(required);
    }

    /** Kryo asks for a whole array of numbers; stock takes eight bytes for shorter ones, too. */
    @Override
    protected int optional(int wanted) throws KryoException {
        if (wanted == 0) {
            return 0;
        }
        if (isAhead && wanted >= STOCKS_ROOM && view.end() - origin - position >= wanted) {
            if (wanted == STOCKS_ROOM) {
                require(STOCKS_ROOM);
            }
            // Stock has no room for a longer one: Kryo reads it number by number.
            return STOCKS_ROOM;
        }
        if (wanted < 0) {
            show();
        }
        step();
        return super.optional(wanted);
    }

    /** Takes the byte that it looks at. */
    @Override
    public boolean readVarIntFlag() {
        require(1);
        return buffer[position] < 0;
    }

    /**
     * Text in ASCII, whose last byte is negative; by whole words where the buffer has all of it.
     */
    @Override
    public String readString() {
        boolean isOther = readVarIntFlag();
        if (isOther || !isAhead) {
            return super.readString();
        }
        int from = position;
        int end = endOfAscii(buffer, from, from + Math.min(limit - from, chars.length));
        if (end == 0) {
            return super.readString();
        }
        int n = end - from;
        byte[] bytes = Arrays.copyOfRange(buffer, from, end);
        bytes[n - 1] &= Byte.MAX_VALUE;
        String string = ofLatin1(bytes);
        // A broken text that comes later shows what is left here.
        string.getChars(0, n, chars, 0);
        position = end;
        return string;
    }

    /** With a high byte of 0 this constructor copies, and decodes nothing. */
    @SuppressWarnings("deprecation")
    private static String ofLatin1(byte[] bytes) {
        return StringAccess.OPENED
                ? StringAccess.newString(bytes, StringAccess.LATIN1)
                : new String(bytes, 0);
    }

    /** Behind the first negative byte; 0 where there is none before the limit. */
    private static int endOfAscii(byte[] bytes, int from, int limit) {
        int i = from;
        for (; i <= limit - Long.BYTES; i += Long.BYTES) {
            long negative = WideArrays.getLong(bytes, i) & WideArrays.TOP_BITS;
            if (negative != 0) {
                return i + Words.firstByte(negative) + 1;
            }
        }
        for (; i < limit; i++) {
            if (bytes[i] < 0) {
                return i + 1;
            }
        }
        return 0;
    }

    // Past the buffer.

    @Override
    public int read(byte[] bytes, int offset, int count) throws KryoException {
        step();
        return super.read(bytes, offset, count);
    }

    @Override
    public void skip(int count) throws KryoException {
        step();
        super.skip(count);
    }

    @Override
    public void readBytes(byte[] bytes, int offset, int count) throws KryoException {
        step();
        super.readBytes(bytes, offset, count);
    }

    /** Takes stock's place at the same byte of the view; nothing where it is there already. */
    private void step() {
        if (!isAhead) {
            return;
        }
        if (position > askedAt + asked) {
            // Kryo found single bytes in the buffer and asked for none.
            asked = 1;
            askedAt = position - 1;
        }
        view.setPosition(origin + askedAt + asked);
        total += askedAt;
        System.arraycopy(buffer, askedAt, buffer, 0, asked);
        position -= askedAt;
        limit = asked;
        isAhead = false;
    }

    // Somebody looks, whom we do not know: from here on all is stock's.

    private void show() {
        step();
        if (!isShown) {
            isShown = true;
            buffer = Arrays.copyOf(buffer, STOCKS_ROOM);
        }
    }

    @Override
    public byte[] getBuffer() {
        show();
        return super.getBuffer();
    }

    @Override
    public void setBuffer(byte[] bytes, int offset, int count) {
        show();
        super.setBuffer(bytes, offset, count);
    }

    @Override
    public InputStream getInputStream() {
        show();
        return super.getInputStream();
    }

    @Override
    public void setInputStream(InputStream stream) {
        show();
        super.setInputStream(stream);
    }

    @Override
    public long total() {
        show();
        return super.total();
    }

    @Override
    public void setTotal(long bytes) {
        show();
        super.setTotal(bytes);
    }

    @Override
    public int position() {
        show();
        return super.position();
    }

    @Override
    public void setPosition(int index) {
        show();
        super.setPosition(index);
    }

    @Override
    public int limit() {
        show();
        return super.limit();
    }

    @Override
    public void setLimit(int index) {
        show();
        super.setLimit(index);
    }

    @Override
    @SuppressWarnings("sync-override")
    public void reset() {
        show();
        super.reset();
    }

    @Override
    public int available() throws IOException {
        show();
        return super.available();
    }

    @Override
    public boolean canReadVarInt() throws KryoException {
        show();
        return super.canReadVarInt();
    }

    @Override
    public boolean canReadVarLong() throws KryoException {
        show();
        return super.canReadVarLong();
    }
}
