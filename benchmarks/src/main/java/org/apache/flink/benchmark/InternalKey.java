// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.apache.flink.configuration.Configuration;

/** A key with its own certificate, made for one fork by the JDK's {@code keytool}. */
final class InternalKey implements AutoCloseable {

    private static final String PASSWORD = "benchmark";
    private static final int SECONDS = 60;

    private final Path folder;
    private final Path file;

    private InternalKey(Path folder) {
        this.folder = folder;
        this.file = folder.resolve("internal.keystore");
    }

    /**
     * Makes a key store in a temporary folder.
     *
     * @throws IOException when {@code keytool} fails, with what it says
     */
    static InternalKey create() throws IOException, InterruptedException {
        InternalKey store = new InternalKey(Files.createTempDirectory("flink-benchmark-ssl"));
        File output = store.folder.resolve("keytool.log").toFile();
        Process keytool =
                new ProcessBuilder(
                                List.of(
                                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                                .toString(),
                                        "-genkeypair",
                                        "-alias",
                                        "flink.internal",
                                        "-dname",
                                        "CN=flink.internal",
                                        // Newer lines look at the name of the other end.
                                        "-ext",
                                        "SAN=dns:localhost,ip:127.0.0.1",
                                        "-keyalg",
                                        "RSA",
                                        "-keysize",
                                        "2048",
                                        "-validity",
                                        "2",
                                        "-storetype",
                                        "JKS",
                                        "-keystore",
                                        store.file.toString(),
                                        "-storepass",
                                        PASSWORD,
                                        "-keypass",
                                        PASSWORD))
                        .redirectErrorStream(true)
                        .redirectOutput(output)
                        .start();
        if (!keytool.waitFor(SECONDS, TimeUnit.SECONDS) || keytool.exitValue() != 0) {
            keytool.destroyForcibly();
            throw new IOException("keytool made no key: " + Files.readString(output.toPath()));
        }
        return store;
    }

    /** Encrypts what Flink's processes say to each other, with this key on both ends. */
    void configure(Configuration configuration) {
        configuration.setString("security.ssl.internal.enabled", "true");
        configuration.setString("security.ssl.internal.keystore", file.toString());
        configuration.setString("security.ssl.internal.keystore-password", PASSWORD);
        configuration.setString("security.ssl.internal.key-password", PASSWORD);
        // On a busy machine the default of ten seconds has not been enough.
        configuration.setString("security.ssl.internal.handshake-timeout", "60000");
        configuration.setString("security.ssl.internal.truststore", file.toString());
        configuration.setString("security.ssl.internal.truststore-password", PASSWORD);
    }

    @Override
    public void close() throws IOException {
        try (var files = Files.list(folder)) {
            for (Path each : files.collect(Collectors.toList())) {
                Files.delete(each);
            }
        }
        Files.delete(folder);
    }
}
