// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.apache.flink.boost.sidebyside.FramedRecords.content;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;

/** The comparison of two writers bites. */
class ChannelWritersTest {

    /** One bit of one byte is enough, in the length and in the record. */
    @Test
    void findsAWrongByte() {
        for (int wrong : new int[] {0, 3, 4, 11}) {
            ChannelWriters writers =
                    new ChannelWriters(withWrongByte(wrong), ChannelWriters.stock(), 1);
            writers.open(1, 4, 100, false, false);
            writers.emit(0, Style.ARRAY, content(8));
            writers.step(new ChannelStep.Flush());
            assertThatThrownBy(writers::take)
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("12 bytes: [");
        }
    }

    /** What Flink counts is compared, too: here a buffer is not ended by an event. */
    @Test
    void findsAWrongCount() {
        ChannelWriters writers = new ChannelWriters(withoutEvents(), ChannelWriters.stock(), 1);
        writers.open(1, 4, 100, false, false);
        writers.emit(0, Style.ARRAY, content(8));
        assertThatThrownBy(() -> writers.step(new ChannelStep.Event()))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("12 bytes out, 1 buffers out");
    }

    private static ChannelWriter withWrongByte(int wrong) {
        return altered(
                "take",
                taken -> {
                    ((ChannelBuffer) taken).bytes()[wrong] ^= 1;
                    return taken;
                });
    }

    private static ChannelWriter withoutEvents() {
        ChannelWriter real = new FlinkChannelWriter();
        return proxy(
                (method, arguments) ->
                        method.getName().equals("event") ? null : method.invoke(real, arguments));
    }

    private static ChannelWriter altered(String name, Change change) {
        ChannelWriter real = new FlinkChannelWriter();
        return proxy(
                (method, arguments) -> {
                    Object result = method.invoke(real, arguments);
                    return method.getName().equals(name) ? change.of(result) : result;
                });
    }

    private static ChannelWriter proxy(Handler handler) {
        return (ChannelWriter)
                Proxy.newProxyInstance(
                        ChannelWriter.class.getClassLoader(),
                        new Class<?>[] {ChannelWriter.class},
                        (proxy, method, arguments) -> handler.handle(method, arguments));
    }

    private interface Handler {
        Object handle(Method method, Object[] arguments) throws ReflectiveOperationException;
    }

    private interface Change {
        Object of(Object result);
    }
}
