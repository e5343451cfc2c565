// SPDX-License-Identifier: Apache-2.0
import java.lang.instrument.ClassFileTransformer;
import java.lang.instrument.Instrumentation;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.ProtectionDomain;
import java.util.concurrent.locks.LockSupport;

/**
 * An agent that listens on a port, if its argument is a number, and writes a file, if it is {@code
 * file=} and a name. If it is {@code stay}, it uses a class of Flink's and has a thread that does
 * not end. Else it hands back the class file that its argument names as that of {@code DataOutputSerializer}, whatever jar it comes from. It
 * prints what it sees.
 */
public final class TestAgent {

    private static final String CLASS = "org/apache/flink/core/memory/DataOutputSerializer";

    public static void premain(String argument, Instrumentation jvm) throws Exception {
        if (argument.matches("\\d+")) {
            new ServerSocket(Integer.parseInt(argument));
            return;
        }
        if (argument.startsWith("file=")) {
            Files.writeString(Path.of(argument.substring(5)), "written");
            return;
        }
        if (argument.equals("stay")) {
            Class.forName("org.slf4j.LoggerFactory");
            new Thread(() -> LockSupport.parkNanos(Long.MAX_VALUE)).start();
            return;
        }
        byte[] stock = Files.readAllBytes(Path.of(argument));
        jvm.addTransformer(
                new ClassFileTransformer() {
                    @Override
                    public byte[] transform(
                            ClassLoader loader,
                            String name,
                            Class<?> type,
                            ProtectionDomain domain,
                            byte[] classFile) {
                        System.out.println("agent sees " + name);
                        return CLASS.equals(name) ? stock : null;
                    }
                });
    }
}
