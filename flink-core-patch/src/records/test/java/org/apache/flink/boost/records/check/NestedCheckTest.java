// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import static org.apache.flink.boost.records.check.CheckedSerializer.bytes;
import static org.apache.flink.boost.records.check.CheckedSerializer.bytesOfStock;
import static org.apache.flink.boost.records.check.CheckedSerializer.check;
import static org.apache.flink.boost.records.check.CheckedSerializer.generated;
import static org.apache.flink.boost.records.check.CheckedSerializer.pojos;
import static org.apache.flink.boost.records.check.CheckedSerializer.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.base.IntSerializer;
import org.apache.flink.api.common.typeutils.base.TypeSerializerSingleton;
import org.apache.flink.api.java.tuple.Tuple1;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.boost.records.check.CheckedSerializer.Log;
import org.apache.flink.boost.records.check.CheckedSerializer.Spoiled;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.types.NullFieldException;
import org.junit.jupiter.api.Test;

/** Records inside one another: each is checked, and none so often that a task stands still. */
class NestedCheckTest {

    private static final int STACK_BYTES = 1 << 20;
    private static final long MILLIS = 120_000;

    private final Log log = new Log();
    private final List<Spoiled> levels = new ArrayList<>();

    /** A POJO that may hold one of its own kind, as each step of a list does. */
    public static final class Link {
        public Link next;
        public int number;
    }

    private static Link chain(int length) {
        Link first = null;
        for (int i = 0; i < length; i++) {
            Link link = new Link();
            link.next = first;
            link.number = i;
            first = link;
        }
        return first;
    }

    /** Does what the other one does, but makes no object: Flink 1 would make one for each field. */
    private static final class Forwarded extends TypeSerializerSingleton<Object> {

        private static final long serialVersionUID = 1;

        private TypeSerializer<Object> other;

        @Override
        public boolean isImmutableType() {
            return false;
        }

        @Override
        public Object createInstance() {
            return null;
        }

        @Override
        public Object copy(Object from) {
            return other.copy(from);
        }

        @Override
        public Object copy(Object from, Object reuse) {
            return other.copy(from);
        }

        @Override
        public int getLength() {
            return -1;
        }

        @Override
        public void serialize(Object record, DataOutputView target) throws IOException {
            other.serialize(record, target);
        }

        @Override
        public Object deserialize(DataInputView source) throws IOException {
            return other.deserialize(source);
        }

        @Override
        public Object deserialize(Object reuse, DataInputView source) throws IOException {
            return other.deserialize(source);
        }

        @Override
        public void copy(DataInputView source, DataOutputView target) throws IOException {
            other.copy(source, target);
        }

        @Override
        public TypeSerializerSnapshot<Object> snapshotConfiguration() {
            throw new UnsupportedOperationException();
        }
    }

    private TypeSerializer<Object> links() throws Exception {
        Forwarded next = new Forwarded();
        TypeSerializer<Object> links = pojos(Link.class, next, IntSerializer.INSTANCE);
        next.other = links;
        levels.add(new Spoiled(generated(links)));
        check(links, levels.get(0), log);
        return links;
    }

    /** One inside the other, the innermost with a number. */
    @SuppressWarnings("unchecked")
    private TypeSerializer<Object> tuples(int depth) throws Exception {
        TypeSerializer<?> inside = IntSerializer.INSTANCE;
        for (int i = 0; i < depth; i++) {
            inside =
                    new TupleSerializer<>(
                            (Class<Tuple1<Object>>) (Class<?>) Tuple1.class,
                            new TypeSerializer<?>[] {inside});
            Spoiled right = new Spoiled(generated(inside));
            levels.add(right);
            check((TypeSerializer<Object>) inside, right, log);
        }
        return (TypeSerializer<Object>) inside;
    }

    private static Tuple1<Object> tuple(int depth, Integer number) {
        return Tuple1.of(depth == 1 ? number : tuple(depth - 1, number));
    }

    private int calls() {
        return levels.stream().mapToInt(each -> each.calls).sum();
    }

    @Test
    void whatFailsInsideIsTriedOnceOnEachLevel() throws Exception {
        int depth = 14;
        TypeSerializer<Object> tuples = tuples(depth);
        assertThat(read(tuples, bytes(tuples, tuple(depth, 7)))).isEqualTo(tuple(depth, 7));
        for (Spoiled each : levels) {
            each.calls = 0;
        }
        assertThatThrownBy(() -> bytes(tuples, tuple(depth, null)))
                .isInstanceOf(NullFieldException.class);
        assertThat(calls()).isEqualTo(depth);
        byte[] bytes = bytesOfStock(tuples, tuple(depth, 7));
        byte[] cut = Arrays.copyOf(bytes, bytes.length - 1);
        assertThatThrownBy(() -> read(tuples, cut)).isInstanceOf(EOFException.class);
        // Each level that failed is read 16 times more, of which none is checked.
        assertThat(calls()).isLessThan(20 * depth * depth);
        assertThat(log.lines).isEmpty();
    }

    @Test
    void ofALongChainTheFirstLevelsAreChecked() throws Exception {
        TypeSerializer<Object> links = links();
        Link chain = chain(500);
        byte[] bytes = bytesOfStock(links, chain);

        assertThat(bytes(links, chain)).isEqualTo(bytes);
        assertThat(bytesOfStock(links, links.copy(chain))).isEqualTo(bytes);
        assertThat(bytesOfStock(links, read(links, bytes))).isEqualTo(bytes);
        assertThat(log.classes.getChecked())
                .containsExactly("checked 48 records of " + Link.class.getName() + ": equal");
        assertThat(log.lines).isEmpty();
    }

    /** Stock ends with a stack that is full, and so does what is checked: in seconds, too. */
    @Test
    void whatHasNoEndEndsAsInStock() throws Exception {
        TypeSerializer<Object> links = links();
        Link itself = new Link();
        itself.next = itself;
        for (Runnable call :
                new Runnable[] {
                    () -> bytesUnchecked(links, itself), () -> links.copy(itself),
                }) {
            Throwable[] thrown = new Throwable[1];
            Thread thread = new Thread(null, call, "chain", STACK_BYTES);
            thread.setUncaughtExceptionHandler((one, error) -> thrown[0] = error);
            thread.setDaemon(true);
            thread.start();
            thread.join(MILLIS);
            assertThat(thread.isAlive()).isFalse();
            // Flink 1 wraps what ends the constructor of a copy.
            Throwable end =
                    thrown[0] instanceof RuntimeException ? thrown[0].getCause() : thrown[0];
            assertThat(end).isInstanceOf(StackOverflowError.class);
        }
    }

    private static void bytesUnchecked(TypeSerializer<Object> serializer, Object record) {
        try {
            bytes(serializer, record);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
