// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.kryo;

import com.esotericsoftware.kryo.KryoException;
import java.io.InputStream;
import java.util.Arrays;
import org.apache.flink.api.java.typeutils.runtime.DataInputViewStream;
import org.apache.flink.api.java.typeutils.runtime.NoFetchingInput;
import org.apache.flink.boost.codec.Words;
import org.apache.flink.boost.jdk.StringAccess;
import org.apache.flink.boost.jdk.WideArrays;
import org.apache.flink.boost.records.RecordAccess;
import org.apache.flink.boost.strings.FirstString;
import org.apache.flink.boost.strings.OwnViews;
import org.apache.flink.core.memory.DataInputView;

/**
 * What our inputs for Kryo 2 and Kryo 5 have in common: the view and the bytes copied from it, the
 * record that is read, and who makes them stock's.
 */
abstract class ViewInput extends NoFetchingInput {

    /** Bytes that stock's buffer holds. */
    static final int STOCKS_ROOM = 8;

    /** Bytes that are copied at once. */
    static final int ROOM = 256;

    /** Characters that a new input has room for. */
    private static final int STOCKS_CHARS = 32;

    static {
        // Not at the end of a stack that is nearly full of a deep record: they would stay broken.
        FirstString.prepare();
    }

    final ViewBytes view = new ViewBytes();

    /** Kryo keeps the array in its locals, so it never changes. */
    final byte[] room = new byte[ROOM];

    /** Whether bytes have been copied that stock would not have taken yet. */
    boolean isAhead;

    /** While ahead: the position in the view of the room's first byte. */
    int origin;

    /** Whether somebody has looked whom we do not know. */
    boolean isShown;

    private boolean isReading;

    /** Holds what this input reads against stock's; null unless that is asked for. */
    private RecordAccess check;

    /**
     * @param view one that {@linkplain OwnViews#showsMemory shows its memory}
     */
    ViewInput(DataInputView view) {
        super(new DataInputViewStream(view));
    }

    /** Becomes as new, on another view. */
    void bind(DataInputView source) {
        // First what may fail for want of memory.
        DataInputViewStream stream = new DataInputViewStream(source);
        forgetText();
        inputStream = stream;
        view.bind(source);
        isAhead = false;
        position = 0;
        limit = 0;
        total = 0;
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

    /** Takes stock's place at the same byte of the view; nothing where it is there already. */
    abstract void step();

    /**
     * Text in ASCII, of which Kryo marks the last byte by its highest bit; null where it is to be
     * read letter by letter: that byte is not before a limit, stock has to make its array of
     * characters larger, or there is no memory for the string, which stock finds out behind the
     * text.
     */
    String ascii(byte[] bytes, int from, int limit) {
        if (!StringAccess.OPENED) {
            return null;
        }
        int end = endOfAscii(bytes, from, from + Math.min(limit - from, chars.length));
        if (end == 0) {
            return null;
        }
        int n = end - from;
        String string;
        try {
            byte[] letters = Arrays.copyOfRange(bytes, from, end);
            letters[n - 1] &= Byte.MAX_VALUE;
            string = StringAccess.newString(letters, StringAccess.LATIN1);
        } catch (OutOfMemoryError e) {
            return null;
        }
        // A broken text that comes later shows what is left here.
        string.getChars(0, n, chars, 0);
        return string;
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

    // Somebody looks, or takes the stream, or sets what is read: from here on all is stock's.

    void show() {
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
