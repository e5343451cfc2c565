// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.net.URLConnection;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Paths;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;

/** One jar or folder of the class path, known through a resource that was found in it. */
final class ClassPathEntry {

    private static final int BUFFER_SIZE = 8192;

    private final String base;
    private final URL resource;

    private ClassPathEntry(String base, URL resource) {
        this.base = base;
        this.resource = resource;
    }

    /**
     * All entries that hold the resource, in class path order.
     *
     * <p>A class loader reports an entry twice when its parent has it too; here it counts once.
     */
    static List<ClassPathEntry> holding(String resourceName, ClassLoader loader)
            throws IOException {
        Map<String, ClassPathEntry> entries = new LinkedHashMap<>();
        for (URL url : Collections.list(loader.getResources(resourceName))) {
            String text = url.toExternalForm();
            String base =
                    text.endsWith(resourceName)
                            ? text.substring(0, text.length() - resourceName.length())
                            : text;
            if (!entries.containsKey(base)) {
                entries.put(base, new ClassPathEntry(base, url));
            }
        }
        return new ArrayList<>(entries.values());
    }

    boolean isSameAs(ClassPathEntry other) {
        return base.equals(other.base);
    }

    /** SHA-256, in lower-case hex, of the resource through which this entry was found. */
    String sha256() throws IOException {
        byte[] digest = newSha256().digest(read(resource));
        StringBuilder hex = new StringBuilder(2 * digest.length);
        for (byte b : digest) {
            hex.append(Character.forDigit((b >> 4) & 0xF, 16))
                    .append(Character.forDigit(b & 0xF, 16));
        }
        return hex.toString();
    }

    /** The content of another resource of the same entry, or null when it is not there. */
    byte[] find(String resourceName) throws IOException {
        try {
            return read(new URL(base + resourceName));
        } catch (FileNotFoundException absent) {
            return null;
        }
    }

    /** {@code Implementation-Version} of the manifest, or null when it names none. */
    String implementationVersion() throws IOException {
        Manifest manifest = manifest();
        if (manifest == null) {
            return null;
        }
        String version =
                manifest.getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION);
        return version == null || version.trim().isEmpty() ? null : version.trim();
    }

    private Manifest manifest() throws IOException {
        URLConnection connection = open(resource);
        if (connection instanceof JarURLConnection) {
            try (JarFile jar = ((JarURLConnection) connection).getJarFile()) {
                return jar.getManifest();
            }
        }
        byte[] content = find(JarFile.MANIFEST_NAME);
        return content == null ? null : new Manifest(new ByteArrayInputStream(content));
    }

    /** The path of the jar or folder, for people. */
    @Override
    public String toString() {
        String text = base.startsWith("jar:") ? base.substring("jar:".length()) : base;
        text = text.endsWith("!/") ? text.substring(0, text.length() - "!/".length()) : text;
        try {
            return Paths.get(new URI(text)).toString();
        } catch (URISyntaxException | IllegalArgumentException | FileSystemNotFoundException e) {
            return text;
        }
    }

    /** The content behind an address. */
    static byte[] read(URL url) throws IOException {
        try (InputStream in = open(url).getInputStream()) {
            ByteArrayOutputStream out = new ByteArrayOutputStream(BUFFER_SIZE);
            byte[] buffer = new byte[BUFFER_SIZE];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                out.write(buffer, 0, n);
            }
            return out.toByteArray();
        }
    }

    private static URLConnection open(URL url) throws IOException {
        URLConnection connection = url.openConnection();
        // A cached JarFile would stay open for the life of the process.
        connection.setUseCaches(false);
        return connection;
    }

    private static MessageDigest newSha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }
}
