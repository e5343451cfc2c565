// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.net.URLStreamHandler;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarFile;
import org.apache.flink.boost.guard.classpath.OpenJars;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jars that do not close, as on a network drive that went away: what was read stays read. */
class OpenJarsTest {

    private static final String FILE = "file";

    @TempDir private Path folder;

    private final List<String> opened = new ArrayList<>();
    private final List<String> closed = new ArrayList<>();

    @Test
    void closesEveryJarOnceThoughNoneOfThemManagesTo() throws IOException {
        URL first = file("first");
        URL second = file("second");
        OpenJars jars = new OpenJars();

        assertThat(jars.read(first)).isEqualTo("first".getBytes(StandardCharsets.UTF_8));
        assertThat(jars.read(second)).isEqualTo("second".getBytes(StandardCharsets.UTF_8));
        assertThat(jars.read(first)).isEqualTo("first".getBytes(StandardCharsets.UTF_8));
        jars.close();

        assertThat(opened).containsExactly("first.jar", "second.jar");
        assertThat(closed).containsExactlyInAnyOrder("first.jar", "second.jar");
    }

    private URL file(String content) throws IOException {
        Path jar = folder.resolve(content + ".jar");
        new Jars.Builder().withText(FILE, content).writeTo(jar);
        return new URL(null, "jar:" + jar.toUri() + "!/" + FILE, new NeverClosing(jar));
    }

    /** Opens one jar, whose {@code close} fails after it has closed. */
    private final class NeverClosing extends URLStreamHandler {

        private final Path jar;

        private NeverClosing(Path jar) {
            this.jar = jar;
        }

        @Override
        protected URLConnection openConnection(URL url) throws IOException {
            String name = jar.getFileName().toString();
            return new JarURLConnection(url) {
                @Override
                public JarFile getJarFile() throws IOException {
                    opened.add(name);
                    return new JarFile(jar.toFile()) {
                        @Override
                        public void close() throws IOException {
                            super.close();
                            closed.add(name);
                            throw new IOException("the drive went away");
                        }
                    };
                }

                @Override
                public void connect() {
                    connected = true;
                }
            };
        }
    }
}
