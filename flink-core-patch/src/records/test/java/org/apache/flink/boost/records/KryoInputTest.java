// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;

import com.esotericsoftware.kryo.DefaultSerializer;
import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.flink.api.java.typeutils.runtime.DataInputViewStream;
import org.apache.flink.api.java.typeutils.runtime.NoFetchingInput;
import org.apache.flink.boost.guard.Families;
import org.apache.flink.boost.records.kryo.LookAheadInput;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataInputView;
import org.junit.jupiter.api.Test;

/** A serializer that does to Kryo's input whatever can be done to it, with ours beside stock's. */
class KryoInputTest {

    /** What the serializer saw. */
    @DefaultSerializer(ProbeSerializer.class)
    static final class Probe {
        final String seen;

        Probe(String seen) {
            this.seen = seen;
        }
    }

    /** What the serializer does. */
    interface Deeds {
        String all(Input input) throws IOException;
    }

    private static Deeds deeds;

    /** Writes nothing, and reads what it is told to. */
    public static final class ProbeSerializer extends InputSerializer<Probe> {

        @Override
        public void write(Kryo kryo, Output output, Probe probe) {
            // The test appends what is to be read.
        }

        @Override
        Probe read(Kryo kryo, Input input) {
            try {
                return new Probe(deeds.all(input));
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** What an input of stock's begins with. */
    private static final class NewInput extends NoFetchingInput {

        NewInput() {
            super(new ByteArrayInputStream(new byte[0]));
        }

        int room() {
            return buffer.length;
        }

        int characters() {
            return chars.length;
        }
    }

    @Test
    void ourInputBeginsWithStocksRoom() throws ReflectiveOperationException {
        assertThat(constant("STOCKS_ROOM")).isEqualTo(new NewInput().room());
        assertThat(constant("STOCKS_CHARS")).isEqualTo(new NewInput().characters());
    }

    private static int constant(String name) throws ReflectiveOperationException {
        Field field = LookAheadInput.class.getSuperclass().getDeclaredField(name);
        field.setAccessible(true);
        return field.getInt(null);
    }

    private static String text(KryoPair.Reading reading, DataInputView in) {
        return Outcome.of(() -> ((Probe) reading.read(in)).seen);
    }

    /** Bytes that are no large lengths, and letters of three bytes. */
    private static byte[] bytes(Random random, byte[] head) {
        byte[] bytes = Arrays.copyOf(head, head.length + random.nextInt(600));
        for (int i = head.length; i < bytes.length; i++) {
            bytes[i] = (byte) random.nextInt(100);
        }
        for (int i = head.length; i + 3 < bytes.length; i += 4 + random.nextInt(40)) {
            bytes[i] = (byte) 0xe2;
            bytes[i + 1] = (byte) 0x82;
            bytes[i + 2] = (byte) 0xac;
            bytes[i + 3] = 0;
        }
        return bytes;
    }

    /** Some deeds, the look at the input being one of the last. */
    private static Deeds deeds(long seed, int kinds) {
        return input -> {
            Random random = new Random(seed);
            StringBuilder seen = new StringBuilder();
            int count = 1 + random.nextInt(30);
            for (int i = 0; i < count; i++) {
                int deed = random.nextInt(kinds);
                seen.append(deed)
                        .append(':')
                        .append(InputDeeds.act(input, deed, random))
                        .append('\n');
            }
            if (random.nextBoolean()) {
                seen.append(input.total()).append(input.position());
            }
            return seen.toString();
        };
    }

    private static void assertDeeds(long seed, int kinds) throws IOException {
        Random random = new Random(seed);
        KryoPair pair = new KryoPair(Probe.class);
        byte[] head = pair.bytes(new Probe(""));
        DataInputDeserializer ours = new DataInputDeserializer();
        DataInputDeserializer stock = new DataInputDeserializer();
        for (int i = 0; i < 4; i++) {
            byte[] bytes = bytes(random, head);
            ours.setBuffer(bytes);
            stock.setBuffer(bytes);
            deeds = deeds(seed + i, kinds);
            String expected = text(pair.stock::deserialize, stock);
            assertThat(text(pair.ours::deserialize, ours))
                    .as("seed %d, %d", seed, i)
                    .isEqualTo(expected);
            assertThat(ours.available()).as("seed %d, %d", seed, i).isEqualTo(stock.available());
        }
    }

    @Test
    void readsAndOneLookAtTheEndAreAsOfStock() throws IOException {
        for (long seed : new Random().longs(200).toArray()) {
            assertDeeds(seed, InputDeeds.READS);
        }
    }

    @Test
    void whateverIsDoneToTheInputIsAsOfStock() throws IOException {
        for (long seed : new Random().longs(400).toArray()) {
            assertDeeds(seed, InputDeeds.ALL);
        }
    }

    /** Who has looked at the input once has stock's from there on. */
    @Test
    void whoLooksHasStocks() throws IOException {
        KryoPair pair = new KryoPair(Probe.class);
        byte[] bytes = pair.bytes(new Probe(""));
        deeds = input -> input.getClass().getSimpleName();
        DataInputDeserializer view = new DataInputDeserializer(bytes);
        assertThat(text(pair.ours::deserialize, view))
                .startsWith(Families.RECORDS ? "LookAheadInput" : "NoFetchingInput");
        deeds = input -> ((DataInputViewStream) input.getInputStream()).getInputView() + "";
        view.setBuffer(bytes);
        assertThat(text(pair.ours::deserialize, view)).contains(view.toString());
        deeds = input -> input.getClass().getSimpleName();
        assertThat(text(pair.ours::deserialize, new DataInputDeserializer(bytes)))
                .startsWith("NoFetchingInput");
    }

    /** Kryo leaves characters of the text before where bytes are none of its own. */
    @Test
    void aBrokenTextHasNothingOfAnotherView() throws IOException {
        KryoPair pair = new KryoPair(Probe.class);
        byte[] head = pair.bytes(new Probe(""));
        byte[] text = Arrays.copyOf(head, head.length + 3);
        byte[] broken = Arrays.copyOf(head, head.length + 4);
        text[head.length] = 'a';
        text[head.length + 1] = 'b';
        text[head.length + 2] = (byte) ('c' | 0x80);
        Arrays.fill(broken, head.length, broken.length, (byte) 0x84);
        deeds = Input::readString;
        DataInputDeserializer view = new DataInputDeserializer();
        for (int i = 0; i < 3; i++) {
            view.setBuffer(text);
            assertThat(text(pair.ours::deserialize, view)).startsWith("abc");
            view.setBuffer(broken);
            assertThat(text(pair.ours::deserialize, view)).startsWith("abc");
            DataInputDeserializer other = new DataInputDeserializer(broken);
            assertThat(text(pair.ours::deserialize, other)).startsWith("\0\0\0");
        }
    }

    /** As a record does that reads the rest of its own when somebody asks for it. */
    @Test
    void whoKeepsTheInputReadsBehindTheRecordAsByStock() throws IOException {
        KryoPair pair = new KryoPair(Probe.class);
        byte[] head = pair.bytes(new Probe(""));
        assertThat(kept(pair.ours::deserialize, head))
                .isEqualTo(kept(pair.stock::deserialize, head));
    }

    private static String kept(KryoPair.Reading reading, byte[] head) {
        byte[] first = Arrays.copyOf(head, head.length + 40);
        byte[] second = first.clone();
        second[head.length] = 7;
        Input[] kept = new Input[1];
        DataInputDeserializer view = new DataInputDeserializer(first);
        deeds =
                input -> {
                    kept[0] = input;
                    return "" + input.readByte();
                };
        String all = text(reading, view) + kept[0].readByte() + ", left " + view.available();
        deeds = input -> "" + input.readByte();
        view.setBuffer(second);
        all += text(reading, view) + ", left " + view.available();
        return all + text(reading, new DataInputDeserializer(second));
    }

    /** A difference: stock makes an input for each view. */
    @Test
    void theInputIsOneForAllViews() throws IOException {
        KryoPair pair = new KryoPair(Probe.class);
        byte[] bytes = pair.bytes(new Probe(""));
        List<Input> inputs = new ArrayList<>();
        deeds = input -> inputs.add(input) + "";
        for (int i = 0; i < 2; i++) {
            text(pair.ours::deserialize, new DataInputDeserializer(bytes));
            text(pair.stock::deserialize, new DataInputDeserializer(bytes));
        }
        assertThat(inputs.get(0) == inputs.get(2)).isEqualTo(Families.RECORDS);
        assertThat(inputs.get(1)).isNotSameAs(inputs.get(3));
        assertThat(inputs.get(0).getClass() == LookAheadInput.class).isEqualTo(Families.RECORDS);
    }

    /** A difference: who holds the view besides sees it at the begin of the bytes held ready. */
    @Test
    void theViewIsBehindWithinARecordAndNotAfterIt() throws IOException {
        KryoPair pair = new KryoPair(Probe.class);
        byte[] bytes = Arrays.copyOf(pair.bytes(new Probe("")), 100);
        DataInputDeserializer ours = new DataInputDeserializer(bytes);
        DataInputDeserializer stock = new DataInputDeserializer(bytes);
        deeds = input -> input.readInt() + " " + ours.available();
        String seen = text(pair.ours::deserialize, ours);
        deeds = input -> input.readInt() + " " + stock.available();
        String expected = text(pair.stock::deserialize, stock);
        assertThat(expected).startsWith("0 " + stock.available());
        assertThat(seen).startsWith("0 " + (Families.RECORDS ? bytes.length : stock.available()));
        assertThat(ours.available()).isEqualTo(stock.available());
    }

    /** A serializer that two threads use is not sound; ours does to it what stock does. */
    @Test
    void anotherThreadWithinARecordIsServedAsByStock() throws IOException {
        KryoPair pair = new KryoPair(Probe.class);
        byte[] bytes = Arrays.copyOf(pair.bytes(new Probe("")), 100);
        assertThat(fromAnotherThread(pair.ours::deserialize, bytes))
                .isEqualTo(fromAnotherThread(pair.stock::deserialize, bytes));
    }

    private static String fromAnotherThread(KryoPair.Reading reading, byte[] bytes) {
        DataInputDeserializer outer = new DataInputDeserializer(bytes);
        DataInputDeserializer inner = new DataInputDeserializer(bytes);
        deeds =
                input -> {
                    byte before = input.readByte();
                    deeds = within -> "inner " + within.readShort();
                    String[] seen = new String[1];
                    Thread other = new Thread(() -> seen[0] = text(reading, inner), "other");
                    other.start();
                    try {
                        other.join();
                    } catch (InterruptedException e) {
                        throw new IllegalStateException(e);
                    }
                    return before + seen[0] + input.readByte();
                };
        String all = text(reading, outer) + outer.available() + " " + inner.available();
        deeds = input -> "next " + input.readShort();
        all += text(reading, inner);
        outer.setBuffer(bytes);
        return all + text(reading, outer) + outer.available() + " " + inner.available();
    }

    /** A serializer that reads by the same serializer, from the same view or another. */
    @Test
    void aRecordInsideARecordIsReadAsByStock() throws IOException {
        KryoPair pair = new KryoPair(Probe.class);
        KryoPair other = new KryoPair(Probe.class);
        byte[] head = pair.bytes(new Probe(""));
        byte[] bytes = Arrays.copyOf(head, 40 + 2 * head.length);
        System.arraycopy(head, 0, bytes, head.length + 1, head.length);
        for (boolean isSameView : new boolean[] {false, true}) {
            String expected = nested(pair.stock::deserialize, bytes, isSameView);
            assertThat(nested(pair.ours::deserialize, bytes, isSameView)).isEqualTo(expected);
            assertThat(nested(other.ours::deserialize, bytes, isSameView)).isEqualTo(expected);
        }
    }

    private static String nested(KryoPair.Reading reading, byte[] bytes, boolean isSameView) {
        DataInputDeserializer outer = new DataInputDeserializer(bytes);
        DataInputDeserializer inner = isSameView ? outer : new DataInputDeserializer(bytes);
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 3; i++) {
            deeds =
                    input -> {
                        byte before = input.readByte();
                        deeds = within -> "inner " + within.readShort();
                        return before + text(reading, inner) + input.readByte();
                    };
            all.append(text(reading, outer)).append(outer.available()).append(inner.available());
            outer.setBuffer(bytes);
            inner.setBuffer(bytes);
        }
        return all.toString();
    }
}
