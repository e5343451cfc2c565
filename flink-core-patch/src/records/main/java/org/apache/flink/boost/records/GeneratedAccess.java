// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.lang.reflect.Field;
import java.util.concurrent.CompletableFuture;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.boost.records.generation.AccessFactory;
import org.apache.flink.boost.records.shapes.Reason;
import org.apache.flink.boost.records.shapes.RecordShape;
import org.apache.flink.boost.records.shapes.UnsuitableRecordException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The generated class of one shape of records: to come, there, or refused for good. */
final class GeneratedAccess {

    /** For the shapes that are too many. */
    static final GeneratedAccess TOO_MANY = refused(Reason.TOO_MANY_SHAPES);

    private static final Logger LOG = LoggerFactory.getLogger(GeneratedAccess.class);

    /** How stock makes objects; asked for once, on the thread that generates. */
    private static final class Manner {
        static final StockManner OF_STOCK = StockManner.ask();
    }

    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();

    private static GeneratedAccess refused(Reason reason) {
        GeneratedAccess refused = new GeneratedAccess();
        refused.outcome.complete(new Outcome(null, reason));
        return refused;
    }

    /** Generates the class on another thread. */
    void generate(Class<?> type, Field[] fields, TypeSerializer<?>[] serializers) {
        try {
            GenerationThread.run(() -> outcome.complete(generated(type, fields, serializers)));
        } catch (RuntimeException | Error e) {
            LOG.warn("No thread can generate the access to {}.", type.getName(), e);
            outcome.complete(new Outcome(null, Reason.FAILED));
        }
    }

    private static Outcome generated(
            Class<?> type, Field[] fields, TypeSerializer<?>[] serializers) {
        try {
            if (!AccessFactory.isSupported()) {
                return new Outcome(null, Reason.OLD_JDK);
            }
            RecordShape shape = RecordShape.of(type, fields, serializers);
            return new Outcome(AccessFactory.of(shape, Manner.OF_STOCK), null);
        } catch (UnsuitableRecordException e) {
            LOG.info("{}", e.getMessage());
            return new Outcome(null, e.reason());
        } catch (ReflectiveOperationException | RuntimeException | Error e) {
            LOG.warn("The access to {} could not be generated.", type.getName(), e);
            return new Outcome(null, Reason.FAILED);
        }
    }

    /** The access of one serializer: stock's while the class is not there. */
    RecordAccess access(Field[] fields, TypeSerializer<?>[] serializers) {
        Outcome done = outcome.getNow(null);
        if (done == null) {
            return RecordAccess.NOT_YET;
        }
        if (done.factory == null) {
            return RecordAccess.STOCK;
        }
        try {
            return done.factory.access(fields, serializers);
        } catch (ReflectiveOperationException | RuntimeException | Error e) {
            LOG.warn("A generated access could not be made.", e);
            return RecordAccess.STOCK;
        }
    }

    /** Waits for the class. */
    CompletableFuture<Outcome> outcome() {
        return outcome;
    }

    /** A factory, or the reason why there is none. */
    static final class Outcome {

        private final AccessFactory factory;
        private final Reason reason;

        private Outcome(AccessFactory factory, Reason reason) {
            this.factory = factory;
            this.reason = reason;
        }

        /** Null when there is a generated class. */
        Reason reason() {
            return reason;
        }
    }
}
