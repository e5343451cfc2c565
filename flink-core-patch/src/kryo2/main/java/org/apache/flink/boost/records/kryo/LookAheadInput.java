// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.kryo;

import com.esotericsoftware.kryo.KryoException;
import java.util.Arrays;
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
public final class LookAheadInput extends ViewInput {

    // The next byte in the room, and the end of them.
    private int next;
    private int end;

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
        next = 0;
        end = 0;
        Arrays.fill(buffer, (byte) 0);
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
        if (!isReading() || isShown) {
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

    /** Reads letters up to one with the highest bit; by whole words where the room has them all. */
    private String readAscii() {
        String ascii = ascii(room, next, end);
        if (ascii != null) {
            next += ascii.length();
            // As after the last letter, which stock asks for by itself.
            buffer[0] = room[next - 1];
            position = 1;
            limit = 1;
            return ascii;
        }
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

    @Override
    void step() {
        if (isAhead) {
            view.setPosition(origin + next);
            isAhead = false;
            next = 0;
            end = 0;
        }
    }
}
