// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.core.memory.DataInputDeserializer;
import org.apache.flink.core.memory.DataOutputSerializer;

/**
 * How this Flink's {@code PojoSerializer} makes an object. Releases differ in what is thrown where
 * a constructor fails, and in whether the fields are initialised before a record is read; so stock
 * is asked, with a class of ours that can fail.
 */
public final class StockManner {

    private static final String MESSAGE = "Cannot instantiate class.";

    private final boolean initialises;
    private final Wrapping copy;
    private final Wrapping read;

    private StockManner(boolean initialises, Wrapping copy, Wrapping read) {
        this.initialises = initialises;
        this.copy = copy;
        this.read = read;
    }

    /**
     * Asks the Flink that we run in.
     *
     * @throws IllegalStateException when stock does what no release does
     */
    public static StockManner ask() {
        TypeSerializer<StockProbe> serializer =
                TypeInformation.of(StockProbe.class).createSerializer(new SerializerConfigImpl());
        StockProbe record = new StockProbe();
        try {
            DataOutputSerializer out = new DataOutputSerializer(16);
            serializer.serialize(record, out);
            byte[] bytes = out.getCopyOfBuffer();
            int before = StockProbe.nestedMade();
            serializer.deserialize(new DataInputDeserializer(bytes));
            boolean initialises = StockProbe.nestedMade() != before;
            return new StockManner(
                    initialises,
                    Wrapping.of(() -> serializer.copy(record)),
                    Wrapping.of(() -> serializer.deserialize(new DataInputDeserializer(bytes))));
        } catch (IOException e) {
            throw new IllegalStateException("Stock cannot write a record of null.", e);
        }
    }

    /** Whether a new object's fields are set, before those that were read are. */
    public boolean initialises() {
        return initialises;
    }

    RuntimeException failedCopy(Throwable thrown) {
        return copy.wrap(thrown);
    }

    RuntimeException failedRead(Throwable thrown) {
        return read.wrap(thrown);
    }

    RuntimeException notInitialised(Exception thrown) {
        return new RuntimeException(MESSAGE, thrown);
    }

    /** Something of stock's that makes a {@link StockProbe}. */
    private interface Making {
        Object make() throws IOException;
    }

    /** The exceptions that stand around the one of a constructor. */
    private static final class Wrapping {

        private final Layers ofExceptions;
        private final Layers ofErrors;

        private Wrapping(Layers ofExceptions, Layers ofErrors) {
            this.ofExceptions = ofExceptions;
            this.ofErrors = ofErrors;
        }

        static Wrapping of(Making making) {
            return new Wrapping(
                    Layers.around(new StockProbe.ProbeException(), making),
                    Layers.around(new StockProbe.ProbeError(), making));
        }

        RuntimeException wrap(Throwable thrown) {
            return (thrown instanceof Exception ? ofExceptions : ofErrors).around(thrown);
        }
    }

    /** A number of runtime exceptions, and perhaps reflection's innermost. */
    private static final class Layers {

        private final int outer;
        private final boolean reflective;

        private Layers(int outer, boolean reflective) {
            this.outer = outer;
            this.reflective = reflective;
        }

        static Layers around(Throwable thrown, Making making) {
            StockProbe.failWith(thrown);
            try {
                making.make();
            } catch (Throwable e) {
                return read(e, thrown);
            } finally {
                StockProbe.failWith(null);
            }
            throw new IllegalStateException("Stock makes no object where we expect one.");
        }

        private static Layers read(Throwable outermost, Throwable thrown) {
            int outer = 0;
            Throwable layer = outermost;
            while (layer.getClass() == RuntimeException.class
                    && MESSAGE.equals(layer.getMessage())) {
                outer++;
                layer = layer.getCause();
            }
            boolean reflective = layer.getClass() == InvocationTargetException.class;
            if ((reflective ? layer.getCause() : layer) != thrown) {
                throw new IllegalStateException("Stock wraps in an unknown way.", outermost);
            }
            return new Layers(outer, reflective);
        }

        RuntimeException around(Throwable thrown) {
            Throwable layer = reflective ? new InvocationTargetException(thrown) : thrown;
            for (int i = 0; i < outer; i++) {
                layer = new RuntimeException(MESSAGE, layer);
            }
            return StockManner.<RuntimeException>unchecked(layer);
        }
    }

    /** Throws what is no runtime exception as it is: {@code Class.newInstance} does so, too. */
    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException unchecked(Throwable layer) throws E {
        if (layer instanceof RuntimeException) {
            return (RuntimeException) layer;
        }
        throw (E) layer;
    }
}
