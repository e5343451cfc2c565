// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.CodeSource;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.ServiceLoader;
import org.apache.flink.boost.guard.BoostMode;
import org.apache.flink.boost.guard.GuardFileSystemFactory;
import org.apache.flink.boost.guard.Verdict;
import org.apache.flink.boost.guard.VersionGuard;
import org.apache.flink.boost.jdk.StringAccess;
import org.apache.flink.boost.sidebyside.Sides;
import org.apache.flink.core.fs.FileSystemFactory;

/**
 * What one JVM with the class path of an installation sees, written down as properties: {@code
 * flink-boost verify} starts it and judges. Arguments: the file to write, the number of strings, of
 * which {@link Corpus#COMPLETE} have every code unit in every place.
 *
 * <p>The class path is the installation's own, with this program behind it; the system property
 * {@code stock.jars} names the jars with stock's classes, which get a loader of their own.
 */
public final class InstallationCheck {

    private static final String RECORD = "META-INF/flink-boost/weave.properties";
    private static final String CLASS_PREFIX = "class.";

    /** Stock's body of a replaced method, as the weaver names it. */
    private static final String STOCK_SUFFIX = "$flinkBoostStock";

    private static final String OUR_PACKAGES = "org.apache.flink.boost.";

    private final Properties seen = new Properties();
    private final ClassLoader loader = InstallationCheck.class.getClassLoader();

    private InstallationCheck() {}

    public static void main(String[] arguments) {
        int code = 1;
        try {
            observe(Path.of(arguments[0]), Long.parseLong(arguments[1]));
            code = 0;
        } catch (IOException | InterruptedException | RuntimeException | LinkageError e) {
            e.printStackTrace();
        }
        System.out.flush();
        System.err.flush();
        // A thread of an agent's would let it run on.
        Runtime.getRuntime().halt(code);
    }

    private static void observe(Path file, long strings) throws IOException, InterruptedException {
        InstallationCheck check = new InstallationCheck();
        check.describe();
        check.locateClasses();
        if (check.runsOrIsSwitchedOff()) {
            check.compareStrings(strings);
        } else {
            check.compareNothing();
        }
        try (OutputStream out = Files.newOutputStream(file)) {
            check.seen.storeToXML(out, null);
        }
    }

    private void describe() {
        Verdict verdict = VersionGuard.verdict();
        put("jdk", Runtime.version());
        put("jar", origin(BoostMode.class));
        put("boost.version", verdict.boostVersion());
        put("flink.version", verdict.flinkVersion());
        put("fits", verdict.fits());
        put("fits.switched.off", verdict.fitsSwitchedOff());
        put("fits.sentence", verdict.sentence());
        put("mode", System.getProperty(BoostMode.PROPERTY, ""));
        put("mode.strings", System.getProperty("flink.boost.strings", ""));
        put("report", report());
        put("enabled", BoostMode.ENABLED);
        put("reason", BoostMode.reason());
        put("access", StringAccess.describe());
        put("guard", hasGuard());
    }

    /** What was decided for each family; nothing where the jar is of a flink-boost without any. */
    private static String report() {
        try {
            return BoostMode.report();
        } catch (NoSuchMethodError e) {
            return "";
        }
    }

    /** Whether Flink's own look-up of file systems will come across the guard. */
    private boolean hasGuard() {
        for (FileSystemFactory factory : ServiceLoader.load(FileSystemFactory.class, loader)) {
            if (factory instanceof GuardFileSystemFactory) {
                return true;
            }
        }
        return false;
    }

    /** Where each woven class comes from on both sides, and whether stock's is what was woven. */
    private void locateClasses() throws IOException {
        Properties record = new Properties();
        try (InputStream in = loader.getResourceAsStream(RECORD)) {
            record.load(in);
        }
        for (String key : record.stringPropertyNames()) {
            if (key.startsWith(CLASS_PREFIX)) {
                String name = key.substring(CLASS_PREFIX.length());
                String family = record.getProperty("family." + name, "strings");
                put("family." + name, family);
                if (!family.equals("strings") && !isThere(name)) {
                    continue;
                }
                Class<?> stock = Sides.stockType(name);
                put("patched." + name, origin(load(name)));
                put("woven." + name, isWoven(load(name)));
                put("stock." + name, origin(stock));
                List<String> known = Arrays.asList(record.getProperty(key).trim().split(" +"));
                put("intact." + name, known.contains(sha256(stock)));
            }
        }
    }

    /**
     * Whether a class has what only ours has. An agent hands a JVM other bytes than are in the jar
     * that it still names, and so does an archive of classes.
     */
    private static boolean isWoven(Class<?> type) {
        for (Method method : type.getDeclaredMethods()) {
            if (method.getName().endsWith(STOCK_SUFFIX)) {
                return true;
            }
        }
        for (Class<?> ours : type.getInterfaces()) {
            if (ours.getName().startsWith(OUR_PACKAGES)) {
                return true;
            }
        }
        return false;
    }

    /**
     * Where our code stays off unasked, stock's would be compared with stock's; where the guard
     * refuses the woven classes, they refuse to be used.
     */
    private boolean runsOrIsSwitchedOff() {
        boolean off =
                "off".equals(System.getProperty(BoostMode.PROPERTY))
                        || "off".equals(System.getProperty("flink.boost.strings"));
        return BoostMode.ENABLED || (off && VersionGuard.verdict().fitsSwitchedOff());
    }

    /** Where a family's jar of Flink is not there, neither side has its classes. */
    private boolean isThere(String name) {
        return loader.getResource(name.replace('.', '/') + ".class") != null;
    }

    private void compareNothing() {
        put("strings", 0);
        put("seconds", 0.0);
        put("mismatch", "");
    }

    private void compareStrings(long count) throws InterruptedException {
        long start = System.nanoTime();
        int threads = Runtime.getRuntime().availableProcessors();
        SoakRun run =
                new SoakRun(
                        Corpus::at,
                        "the corpus",
                        0,
                        count,
                        () -> new Comparison(Sides.patched(), Sides.stock()));
        run.start(threads);
        String failure;
        try {
            run.join(Long.MAX_VALUE / 2_000_000);
            failure = run.failure();
        } catch (IllegalStateException e) {
            // A class that is missing or cannot be linked is a fault of the jar, too.
            Throwable cause = e;
            while (cause.getCause() != null) {
                cause = cause.getCause();
            }
            failure = "the comparison broke off with " + cause;
        }
        put("strings", run.done());
        put("seconds", (System.nanoTime() - start) / 1_000_000 / 1000.0);
        put("mismatch", failure == null ? "" : failure);
    }

    private Class<?> load(String name) {
        try {
            return Class.forName(name, false, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalStateException(name + " is listed as woven but is not there", e);
        }
    }

    private void put(String key, Object value) {
        seen.setProperty(key, value.toString());
    }

    private static String origin(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return source == null
                ? ""
                : Path.of(URI.create(source.getLocation().toString())).toString();
    }

    private static String sha256(Class<?> type) throws IOException {
        String file = type.getName().replace('.', '/') + ".class";
        try (InputStream in = type.getClassLoader().getResourceAsStream(file)) {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(in.readAllBytes());
            StringBuilder hex = new StringBuilder();
            for (byte b : digest) {
                hex.append(String.format("%02x", b));
            }
            return hex.toString();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
