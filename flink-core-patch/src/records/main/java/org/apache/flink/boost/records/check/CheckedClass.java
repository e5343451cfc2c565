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
        long others = incomparable.sum();
        return String.format(Locale.ROOT, "checked %,d records of %s: ", count, name)
                + (differs() ? "one differed, so that Flink's own code runs" : "equal")
                + (others == 0
                        ? ""
                        : String.format(
                                Locale.ROOT,
                                ", but for %,d that Flink itself writes in several ways",
                                others));
    }
}
