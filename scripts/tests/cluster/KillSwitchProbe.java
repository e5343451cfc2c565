// SPDX-License-Identifier: Apache-2.0

import java.util.TreeSet;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.core.memory.DataOutputSerializer;
import org.apache.flink.types.StringValue;

/**
 * Prints whether our code is switched on, the bytes of one string, and the methods that are on the
 * stack while strings are written.
 */
final class KillSwitchProbe {

    private static final int SAMPLES = 200;

    public static void main(String[] arguments) throws Exception {
        DataOutputSerializer out = new DataOutputSerializer(64);
        StringValue.writeString("flink", out);
        StringBuilder bytes = new StringBuilder();
        for (byte b : out.getCopyOfBuffer()) {
            bytes.append(String.format("%02x", b));
        }
        System.out.println("enabled=" + BoostMode.ENABLED);
        System.out.println("reason=" + BoostMode.reason());
        System.out.println("bytes=" + bytes);
        System.out.println("stack=" + methodsWhileWriting());
    }

    private static TreeSet<String> methodsWhileWriting() throws InterruptedException {
        Thread writer = new Thread(KillSwitchProbe::writeForEver, "writer");
        writer.setDaemon(true);
        writer.start();
        TreeSet<String> methods = new TreeSet<>();
        for (int samples = 0; samples < SAMPLES; Thread.sleep(1)) {
            for (StackTraceElement frame : writer.getStackTrace()) {
                if (frame.getMethodName().startsWith("writeString")) {
                    samples++;
                }
                methods.add(frame.getClassName() + "." + frame.getMethodName());
            }
        }
        return methods;
    }

    private static void writeForEver() {
        // Letters of two bytes each keep the writer in a loop of Java code, where samples find it.
        String text = "Ж".repeat(10_000);
        DataOutputSerializer out = new DataOutputSerializer(64);
        try {
            while (true) {
                StringValue.writeString(text, out);
                out.clear();
            }
        } catch (java.io.IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
