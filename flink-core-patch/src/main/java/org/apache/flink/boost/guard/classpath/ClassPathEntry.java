// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard.classpath;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URI;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Files;
import java.nio.file.Path;
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
public final class ClassPathEntry {

    private final String base;
    private final URL resource;
    private final OpenJars jars;

    private ClassPathEntry(String base, URL resource, OpenJars jars) {
        this.base = base;
        this.resource = resource;
        this.jars = jars;
    }

    /**
     * All entries that hold the resource, in class path order.
     *
     * <p>A class loader reports an entry twice when its parent has it too; here it counts once.
     */
    public static List<ClassPathEntry> holding(
            String resourceName, ClassLoader loader, OpenJars jars) throws IOException {
        Map<String, ClassPathEntry> entries = new LinkedHashMap<>();
        for (URL url : Collections.list(loader.getResources(resourceName))) {
            String text = url.toExternalForm();
            String base =
                    text.endsWith(resourceName)
                            ? text.substring(0, text.length() - resourceName.length())
                            : text;
            if (!entries.containsKey(base)) {
                entries.put(base, new ClassPathEntry(base, url, jars));
            }
        }
        return new ArrayList<>(entries.values());
    }

    public boolean isSameAs(ClassPathEntry other) {
        return base.equals(other.base);
    }

    /** SHA-256, in lower-case hex, of the resource through which this entry was found. */
    public String sha256() throws IOException {
        byte[] digest = newSha256().digest(jars.read(resource));
        StringBuilder hex = new StringBuilder(2 * digest.length);
        for (byte b : digest) {
            hex.append(Character.forDigit((b >> 4) & 0xF, 16))
                    .append(Character.forDigit(b & 0xF, 16));
        }
        return hex.toString();
    }

    /** The content of another resource of the same entry, or null when it is not there. */
    public byte[] find(String resourceName) throws IOException {
        try {
            return jars.read(beside(resourceName));
        } catch (FileNotFoundException absent) {
            return null;
        }
    }

    /** An address of a class loader's own kind says nothing without what reads it. */
    private URL beside(String resourceName) throws MalformedURLException {
        return new URL(resource, base + resourceName);
    }

    /** {@code Implementation-Version} of the manifest, or null when it names none. */
    public String implementationVersion() throws IOException {
        Manifest manifest = jars.manifest(resource, beside(JarFile.MANIFEST_NAME));
        if (manifest == null) {
            return null;
        }
        String version =
                manifest.getMainAttributes().getValue(Attributes.Name.IMPLEMENTATION_VERSION);
        return version == null || version.trim().isEmpty() ? null : version.trim();
    }

    /**
     * False when that is the place of another file. Addresses of other kinds say nothing: a class
     * loader of its own kind may have others for a class and for its file.
     */
    public boolean mayBeAt(URL location) {
        Path here = path(base);
        Path there = path(location.toExternalForm());
        if (here == null || there == null || here.equals(there)) {
            return true;
        }
        try {
            return Files.isSameFile(here, there);
        } catch (IOException absent) {
            return false;
        }
    }

    /** The path of the jar or folder, for people. */
    @Override
    public String toString() {
        return shown(base);
    }

    /** The path behind the address of a jar or folder where it is one, else the address. */
    public static String shown(String address) {
        Path path = path(address);
        return path == null ? address : path.toString();
    }

    private static Path path(String address) {
        String text = address.startsWith("jar:") ? address.substring("jar:".length()) : address;
        text = text.endsWith("!/") ? text.substring(0, text.length() - "!/".length()) : text;
        try {
            return Paths.get(new URI(text));
        } catch (URISyntaxException | IllegalArgumentException | FileSystemNotFoundException e) {
            return null;
        }
    }

    private static MessageDigest newSha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256.", e);
        }
    }
}
