// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.shapes.Reason;
import org.apache.flink.boost.records.shapes.UnsuitableRecordException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The generated class of one shape of records: to come, there, or refused for good. */
final class GeneratedAccess {

    private static final Logger LOG = LoggerFactory.getLogger(GeneratedAccess.class);

    private final String name;
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

    /**
     * @param name of the records, for the log
     */
    GeneratedAccess(String name) {
        this.name = name;
    }

    /** One that is never generated. */
    static GeneratedAccess refused(String name, Reason reason) {
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
        try {
            GenerationThread.run(() -> outcome.complete(run(generation)));
        } catch (RuntimeException | Error e) {
            LOG.warn("No thread can generate the access to {}.", name, e);
            outcome.complete(failed(e));
        }
    }

    private Outcome run(Generation generation) {
        try {
            FixedFields.prepare();
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

    /** The access of one serializer: stock's while the class is not there. */
    RecordAccess access(TypeSerializer<?>[] serializers, Object own) {
        RecordAccess made = made(serializers, own);
        return made == null ? RecordAccess.until(() -> made(serializers, own)) : made;
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
