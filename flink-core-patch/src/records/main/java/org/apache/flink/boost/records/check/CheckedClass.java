// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/** What has been checked of the records of one name, by all of its serializers. */
final class CheckedClass {

    private final String name;
    private final AtomicLong checked = new AtomicLong();
    private final LongAdder incomparable = new LongAdder();
    private final AtomicLong large = new AtomicLong();
    private final AtomicBoolean differs = new AtomicBoolean();

    CheckedClass(String name) {
        this.name = name;
    }

    /** Counts a record; returns how many there are now. */
    long count() {
        return checked.incrementAndGet();
    }

    /** Of those that are counted, one that stock itself writes in several ways. */
    void countIncomparable() {
        incomparable.increment();
    }

    /** Counts one more that is too large to be held several times; returns how many. */
    long countLarge() {
        return large.incrementAndGet();
    }

    /** Whether stock's bodies run from here on. */
    boolean differs() {
        return differs.get();
    }

    /** Lets stock's bodies run; false where they do already. */
    boolean setDiffers() {
        return differs.compareAndSet(false, true);
    }

    String name() {
        return name;
    }

    @Override
    public String toString() {
        return after(checked.get());
    }

    /** The sentence on that many; other threads go on counting. */
    String after(long count) {
        String sentence =
                count == 0
                        ? String.format("checked no records of %s yet", name)
                        : String.format(Locale.ROOT, "checked %,d records of %s: ", count, name)
                                + (differs()
                                        ? "one differed, so that Flink's own code runs"
                                        : "equal");
        return sentence
                + those(
                        incomparable.sum(),
                        ", but for %,d that Flink itself writes in several ways")
                + those(large.get(), ", and not %,d of more than 16 MB");
    }

    private static String those(long many, String words) {
        return many == 0 ? "" : String.format(Locale.ROOT, words, many);
    }
}
