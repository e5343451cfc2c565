// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import static org.apache.flink.boost.records.check.CheckedSerializer.bytes;
import static org.apache.flink.boost.records.check.CheckedSerializer.check;
import static org.apache.flink.boost.records.check.CheckedSerializer.generated;
import static org.apache.flink.boost.records.check.CheckedSerializer.pojos;
import static org.apache.flink.boost.records.check.CheckedSerializer.read;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.boost.records.check.CheckedSerializer.Log;
import org.apache.flink.boost.records.check.CheckedSerializer.Spoiled;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.junit.jupiter.api.Test;

/** Records that are not the same twice: a check loses none, and tells of none. */
class ChangingRecordTest {

    private static final byte[] WHOLE = {2, 0, 4, 1, 2, 3, 4};

    private final Log log = new Log();

    /** A record of one field, whose serializer is a test's. */
    public static class Box {
        public Object value;

        static Box of(Object value) {
            Box box = new Box();
            box.value = value;
            return box;
        }
    }

    private TypeSerializer<Object> boxes(TypeSerializer<?> ofValue) throws Exception {
        TypeSerializer<Object> boxes = pojos(Box.class, ofValue);
        check(boxes, generated(boxes), log);
        return boxes;
    }

    /** A serializer of somebody's, of which a check calls three methods. */
    private abstract static class OfValue extends TypeSerializerSingleton<Object> {

        private static final long serialVersionUID = 1L;

        @Override
        public Object createInstance() {
            return null;
        }

        @Override
        public Object copy(Object from) {
            return from;
        }

        @Override
        public Object copy(Object from, Object reuse) {
            return copy(from);
        }

        @Override
        public Object deserialize(DataInputView source) throws IOException {
            return (int) source.readByte();
        }

        @Override
        public Object deserialize(Object reuse, DataInputView source) throws IOException {
            return deserialize(source);
        }

        @Override
        public void copy(DataInputView source, DataOutputView target) throws IOException {
            serialize(deserialize(source), target);
        }

        @Override
        public boolean isImmutableType() {
            return false;
        }

        @Override
        public int getLength() {
            return -1;
        }

        @Override
        public TypeSerializerSnapshot<Object> snapshotConfiguration() {
            throw new UnsupportedOperationException();
        }
    }

    /** Empties a buffer that it writes or copies. */
    private static final class Draining extends OfValue {

        private static final long serialVersionUID = 1L;

        @Override
        public Object copy(Object from) {
            ByteBuffer buffer = (ByteBuffer) from;
            return ByteBuffer.allocate(buffer.remaining()).put(buffer).flip();
        }

        @Override
        public void serialize(Object record, DataOutputView target) throws IOException {
            ByteBuffer buffer = (ByteBuffer) record;
            target.writeByte(buffer.remaining());
            while (buffer.hasRemaining()) {
                target.writeByte(buffer.get());
            }
        }

        @Override
        public Object deserialize(DataInputView source) throws IOException {
            byte[] bytes = new byte[source.readByte()];
            source.readFully(bytes);
            return ByteBuffer.wrap(bytes);
        }
    }

    private static Box full() {
        return Box.of(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}));
    }

    @Test
    void whatIsEmptyAfterItWasWrittenOrCopiedIsLeftFull() throws Exception {
        TypeSerializer<Object> boxes = boxes(new Draining());
        assertThat(bytes(boxes, full())).isEqualTo(WHOLE);
        assertThat(((Box) read(boxes, WHOLE)).value).isEqualTo(full().value);
        assertThat(((Box) boxes.copy(full())).value).isEqualTo(full().value);
        assertThat(log.lines).isEmpty();
        assertThat(log.classes.getChecked()).singleElement().asString().contains("checked 3 ");
    }

    /** Without a hash code of its own, each object that is read has another by chance. */
    private static final class ByChance extends OfValue {

        private static final long serialVersionUID = 1L;

        @Override
        public Object copy(Object from) {
            return two();
        }

        @Override
        public void serialize(Object record, DataOutputView target) throws IOException {
            for (Object each : (Set<?>) record) {
                target.writeByte(((byte[]) each).length);
            }
        }

        @Override
        public Object deserialize(DataInputView source) throws IOException {
            source.readShort();
            return two();
        }

        private static Set<byte[]> two() {
            Set<byte[]> two = new HashSet<>();
            two.add(new byte[1]);
            two.add(new byte[2]);
            return two;
        }
    }

    @Test
    void anOrderByChanceIsNoDifference() throws Exception {
        TypeSerializer<Object> boxes = boxes(new ByChance());
        for (int i = 0; i < 500; i++) {
            read(boxes, new byte[] {2, 0, 1, 2});
            boxes.copy(Box.of(ByChance.two()));
        }
        assertThat(log.lines).hasSize(1).first().asString().startsWith("info");
        assertThat(log.classes.getChecked())
                .singleElement()
                .asString()
                .matches(".*equal, but for [1-9]\\d* that Flink itself writes in several ways");
    }

    /** Writes a clock that goes on with every second look at it. */
    private static final class Timed extends OfValue {

        private static final long serialVersionUID = 1L;

        private int looks = 1;

        @Override
        public void serialize(Object record, DataOutputView target) throws IOException {
            target.writeInt(looks++ / 2);
        }
    }

    @Test
    void aTimeOfDayIsNoDifference() throws Exception {
        TypeSerializer<Object> boxes = boxes(new Timed());
        assertThat(bytes(boxes, Box.of("x"))).containsExactly(2, 0, 0, 0, 0, 0);
        assertThat(log.lines).isEmpty();
        assertThat(log.classes.getChecked()).singleElement().asString().contains("but for 1 ");
    }

    /** Fails to write, at one of the attempts or at all. */
    private static final class Failing extends OfValue {

        private static final long serialVersionUID = 1L;

        private final Error error;
        private final int attempt;
        private int attempts;

        Failing(int attempt, Error error) {
            this.attempt = attempt;
            this.error = error;
        }

        @Override
        public void serialize(Object record, DataOutputView target) throws IOException {
            target.writeByte(4);
            if (attempts++ == attempt || attempt < 0) {
                throw error;
            }
        }
    }

    @Test
    void aSerializerThatOnlyReadsMayThrowAnError() throws Exception {
        TypeSerializer<Object> boxes = boxes(new Failing(-1, new AssertionError("reads only")));
        assertThat(((Box) read(boxes, new byte[] {2, 0, 4})).value).isEqualTo(4);
        assertThat(((Box) boxes.copy(Box.of(4))).value).isEqualTo(4);
        assertThat(log.lines).isEmpty();
    }

    /** A heap that holds a record once is enough for a job, so it is for a check. */
    @Test
    void aHeapThatIsFullForACheckIsEnoughForAJob() throws Exception {
        Error full = new OutOfMemoryError("of a test");
        assertThat(((Box) read(boxes(new Failing(0, full)), new byte[] {2, 0, 4})).value)
                .isEqualTo(4);
        assertThat(((Box) boxes(new Failing(0, full)).copy(Box.of(4))).value).isEqualTo(4);
        for (int attempt = 0; attempt < 2; attempt++) {
            assertThat(bytes(boxes(new Failing(attempt, full)), Box.of(4)))
                    .containsExactly(2, 0, 4);
        }
        assertThat(log.lines).isEmpty();
    }

    /** Generated code that a constructor failed once. */
    @Test
    void aFailureThatDoesNotComeBackIsNoDifference() throws Exception {
        TypeSerializer<Object> boxes = boxes(new Draining());
        Spoiled once =
                new Spoiled(generated(boxes)) {
                    @Override
                    public Object deserialize(DataInputView in) throws IOException {
                        if (calls == 0) {
                            calls++;
                            throw new IllegalStateException();
                        }
                        return super.deserialize(in);
                    }
                };
        check(boxes, once, log);
        assertThat(((Box) read(boxes, WHOLE)).value).isEqualTo(full().value);
        assertThat(log.lines).isEmpty();
    }
}
