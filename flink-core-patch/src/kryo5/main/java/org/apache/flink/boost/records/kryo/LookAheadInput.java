// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.kryo;

import com.esotericsoftware.kryo.KryoException;
import java.io.IOException;
import java.util.Arrays;
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
public final class LookAheadInput extends ViewInput {

    // What was asked for last, and where in the buffer it is.
    private int asked;
    private int askedAt;

    /**
     * @param view one that {@linkplain OwnViews#showsMemory shows its memory}
     */
    LookAheadInput(DataInputView view) {
        super(view);
        bind(view);
    }

    @Override
    void bind(DataInputView source) {
        super.bind(source);
        asked = 0;
        askedAt = 0;
        buffer = room;
        capacity = STOCKS_ROOM;
        varEncoding = true;
    }

    // What Kryo reads by.

    @Override
    protected int require(int required) throws KryoException {
        int remaining = limit - position;
        if (remaining < required) {
            remaining = refill(required);
        }
        // Within what was asked for before, stock takes nothing, nor where nothing is asked for.
        if (required > 0 && askedAt + asked - position < required) {
            asked = required;
            askedAt = position;
        }
        return remaining;
    }

    private int refill(int required) {
        // Behind its record, for somebody who has kept it, it is stock's.
        boolean isEmpty = isReading() && (isAhead || position == limit && !isShown);
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
        if (isAhead || position == limit) {
            require(1);
        }
        return buffer[position] < 0;
    }

    /** Text in ASCII by whole words, where the buffer has all of it. */
    @Override
    public String readString() {
        boolean isOther = readVarIntFlag();
        String ascii = isOther || !isAhead ? null : ascii(buffer, position, limit);
        if (ascii == null) {
            return super.readString();
        }
        position += ascii.length();
        return ascii;
    }

    @Override
    void step() {
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

    // Somebody looks.

    @Override
    void show() {
        boolean isFirst = !isShown;
        super.show();
        if (isFirst) {
            buffer = Arrays.copyOf(buffer, STOCKS_ROOM);
        }
    }

    @Override
    public byte[] getBuffer() {
        show();
        return super.getBuffer();
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
