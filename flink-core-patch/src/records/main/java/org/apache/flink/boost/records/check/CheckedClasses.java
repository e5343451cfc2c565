// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.flink.boost.guard.BoostMode;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What has been checked, by the name of the records, for all jobs of a process. There are names
 * only, no classes of a job, and a limited number of them.
 */
public final class CheckedClasses implements RecordsMXBean {

    static final String BEAN = "org.apache.flink.boost:type=Records";

    /** A session cluster sees many jobs. Whatever comes later is counted, and stopped, as one. */
    static final int MOST_NAMES = 1_000;

    static final String OTHERS = "all other classes";

    private static final long FIRST_LOGGED = 1_000;

    private final Logger log;
    private final Map<String, CheckedClass> classes = new TreeMap<>();

    /** Those of this process. */
    private static final class Process {
        static final CheckedClasses CLASSES =
                new CheckedClasses(LoggerFactory.getLogger(CheckedClasses.class)).published();
    }

    CheckedClasses(Logger log) {
        this.log = log;
    }

    static CheckedClasses ofThisProcess() {
        return Process.CLASSES;
    }

    private CheckedClasses published() {
        try {
            ManagementFactory.getPlatformMBeanServer().registerMBean(this, new ObjectName(BEAN));
        } catch (JMException | RuntimeException | LinkageError e) {
            log.warn("What is checked of records is in the log only: {} is not there.", BEAN, e);
        }
        return this;
    }

    synchronized CheckedClass of(String name) {
        CheckedClass known = classes.get(name);
        if (known == null) {
            String kept = classes.size() < MOST_NAMES ? name : OTHERS;
            known = classes.computeIfAbsent(kept, CheckedClass::new);
        }
        return known;
    }

    /** Counts a record of that class, and tells when there are ten times as many as last time. */
    void count(CheckedClass checked) {
        long count = checked.count();
        if (isPowerOfTen(count)) {
            publish();
            if (count >= FIRST_LOGGED) {
                log.info("{}", checked.after(count));
            }
        }
    }

    /** Counts one that is too large to be compared, and tells as often. */
    void countLarge(CheckedClass checked) {
        if (isPowerOfTen(checked.countLarge())) {
            publish();
        }
    }

    /** Lets stock's bodies run for that class, and says why once. */
    void stop(CheckedClass checked, String difference) {
        if (checked.setDiffers()) {
            log.error(
                    "flink-boost does not {}. Flink's own code runs for all {} from here on."
                            + " Send us this line, unless the bytes in it are secret.",
                    difference,
                    checked.name());
            publish();
        }
    }

    private static boolean isPowerOfTen(long count) {
        long rest = count;
        while (rest >= 10 && rest % 10 == 0) {
            rest /= 10;
        }
        return rest == 1;
    }

    /** In turn: of two lists the one that was made first must not stay. */
    private synchronized void publish() {
        try {
            System.setProperty(BoostMode.CHECKED, String.join("\n", getChecked()));
        } catch (SecurityException e) {
            log.debug("The property {} may not be set.", BoostMode.CHECKED, e);
        }
    }

    @Override
    public synchronized List<String> getChecked() {
        List<String> all = new ArrayList<>();
        classes.values().forEach(each -> all.add(each.toString()));
        return all;
    }

    @Override
    public synchronized int getDiffering() {
        return (int) classes.values().stream().filter(CheckedClass::differs).count();
    }
}
