// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import com.esotericsoftware.kryo.io.Input;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;

/** What can be done to an input of Kryo 5. */
final class InputDeeds {

    /** The first ones read. */
    static final int READS = 18;

    static final int ALL = 34;

    private InputDeeds() {}

    /** A number of so many bytes; none are refused, once they were asked for. */
    private static String someBytes(Input in, int count) {
        try {
            return "" + in.readLong(count);
        } catch (IllegalStateException e) {
            return e.getMessage();
        }
    }

    /** Does one, and says what came of it. */
    static String act(Input in, int deed, Random random) throws IOException {
        byte[] taken = new byte[random.nextInt(12)];
        int length = random.nextInt(12);
        switch (deed) {
            case 0:
                return "" + in.readByte();
            case 1:
                return "" + in.readByteUnsigned();
            case 2:
                return "" + in.readBoolean() + in.readChar();
            case 3:
                return "" + in.readShort();
            case 4:
                return "" + in.readInt();
            case 5:
                return "" + in.readLong();
            case 6:
                return "" + in.readVarInt(random.nextBoolean());
            case 7:
                return "" + in.readVarLong(random.nextBoolean());
            case 8:
                return "" + in.readFloat();
            case 9:
                return "" + in.readDouble();
            case 10:
                return someBytes(in, random.nextInt(9));
            case 11:
            case 12:
                return in.readString();
            case 13:
                return "" + in.readStringBuilder();
            case 14:
                return "" + in.readVarIntFlag();
            case 15:
                return "" + in.readVarIntFlag(true);
            case 16:
                return Arrays.toString(in.readInts(length, true));
            case 17:
                return Arrays.toString(in.readDoubles(length));
            case 18:
                return Arrays.toString(in.readBooleans(length));
            case 19:
                return Arrays.toString(in.readShorts(length)) + Arrays.toString(in.readFloats(2));
            case 20:
                in.readBytes(taken);
                return Arrays.toString(taken);
            case 21:
                return in.read(taken) + Arrays.toString(taken);
            case 22:
                return "" + in.read();
            case 23:
                in.skip(length);
                return "" + in.skip((long) length);
            case 24:
                return "" + in.end();
            case 25:
                return in.position() + " of " + in.limit();
            case 26:
                return "" + in.total();
            case 27:
                return in.available() + " " + in.canReadVarInt() + in.canReadVarLong();
            case 28:
                byte[] buffer = in.getBuffer();
                return Arrays.toString(Arrays.copyOf(buffer, in.limit())) + buffer.length;
            case 29:
                return "" + in.getInputStream().read();
            case 30:
                in.setPosition(Math.max(0, in.position() - 1));
                in.setTotal(5);
                return "" + in.total();
            case 31:
                in.setLimit(in.position());
                return "";
            case 32:
                in.reset();
                return in.limit() + " " + in.total();
            default:
                in.setInputStream(in.getInputStream());
                return "" + in.canReadLong();
        }
    }
}
