// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard.classpath;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URL;
import java.net.URLConnection;
import java.util.HashMap;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/**
 * Reads what addresses of the class path stand for, and opens each jar once: to open Flink's own
 * takes longer than to read from it, and the JDK's cache would keep it open for good.
 */
public final class OpenJars implements Closeable {

    private static final int BUFFER_SIZE = 8192;

    private final Map<String, JarFile> jars = new HashMap<>();

    /**
     * The content behind an address.
     *
     * @throws FileNotFoundException when there is nothing
     */
    public byte[] read(URL url) throws IOException {
        URLConnection connection = connect(url);
        if (!(connection instanceof JarURLConnection)) {
            return readAll(connection.getInputStream());
        }
        JarFile jar = jar((JarURLConnection) connection);
        JarEntry entry = jar.getJarEntry(((JarURLConnection) connection).getEntryName());
        if (entry == null) {
            throw new FileNotFoundException(url.toExternalForm());
        }
        return readAll(jar.getInputStream(entry));
    }

    /** The manifest of the jar that an address is in; for other addresses, what {@code file} is. */
    public Manifest manifest(URL inJar, URL file) throws IOException {
        URLConnection connection = connect(inJar);
        if (connection instanceof JarURLConnection) {
            return jar((JarURLConnection) connection).getManifest();
        }
        try {
            return new Manifest(new ByteArrayInputStream(read(file)));
        } catch (FileNotFoundException absent) {
            return null;
        }
    }

    private JarFile jar(JarURLConnection connection) throws IOException {
        String key = connection.getJarFileURL().toExternalForm();
        JarFile jar = jars.get(key);
        if (jar == null) {
            jar = connection.getJarFile();
            jars.put(key, jar);
        }
        return jar;
    }

    private static URLConnection connect(URL url) throws IOException {
        URLConnection connection = url.openConnection();
        connection.setUseCaches(false);
        return connection;
    }

    private static byte[] readAll(InputStream content) throws IOException {
        try (InputStream in = content) {
            ByteArrayOutputStream out = new ByteArrayOutputStream(BUFFER_SIZE);
            byte[] buffer = new byte[BUFFER_SIZE];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                out.write(buffer, 0, n);
            }
            return out.toByteArray();
        }
    }

    @Override
    public void close() {
        for (JarFile jar : jars.values()) {
            try {
                jar.close();
            } catch (IOException ignored) {
                // What was read from it stays read: no reason to refuse a Flink that fits.
            }
        }
    }
}
