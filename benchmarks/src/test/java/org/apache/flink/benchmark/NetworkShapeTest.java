// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Collections;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the shape of a network benchmark says, and the key of an encrypted one. */
class NetworkShapeTest {

    @Test
    void channelsAndTimeoutAreRead() {
        NetworkShape plain = NetworkShape.named("1000,1ms");
        assertThat(plain.channels).isEqualTo(1000);
        assertThat(plain.flushTimeout).isEqualTo(1);
        assertThat(plain.ssl).isFalse();
        assertThat(NetworkShape.named("100,100ms,SSL").ssl).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "100", "100,100", "100,100ms,", "100,100ms,TLS", "-1,100ms"})
    void otherShapesAreRefused(String parameter) {
        assertThatThrownBy(() -> NetworkShape.named(parameter))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'" + parameter + "'");
    }

    @Test
    void theKeyCanBeReadAndIsGoneAfterwards() throws Exception {
        Configuration configuration = new Configuration();
        Path file;
        try (InternalKey key = InternalKey.create()) {
            key.configure(configuration);
            assertThat(configuration.getString("security.ssl.internal.enabled", "false"))
                    .isEqualTo("true");
            file = Path.of(configuration.getString("security.ssl.internal.keystore", ""));
            KeyStore store = KeyStore.getInstance("JKS");
            try (InputStream in = new FileInputStream(file.toFile())) {
                store.load(in, password(configuration));
            }
            assertThat(Collections.list(store.aliases())).hasSize(1);
            assertThat(store.isKeyEntry(store.aliases().nextElement())).isTrue();
            requireWrongPassword(store, file);
        }
        assertThat(Files.exists(file.getParent())).isFalse();
    }

    private static void requireWrongPassword(KeyStore store, Path file) throws IOException {
        try (InputStream in = new FileInputStream(file.toFile())) {
            assertThatThrownBy(() -> store.load(in, "wrong".toCharArray()))
                    .isInstanceOf(IOException.class);
        }
    }

    private static char[] password(Configuration configuration) {
        return configuration.getString("security.ssl.internal.keystore-password", "").toCharArray();
    }
}
