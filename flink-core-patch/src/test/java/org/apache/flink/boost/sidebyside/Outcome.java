// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;
import org.apache.flink.boost.strings.Wire;

/**
 * How an operation ended: what was read, what was thrown, where the input is afterwards and what
 * has reached the output. Two outcomes are equal when nobody who uses Flink could tell them apart.
 */
public final class Outcome {

    /** Something to do on a codec; gives the string that was read, if any. */
    public interface Action {
        String on(Codec codec) throws IOException;
    }

    /** The string that was read. */
    public final String value;

    /** Class name of what was thrown; null when nothing was. */
    public final String exception;

    /** Its message where Flink's own code threw it on this side, otherwise null. */
    public final String message;

    /** Position of the input afterwards. */
    public final int position;

    private final byte[] written;

    private Outcome(String value, String exception, String message, int position, byte[] written) {
        this.value = value;
        this.exception = exception;
        this.message = message;
        this.position = position;
        this.written = written;
    }

    /** Does an operation on the open input and output. */
    public static Outcome of(Codec codec, Operation operation) {
        return of(codec, operation::on);
    }

    /** Does something on the open input and output. */
    public static Outcome of(Codec codec, Action action) {
        String value = null;
        Throwable thrown = null;
        try {
            value = action.on(codec);
        } catch (IOException | RuntimeException | OutOfMemoryError e) {
            thrown = e;
        }
        return new Outcome(
                value,
                thrown == null ? null : thrown.getClass().getName(),
                thrown == null ? null : ownMessage(thrown),
                codec.position(),
                written(codec));
    }

    /** Whether it ran out of memory. */
    public boolean isOutOfMemory() {
        return OutOfMemoryError.class.getName().equals(exception);
    }

    /**
     * The message of an exception that Flink threw. Those of the JDK depend on how it was called,
     * and one that our code throws in Flink's place has to carry Flink's words. Those that the JVM
     * makes for null and for array indices are left out once a throw is compiled ({@code
     * OmitStackTraceInFastThrow}).
     */
    private static String ownMessage(Throwable thrown) {
        if (thrown.getMessage() == null || isOfJvm(thrown)) {
            return null;
        }
        StackTraceElement[] trace = thrown.getStackTrace();
        boolean own = trace.length > 0 && trace[0].getClassName().startsWith("org.apache.flink.");
        return own ? thrown.getMessage() : null;
    }

    private static boolean isOfJvm(Throwable thrown) {
        return thrown instanceof ArrayIndexOutOfBoundsException
                || thrown instanceof NullPointerException
                        && thrown.getMessage().startsWith("Cannot ");
    }

    private static byte[] written(Codec codec) {
        return Arrays.copyOf(codec.written(), codec.writtenLength());
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Outcome)) {
            return false;
        }
        Outcome that = (Outcome) other;
        return Objects.equals(value, that.value)
                && Objects.equals(exception, that.exception)
                && Objects.equals(message, that.message)
                && position == that.position
                && Arrays.equals(written, that.written);
    }

    @Override
    public int hashCode() {
        return Objects.hash(value, exception, message, position, Arrays.hashCode(written));
    }

    @Override
    public String toString() {
        return (exception == null ? "read \"" + value + '"' : "threw " + exception)
                + (message == null ? "" : " (" + message + ")")
                + ", position "
                + position
                + (written.length == 0 ? "" : ", written " + Wire.hex(written));
    }
}
