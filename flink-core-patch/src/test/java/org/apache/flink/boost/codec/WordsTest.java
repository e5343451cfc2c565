// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.apache.flink.boost.jdk.WideArrays;
import org.apache.flink.types.StringValue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The masks of {@link Words} and {@link CharWords} made anew, their arithmetic by plain loops. */
class WordsTest {

    private static final int CASES = 20_000;

    /** One of each size and on each side of a limit. */
    private static final int[] LIMITS = {0, 0x7F, 0x80, 0xFF, 0x100, 0x3FFF, 0x4000, 0xFFFF};

    /** Stock's names for the array that it keeps, and for its length. */
    private static final String STOCKS_ARRAY = "charBuffer";

    private static final String STOCKS_LENGTH = "SHORT_STRING_MAX_LENGTH";

    private final Random random = new Random(39);

    /** The same bits in each field of that width. */
    private static long repeated(int width, long bits) {
        long word = 0;
        for (int shift = 0; shift < Long.SIZE; shift += width) {
            word |= bits << shift;
        }
        return word;
    }

    /** Bits of a range, the last one included. */
    private static long bits(int first, int last) {
        long bits = 0;
        for (int i = first; i <= last; i++) {
            bits |= 1L << i;
        }
        return bits;
    }

    /** The top bits of bytes, but of the last one of each character. */
    private static long more(int... sizes) {
        long more = 0;
        int p = 0;
        for (int size : sizes) {
            for (int i = 1; i < size; i++) {
                more |= 0x80L << 8 * p++;
            }
            p++;
        }
        return more;
    }

    private static Map<String, Long> masks(Class<?> type) throws IllegalAccessException {
        Map<String, Long> masks = new TreeMap<>();
        for (Field field : type.getDeclaredFields()) {
            if (Modifier.isStatic(field.getModifiers()) && field.getType() == long.class) {
                masks.put(field.getName(), field.getLong(null));
            }
        }
        return masks;
    }

    @Test
    void everyMaskIsWhatItsNameSays() throws IllegalAccessException {
        assertThat(WideArrays.TOP_BITS).isEqualTo(repeated(8, 0x80));
        Map<String, Long> words = new TreeMap<>();
        words.put("TWO_BYTES", more(2, 2, 2, 2));
        words.put("THREE_BYTES", more(3, 3));
        words.put("SIX_BYTES", bits(0, 47));
        words.put("LANE_ONE", repeated(16, 1));
        words.put("LOW_LANES", repeated(32, bits(0, 15)));
        words.put("HALF_LOW_7", repeated(32, bits(0, 6)));
        words.put("HALF_BITS_7_TO_13", repeated(32, bits(7, 13)));
        words.put("HALF_BITS_14_TO_15", repeated(32, bits(14, 15)));
        words.put("HALF_LOW_24", bits(0, 23));
        words.put("UPPER_THREE_BYTES", bits(24, 47));
        words.put("HALF_ONE", repeated(32, 1));
        words.put("LOW_HALF", bits(0, 31));
        words.put("LANE_LOW_BYTE", repeated(16, 0xFF));
        words.put("LANE_LOW_7", repeated(16, bits(0, 6)));
        words.put("LANE_BITS_7_TO_13", repeated(16, bits(7, 13)));
        assertThat(masks(Words.class)).isEqualTo(words);
        Map<String, Long> chars = new TreeMap<>();
        chars.put("LANE_HIGH_7", repeated(16, bits(8, 14)));
        chars.put("LANE_BITS_14_TO_15", repeated(16, bits(14, 15)));
        chars.put("LANE_TOP", repeated(16, 0x8000));
        chars.put("HALF_MORE", repeated(32, 0x8080));
        // The smallest of bits 7 to 13 has to reach the top bit.
        chars.put("LANE_CARRY", repeated(16, 0x8000 - 0x80));
        assertThat(masks(CharWords.class)).isEqualTo(chars);
        assertThat(masks(CharArrays.class))
                .isEqualTo(Map.of("NOT_ASCII", repeated(16, ~0x7F & 0xFFFF)));
    }

    @Test
    void aNumberIsSizedAsItIsWritten() {
        for (int bits = 0; bits < Integer.SIZE - 1; bits++) {
            for (int value : new int[] {(1 << bits) - 1, 1 << bits}) {
                byte[] out = new byte[Varint.MOST_BYTES];
                assertThat(Varint.size(value)).isEqualTo(Varint.put(out, 0, value));
            }
        }
        assertThat(Varint.size(Integer.MAX_VALUE)).isEqualTo(Varint.MOST_BYTES);
    }

    /** Writes four characters to the start of an array; a method of the encoder. */
    private interface OfFour {
        int encode(long chars, byte[] out, int position);
    }

    /** The smallest array that takes any four characters. */
    private static int roomOf(OfFour encoder) {
        for (int room = 0; ; room++) {
            byte[] out = new byte[room];
            if (takesAll(encoder, out)) {
                return room;
            }
        }
    }

    private static boolean takesAll(OfFour encoder, byte[] out) {
        int kinds = LIMITS.length;
        for (int i = 0; i < kinds * kinds * kinds * kinds; i++) {
            long chars = 0;
            for (int rest = i, k = 0; k < 4; k++, rest /= kinds) {
                chars |= (long) LIMITS[rest % kinds] << 16 * k;
            }
            try {
                encoder.encode(chars, out, 0);
            } catch (IndexOutOfBoundsException e) {
                return false;
            }
        }
        return true;
    }

    /** Four of three bytes are stored in these, so that the last four never take all the room. */
    @Test
    void theRoomOfFourCharactersIsWhatTheyTouch() {
        assertThat(roomOf(VarintEncoder::encodeFour)).isEqualTo(VarintEncoder.SLACK);
        assertThat(roomOf(VarintEncoder::encodeLastFour)).isEqualTo(VarintEncoder.LAST_SLACK - 1);
    }

    /** Lines whose stock keeps no array allocate what the length field says at every length. */
    @Test
    void aChunkIsAsLongAsTheArrayThatStockKeeps() throws IllegalAccessException {
        Map<String, Field> fields = new TreeMap<>();
        for (Field field : StringValue.class.getDeclaredFields()) {
            fields.put(field.getName(), field);
        }
        assertThat(fields.containsKey(STOCKS_LENGTH)).isEqualTo(fields.containsKey(STOCKS_ARRAY));
        if (fields.containsKey(STOCKS_LENGTH)) {
            fields.get(STOCKS_LENGTH).setAccessible(true);
            assertThat(fields.get(STOCKS_LENGTH).getInt(null)).isEqualTo(Chunk.SIZE);
        }
    }

    /** Encoded as the wire format says, one group of seven bits after the other. */
    private static byte[] encoded(long chars, int n) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = 0; i < n; i++) {
            int c = (int) (chars >>> 16 * i) & 0xFFFF;
            for (; c >= 0x80; c >>>= 7) {
                out.write(c & 0x7F | 0x80);
            }
            out.write(c);
        }
        return out.toByteArray();
    }

    private static long word(byte[] bytes) {
        long word = 0;
        for (int i = bytes.length - 1; i >= 0; i--) {
            word = word << 8 | bytes[i] & 0xFF;
        }
        return word;
    }

    /** Characters from a lowest to a highest one, the limits of sizes often among them. */
    private long chars(int n, int lowest, int highest) {
        long chars = 0;
        for (int i = 0; i < n; i++) {
            int c = LIMITS[random.nextInt(LIMITS.length)];
            while (c < lowest || c > highest) {
                c = lowest + random.nextInt(highest - lowest + 1);
            }
            chars |= (long) c << 16 * i;
        }
        return chars;
    }

    @Test
    void everyCharacterIsEncodedAndFoundAgain() {
        for (int c = 0; c <= 0xFFFF; c++) {
            byte[] bytes = encoded(c, 1);
            assertThat(CharWords.size(c)).isEqualTo(bytes.length);
            assertThat(CharWords.ofChar(c, CharWords.two(c), CharWords.three(c)))
                    .isEqualTo((int) word(bytes));
            byte[] out = new byte[3];
            assertThat(VarintEncoder.encodeChar(c, out, 0)).isEqualTo(bytes.length);
            assertThat(word(out)).isEqualTo(word(bytes));
            assertThat(Words.sizeOfFirst((int) word(bytes))).isEqualTo(bytes.length);
            int bits = Words.bitsOfFirst(Words.more(word(bytes)));
            assertThat(bits).isEqualTo(8 * bytes.length);
            assertThat(Words.first(word(bytes), bits)).isEqualTo(c);
        }
    }

    @Test
    void fourCharactersAreSized() {
        for (int i = 0; i < CASES; i++) {
            long chars = chars(4, 0, LIMITS[i % LIMITS.length]);
            int size = encoded(chars, 4).length;
            assertThat(4 + CharWords.furtherBytes(chars)).isEqualTo(size);
            long two = 0;
            long three = 0;
            for (int k = 0; k < 4; k++) {
                int c = (int) (chars >>> 16 * k) & 0xFFFF;
                two += CharWords.two(c);
                three += CharWords.three(c);
            }
            assertThat(CharWords.areOfOneOrTwoBytes(chars)).isEqualTo(three == 0);
            assertThat(CharWords.areOfTwoBytes(chars)).isEqualTo(two == 4 && three == 0);
            assertThat(CharWords.areOfThreeBytes(chars)).isEqualTo(three == 4);
        }
    }

    @Test
    void charactersOfOneOrTwoBytesAreClosedUp() {
        for (int i = 0; i < CASES; i++) {
            long chars = chars(4, 0, 0x3FFF);
            assertThat(CharWords.ofTwoBytes(chars, CharWords.twoBytes(chars)))
                    .isEqualTo(word(encoded(chars, 4)));
            long latin1 = chars(4, 0, 0xFF);
            int bytes = (int) word(lowBytes(latin1));
            assertThat(CharWords.ofLatin1(bytes)).isEqualTo(word(encoded(latin1, 4)));
        }
    }

    private static byte[] lowBytes(long lanes) {
        byte[] bytes = new byte[4];
        for (int i = 0; i < 4; i++) {
            bytes[i] = (byte) (lanes >>> 16 * i);
        }
        return bytes;
    }

    @Test
    void charactersOfOneSizeAreTakenTogether() {
        for (int i = 0; i < CASES; i++) {
            long two = chars(4, 0x80, 0x3FFF);
            long encoded = word(encoded(two, 4));
            assertThat(CharWords.lanesOfTwoBytes(two, Words.TWO_BYTES)).isEqualTo(encoded);
            assertThat(Words.more(encoded)).isEqualTo(Words.TWO_BYTES);
            assertThat(Words.fourOfTwoBytes(encoded)).isEqualTo(two);
            long three = chars(2, 0x4000, 0xFFFF);
            long bytes = word(encoded(three, 2));
            assertThat(CharWords.threeBytesOfTwo(three)).isEqualTo(bytes);
            assertThat(Words.areThreeBytes(Words.more(bytes))).isTrue();
            assertThat(Words.twoOfThreeBytes(bytes) & 0xFFFFFFFFL).isEqualTo(three);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4})
    void aFewCharactersAreTakenWhereAllHaveOneSize(int n) {
        for (int i = 0; i < CASES; i++) {
            long chars = chars(n, i % 2 == 0 ? 0 : 0x80, LIMITS[2 + i % 6]);
            byte[] bytes = encoded(chars, n);
            boolean two = bytes.length == 2 * n && CharWords.furtherBytes(chars) == n;
            for (int k = 0; k < n && two; k++) {
                two = CharWords.size((int) (chars >>> 16 * k) & 0xFFFF) == 2;
            }
            boolean three = n == 2 && bytes.length == 6;
            int size = bytes.length <= 8 ? Words.sizeOfFew(word(bytes), n) : 0;
            assertThat(size).isEqualTo(two || three ? bytes.length : 0);
            if (size > 0) {
                assertThat(Words.few(word(bytes), n, size) & bits(0, 16 * n - 1)).isEqualTo(chars);
            }
        }
    }

    @Test
    void secondBytesOfLatin1AreDropped() {
        for (int i = 0; i < CASES; i++) {
            long letters = chars(4, 0, 0xFF);
            byte[] bytes = encoded(letters, 4);
            long word = word(bytes);
            long seconds = Words.seconds(Words.more(word), 0);
            assertThat(Words.notLatin1(word, seconds)).isZero();
            assertThat(Words.withoutSeconds(word, seconds)).isEqualTo(word(lowBytes(letters)));
            assertThat(Words.latin1Size(word(lowBytes(letters)), 4, 0)).isEqualTo(bytes.length);
        }
    }

    @Test
    void theEndOfTheNthCharacterIsFound() {
        for (int i = 0; i < CASES; i++) {
            long word = random.nextLong() & random.nextLong();
            int seen = 0;
            for (int p = 0; p < 8; p++) {
                if ((byte) (word >>> 8 * p) >= 0) {
                    seen++;
                    assertThat(Words.sizeOf(Words.more(~word), seen)).isEqualTo(p + 1);
                }
            }
        }
    }
}
