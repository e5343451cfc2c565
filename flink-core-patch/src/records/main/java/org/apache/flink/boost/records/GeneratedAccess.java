// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.shapes.Reason;
import org.apache.flink.boost.records.shapes.StockBytes;
import org.apache.flink.boost.records.shapes.UnsuitableRecordException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The generated class of one shape of records: to come, there, or refused for good. */
final class GeneratedAccess {

    private static final Logger LOG = LoggerFactory.getLogger(GeneratedAccess.class);

    private static final Outcome NOT_STARTED =
            new Outcome(null, Reason.FAILED, Reason.FAILED.sentence());

    /** The first class of a process takes some 50 ms, another one less than one. */
    private static final long PATIENCE_MILLISECONDS = 500;

    /**
     * Whether a class was not there in time, as where the task holds a lock that generating needs:
     * nobody waits until the next one is there.
     */
    private static volatile boolean late;

    private static final AtomicBoolean IS_WARM = new AtomicBoolean();

    private static final Set<String> TOLD = ConcurrentHashMap.newKeySet();

    /** A session cluster sees many jobs. */
    private static final int MOST_TOLD = 1000;

    private final String name;
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

    /**
     * @param name of the records, for the log
     */
    GeneratedAccess(String name) {
        this.name = name;
    }

    /** One that is never generated; the log tells it once. */
    static GeneratedAccess refused(String name, Reason reason) {
        if (TOLD.size() < MOST_TOLD && TOLD.add(name + reason)) {
            LOG.info("{} goes stock's way, because {}", name, reason.sentence());
        }
        GeneratedAccess refused = new GeneratedAccess(name);
        refused.outcome.complete(new Outcome(null, reason, reason.sentence()));
        return refused;
    }

    /** Makes the access of one serializer. */
    interface Maker {

        /**
         * @param own what else than its serializers of fields the serializer has to itself
         */
        RecordAccess make(TypeSerializer<?>[] serializers, Object own)
                throws ReflectiveOperationException;
    }

    /** Generates the class. */
    interface Generation {
        Maker generate() throws UnsuitableRecordException, ReflectiveOperationException;
    }

    /** Generates the class on another thread. */
    void start(Generation generation) {
        boolean isStarted = false;
        try {
            GenerationThread.run(
                    () -> {
                        Outcome made = NOT_STARTED;
                        try {
                            made = run(generation);
                        } finally {
                            late = false;
                            outcome.complete(made);
                        }
                    });
            if (IS_WARM.compareAndSet(false, true)) {
                // Behind the first class, which somebody waits for.
                WarmUp.start();
            }
            isStarted = true;
        } catch (RuntimeException | Error e) {
            outcome.complete(failed(e));
            LOG.warn("No thread can generate the access to {}.", name, e);
        } finally {
            if (!isStarted) {
                // Stack or heap were not enough for the words.
                outcome.complete(NOT_STARTED);
            }
        }
    }

    private Outcome run(Generation generation) {
        try {
            FixedFields.prepare();
            StockBytes.require();
            return new Outcome(generation.generate(), null, "");
        } catch (UnsuitableRecordException e) {
            LOG.info("{}", e.getMessage());
            return new Outcome(null, e.reason(), e.sentence());
        } catch (Throwable e) {
            // A class loader of a job's may throw anything, also what it does not declare.
            LOG.warn("The access to {} could not be generated.", name, e);
            return failed(e);
        }
    }

    private static Outcome failed(Throwable thrown) {
        return new Outcome(null, Reason.FAILED, Reason.FAILED.sentence() + ": " + thrown);
    }

    /** The access of one serializer: stock's where the class is not there in time. */
    RecordAccess access(TypeSerializer<?>[] serializers, Object own) {
        await();
        RecordAccess made = made(serializers, own);
        return made == null ? RecordAccess.until(() -> made(serializers, own)) : made;
    }

    /**
     * Waits for the class, on all threads but the one that makes it. Without, thousands of records
     * would go stock's way, and HotSpot would compile both ways into each caller, for good.
     */
    private void await() {
        if (late || outcome.isDone() || GenerationThread.isCurrent()) {
            return;
        }
        try {
            outcome.get(PATIENCE_MILLISECONDS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            late = true;
        }
    }

    /** Null while the class is not there. */
    private RecordAccess made(TypeSerializer<?>[] serializers, Object own) {
        Outcome done = outcome.getNow(null);
        if (done == null) {
            return null;
        }
        if (done.maker == null) {
            return RecordAccess.STOCK;
        }
        try {
            return done.maker.make(serializers, own);
        } catch (ReflectiveOperationException | RuntimeException | Error e) {
            LOG.warn("The access to {} could not be made.", name, e);
            return RecordAccess.STOCK;
        }
    }

    /** Is done when there is a class or a reason. */
    CompletableFuture<Outcome> outcome() {
        return outcome;
    }

    @Override
    public String toString() {
        return name;
    }

    /** A maker, or the reason why there is none. */
    static final class Outcome {

        private final Maker maker;
        private final Reason reason;
        private final String sentence;

        private Outcome(Maker maker, Reason reason, String sentence) {
            this.maker = maker;
            this.reason = reason;
            this.sentence = sentence;
        }

        /** Null when there is a generated class. */
        Reason reason() {
            return reason;
        }

        /** The reason in words, with what it is about; empty when there is a generated class. */
        String sentence() {
            return sentence;
        }
    }
}
