// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.kryo;

import com.esotericsoftware.kryo.KryoException;
import java.io.InputStream;
import java.util.Arrays;
import org.apache.flink.api.java.typeutils.runtime.DataInputViewStream;
import org.apache.flink.api.java.typeutils.runtime.NoFetchingInput;
import org.apache.flink.boost.records.RecordAccess;
import org.apache.flink.boost.strings.OwnViews;
import org.apache.flink.core.memory.DataInputView;

/**
 * Stock's input for Kryo 2, which copies bytes of the view ahead of Kryo's asking for them.
 *
 * <p>They wait in an array of their own. Stock's buffer gets just the bytes that are asked for, at
 * its begin, as by stock: nobody can be told who asks for {@link #position} and {@link #limit},
 * because both methods are final. While this input is ahead only the view is not where stock's
 * would be; {@link #step} moves it there. It does so at the end of each record, whether that was
 * read or failed, and where stock reads from the stream itself.
 */
public final class LookAheadInput extends NoFetchingInput {

    /** Bytes that stock's buffer holds. */
    private static final int STOCKS_ROOM = 8;

    /** Characters that a new input has room for. */
    private static final int STOCKS_CHARS = 32;

    /** Bytes that are copied at once. */
    private static final int ROOM = 256;

    private final ViewBytes view = new ViewBytes();
    private final byte[] room = new byte[ROOM];

    private boolean isReading;
    private boolean isAhead;
    private boolean isShown;

    /** While ahead: the position in the view of the room's first byte. */
    private int origin;

    /** Holds what this input reads against stock's; null unless that is asked for. */
    private RecordAccess check;

    // The next byte in the room, and the end of them.
    private int next;
    private int end;

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
        next = 0;
        end = 0;
        position = 0;
        limit = 0;
        total = 0;
        Arrays.fill(buffer, (byte) 0);
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

    /** Between records: whether bytes were asked for and not taken. */
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

    /** As stock, which lets bytes go that were asked for before and not taken. */
    @Override
    protected int require(int required) throws KryoException {
        if (required == 1 && next < end) {
            buffer[0] = room[next++];
        } else if (required > 0 && required <= STOCKS_ROOM && fetch(required)) {
            System.arraycopy(room, next, buffer, 0, required);
            next += required;
        } else {
            step();
            return super.require(required);
        }
        position = 0;
        limit = required;
        return required;
    }

    /** Whether so many bytes are in the room, perhaps since now. */
    private boolean fetch(int required) {
        if (end - next >= required) {
            return true;
        }
        if (!isReading || isShown) {
            return false;
        }
        int from = isAhead ? origin + next : view.position();
        int count = Math.min(view.end() - from, ROOM);
        if (from < 0 || count < required) {
            return false;
        }
        view.copy(from, room, count);
        origin = from;
        next = 0;
        end = count;
        isAhead = true;
        return true;
    }

    /** Stock asks for each letter of ASCII, too, and keeps them for broken texts to come. */
    @Override
    public String readString() {
        return fetch(1) && room[next] >= 0 ? readAscii() : super.readString();
    }

    @Override
    public StringBuilder readStringBuilder() {
        return fetch(1) && room[next] >= 0
                ? new StringBuilder(readAscii())
                : super.readStringBuilder();
    }

    /** Reads letters up to one with the highest bit. */
    private String readAscii() {
        int count = 0;
        byte letter;
        do {
            require(1);
            letter = buffer[position++];
            if (count == chars.length) {
                chars = Arrays.copyOf(chars, count * 2);
            }
            chars[count++] = (char) (letter & 0x7f);
        } while (letter >= 0);
        return new String(chars, 0, count);
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

    /** Moves the view to where stock's is; nothing where it is there already. */
    private void step() {
        if (isAhead) {
            view.setPosition(origin + next);
            isAhead = false;
            next = 0;
            end = 0;
        }
    }

    // Somebody takes the stream, or sets what is read: from here on all is stock's.

    private void show() {
        step();
        isShown = true;
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
    public void setBuffer(byte[] bytes, int offset, int count) {
        show();
        super.setBuffer(bytes, offset, count);
    }
}
