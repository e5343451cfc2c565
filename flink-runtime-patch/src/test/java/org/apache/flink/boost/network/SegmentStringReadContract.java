// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.io.DataInput;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import org.apache.flink.boost.strings.FlinkClasses;
import org.apache.flink.boost.strings.StringReadContract;
import org.apache.flink.boost.strings.Wire;
import org.apache.flink.boost.woven.NonSpanningWrapperMemory;
import org.junit.jupiter.api.Test;

/** Reading from the view of a record in one network buffer, heap or off-heap. */
abstract class SegmentStringReadContract extends StringReadContract {

    private static final String VIEW = NetworkViews.NON_SPANNING;

    /** A segment of the kind under test, freed or not, with these bytes. */
    private Object segment(FlinkClasses flink, byte[] bytes) {
        try {
            return NetworkViews.segment(flink, factoryMethod(), bytes);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Method of {@code MemorySegmentFactory}, or {@link NetworkViews#SLICE}. */
    abstract String factoryMethod();

    abstract boolean isOffHeap();

    @Override
    protected DataInput open(FlinkClasses flink, byte[] bytes, int start, int end) {
        return open(flink, segment(flink, bytes), start, end);
    }

    private static DataInput open(FlinkClasses flink, Object segment, int start, int end) {
        try {
            Object view = flink.create(VIEW);
            flink.invoke(view, "initializeFromMemorySegment", segment, start, end);
            return (DataInput) view;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Override
    protected int position(DataInput in) {
        return (int) FlinkClasses.field(in, "position");
    }

    /** Stock counts the position up before the segment refuses the access. */
    @Override
    protected Outcome endOfInput(byte[] bytes, int end) {
        int size = Math.max(bytes.length, 1);
        return new Outcome(null, IndexOutOfBoundsException.class.getName(), size + 1);
    }

    @Test
    void theSegmentIsOfTheKindUnderTest() throws IOException {
        Object segment = segment(FlinkClasses.PATCHED, new byte[8]);
        assertThat(FlinkClasses.PATCHED.invoke(segment, "isOffHeap")).isEqualTo(isOffHeap());
    }

    @Test
    void theViewIsWovenAndStocksIsNot() {
        assertThat(NonSpanningWrapperMemory.class)
                .isAssignableFrom(FlinkClasses.PATCHED.type(VIEW));
        assertThat(FlinkClasses.STOCK.type(VIEW).getInterfaces())
                .extracting(Class::getName)
                .noneMatch(name -> name.startsWith("org.apache.flink.boost."));
    }

    @Test
    void refusesAFreedSegmentAsStock() throws IOException {
        byte[] bytes = Wire.encoded("memory that belongs to somebody else by now");
        int[] positions = new int[2];
        int i = 0;
        for (FlinkClasses flink : new FlinkClasses[] {FlinkClasses.PATCHED, FlinkClasses.STOCK}) {
            Object segment = segment(flink, bytes);
            DataInput in = open(flink, segment, 0, bytes.length);
            flink.invoke(segment, "free");
            assertThatThrownBy(() -> flink.readString(in))
                    .isInstanceOf(IllegalStateException.class);
            positions[i++] = position(in);
        }
        assertThat(positions[0]).isEqualTo(positions[1]);
    }

    @Test
    void refusesAClearedViewAsStock() throws IOException {
        for (FlinkClasses flink : new FlinkClasses[] {FlinkClasses.PATCHED, FlinkClasses.STOCK}) {
            DataInput in = open(flink, new byte[] {2, 'a'}, 0, 2);
            flink.invoke(in, "clear");
            assertThatThrownBy(() -> flink.readString(in)).isInstanceOf(NullPointerException.class);
        }
    }

    /** As in stock, bytes between the record's limit and the end of the segment can be read. */
    @Test
    void readsBehindTheLimitAsStock() throws IOException {
        byte[] bytes = Wire.encoded("a string that ends behind the limit of its record");
        for (FlinkClasses flink : new FlinkClasses[] {FlinkClasses.PATCHED, FlinkClasses.STOCK}) {
            DataInput in = open(flink, bytes, 0, 10);
            assertThat(flink.readString(in)).endsWith("of its record");
            assertThat(position(in)).isEqualTo(bytes.length);
        }
    }

    /** Text that is decoded through the scratch array in several pieces. */
    @Test
    void readsTextLongerThanAPiece() throws IOException {
        String[] units = {
            "\u0416", "\u6f22", "\u00e9", "a\u00e9", "a\u0416\u6f22", "x".repeat(5000) + "\u0416"
        };
        for (String unit : units) {
            for (int offset = 0; offset < 5; offset++) {
                String text = "a".repeat(offset) + unit.repeat(40_000 / unit.length());
                byte[] bytes = Wire.encoded(text);
                DataInput in = open(FlinkClasses.PATCHED, bytes, 0, bytes.length);
                assertThat(FlinkClasses.PATCHED.readString(in)).isEqualTo(text);
                assertThat(position(in)).isEqualTo(bytes.length);
            }
        }
    }

    /** Latin-1 for thousands of characters, then one that is not: the guess is taken back. */
    @Test
    void readsLateSurprisesAsStock() throws IOException {
        for (String end : new String[] {"\u0416", "\u6f22", "\u00ff", "\u0100"}) {
            String text = "\u00e9".repeat(6000) + end + "\u00e9".repeat(10);
            byte[] bytes = Wire.encoded(text);
            for (FlinkClasses flink :
                    new FlinkClasses[] {FlinkClasses.PATCHED, FlinkClasses.STOCK}) {
                DataInput in = open(flink, bytes, 0, bytes.length);
                assertThat(flink.readString(in)).isEqualTo(text);
            }
        }
    }

    /** Stock's {@code readUTF} leaves an array without elements in the view. */
    @Test
    void readsLongTextAfterStocksReadUtfLeftAnEmptyArray() throws IOException {
        String text = "x".repeat(5000);
        byte[] string = Wire.encoded(text);
        byte[] bytes = new byte[2 + string.length];
        System.arraycopy(string, 0, bytes, 2, string.length);
        DataInput in = open(FlinkClasses.PATCHED, bytes, 0, bytes.length);
        assertThat(in.readUTF()).isEmpty();
        assertThat(FlinkClasses.PATCHED.readString(in)).isEqualTo(text);
    }

    /** Text that is only late not ASCII leaves no more garbage than text that is not at once. */
    @Test
    void allocatesNothingForAWrongGuessTwice() throws IOException {
        for (int n : new int[] {100, 2000, 5000}) {
            long late = allocated("x".repeat(n - 1) + "\u0416");
            long early = allocated("\u0416" + "x".repeat(n - 1));
            assertThat(late).as("%s characters", n).isBetween(early - 64, early + 64);
        }
    }

    /** Bytes per string, after the first one that the view has read. */
    private long allocated(String text) throws IOException {
        int times = 50;
        byte[] one = Wire.encoded(text);
        byte[] bytes = new byte[one.length * times];
        for (int i = 0; i < times; i++) {
            System.arraycopy(one, 0, bytes, i * one.length, one.length);
        }
        DataInput in = open(FlinkClasses.PATCHED, bytes, 0, bytes.length);
        assertThat(FlinkClasses.PATCHED.readString(in)).isEqualTo(text);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long self = Thread.currentThread().getId();
        long before = threads.getThreadAllocatedBytes(self);
        for (int i = 1; i < times; i++) {
            FlinkClasses.PATCHED.readString(in);
        }
        return (threads.getThreadAllocatedBytes(self) - before) / (times - 1);
    }
}
