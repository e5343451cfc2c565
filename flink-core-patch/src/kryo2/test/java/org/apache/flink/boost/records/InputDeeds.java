// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import com.esotericsoftware.kryo.io.Input;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;

/** What can be done to an input of Kryo 2. */
final class InputDeeds {

    /** The first ones read, or look at what is stock's at every byte. */
    static final int READS = 21;

    static final int ALL = 36;

    private InputDeeds() {}

    /** Does one, and says what came of it. */
    static String act(Input in, int deed, Random random) throws IOException {
        byte[] taken = new byte[random.nextInt(20)];
        int length = random.nextInt(12);
        switch (deed) {
            case 0:
                return "" + in.readByte();
            case 1:
                return "" + in.readByteUnsigned();
            case 2:
                return "" + in.readBoolean() + in.readChar();
            case 3:
                return in.readShort() + " " + in.readShortUnsigned();
            case 4:
                return "" + in.readInt();
            case 5:
                return "" + in.readLong();
            case 6:
                return "" + in.readInt(random.nextBoolean());
            case 7:
                return "" + in.readLong(random.nextBoolean());
            case 8:
                return in.readFloat() + " " + in.readFloat(10, random.nextBoolean());
            case 9:
                return in.readDouble() + " " + in.readDouble(10, random.nextBoolean());
            case 10:
                return "" + in.readVarInt(random.nextBoolean());
            case 11:
            case 12:
                return in.readString();
            case 13:
                StringBuilder text = in.readStringBuilder();
                return text == null ? "none" : text + " of " + text.capacity();
            case 14:
                return "" + in.readVarLong(random.nextBoolean());
            case 15:
                return Arrays.toString(in.readInts(length, true));
            case 16:
                return Arrays.toString(in.readDoubles(length));
            case 17:
                return in.position() + " of " + in.limit() + ", " + in.total();
            case 18:
                return Arrays.toString(in.getBuffer());
            case 19:
                return "" + in.available();
            case 20:
                in.readBytes(taken);
                return Arrays.toString(taken);
            case 21:
                return Arrays.toString(in.readShorts(length)) + Arrays.toString(in.readFloats(2));
            case 22:
                return Arrays.toString(in.readChars(length)) + in.readLongs(2, false)[1];
            case 23:
                return in.read(taken) + Arrays.toString(taken);
            case 24:
                return "" + in.read();
            case 25:
                in.skip(length);
                return "" + in.skip((long) length);
            case 26:
                in.close();
                return Arrays.toString(in.readBytes(length));
            case 27:
                return "" + in.eof();
            case 28:
                return "" + in.canReadInt();
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
                in.rewind();
                return in.limit() + " " + in.total();
            case 33:
                in.setBuffer(new byte[] {3, (byte) 0x82, 'x', 'y', 'z'});
                return in.readString();
            case 34:
                in.setBuffer(taken, 0, taken.length);
                in.setInputStream(null);
                return "" + in.getInputStream();
            default:
                in.setInputStream(in.getInputStream());
                return "" + in.read();
        }
    }
}
