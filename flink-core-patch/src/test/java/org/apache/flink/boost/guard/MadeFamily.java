// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;

/** Jars with a made family of two classes in a made Flink jar, beside strings. */
abstract class MadeFamily {

    static final String STRING_VALUE = "org.apache.flink.types.StringValue";
    static final String ROW = "org.acme.Row";
    // Its superclass comes behind it by name.
    static final String TABLE = "org.acme.Pages";
    static final String NEIGHBOUR = "org.apache.flink.core.fs.FileSystemFactory";
    static final String FITTING = "org/apache/flink/core/fs/FileSystemFactory method public";
    static final String OTHER = FITTING + " getScheme (I)V";
    static final byte[] WOVEN = {1, 2, 3};

    @TempDir Path folder;

    @RegisterExtension final KillSwitch killSwitch = new KillSwitch();

    Path ours;
    Path flink;
    Path rows;

    @BeforeEach
    void writeJars() throws IOException {
        ours = aside().writeTo(folder.resolve("flink-boost.jar"));
        flink = flink("2.3.0");
        rows =
                new Jars.Builder()
                        .with(ROW, stock("Row"))
                        .with(TABLE, stock("Table"))
                        .writeTo(folder.resolve("flink-rows.jar"));
    }

    Path flink(String version) throws IOException {
        return new Jars.Builder()
                .version(version)
                .with(STRING_VALUE, Jars.stock(STRING_VALUE))
                .with(NEIGHBOUR, Jars.stock(NEIGHBOUR))
                .writeTo(folder.resolve("flink-dist-" + version + ".jar"));
    }

    static Jars.Builder aside() throws IOException {
        return dropIn().aside(ROW, woven("Row"))
                .aside(TABLE, woven("Table"))
                .with("org.acme.FlinkBoostDoor", file("FlinkBoostDoor"));
    }

    static Jars.Builder dropIn() throws IOException {
        return new Jars.Builder()
                .guard()
                .wovenFor("2.3.0")
                .woven(STRING_VALUE, Jars.stock(STRING_VALUE))
                .with(STRING_VALUE, WOVEN)
                .woven(ROW, stock("Row"))
                .family(ROW, "records")
                .flinkJar(ROW, "flink-rows")
                .woven(TABLE, stock("Table"))
                .family(TABLE, "records")
                .flinkJar(TABLE, "flink-rows");
    }

    static byte[] stock(String name) throws IOException {
        return named(file("Stock" + name), "Stock");
    }

    static byte[] woven(String name) throws IOException {
        return named(file("Woven" + name), "Woven");
    }

    static byte[] file(String name) throws IOException {
        try (InputStream in =
                MadeFamily.class.getResourceAsStream("/org/acme/" + name + ".class")) {
            return in.readAllBytes();
        }
    }

    /** With the names that the classes have in the made jars. */
    static byte[] named(byte[] classFile, String prefix) throws IOException {
        byte[] row = Jars.renamed(classFile, "org/acme/" + prefix + "Row", "org/acme/Row");
        return Jars.renamed(row, "org/acme/" + prefix + "Table", "org/acme/Pages");
    }

    /** A class that does the same, with other bytes. */
    static byte[] changed(byte[] classFile, boolean change) throws IOException {
        return change ? Jars.renamed(classFile, "SourceFile", "SourceFild") : classFile;
    }

    static String whose(Path... classPath) throws Exception {
        try (URLClassLoader loader = Jars.classPath(classPath)) {
            constant(loader, "RECORDS");
            return of(loader, ROW) + ", " + of(loader, TABLE);
        }
    }

    static String of(ClassLoader loader, String name) throws Exception {
        Class<?> type = loader.loadClass(name);
        return (String) type.getMethod("whose").invoke(type.getConstructor().newInstance());
    }

    static boolean constant(ClassLoader loader, String name) throws Exception {
        return loader.loadClass(Families.class.getName()).getField(name).getBoolean(null);
    }

    static String report(Path... classPath) throws Exception {
        try (URLClassLoader loader = Jars.classPath(classPath)) {
            return told(loader);
        }
    }

    /** Each call of a logger: the level and what it was told. */
    static List<String> logged(Path... classPath) throws Exception {
        List<String> calls = new ArrayList<>();
        Logger log =
                (Logger)
                        Proxy.newProxyInstance(
                                Logger.class.getClassLoader(),
                                new Class<?>[] {Logger.class},
                                (proxy, method, arguments) -> {
                                    calls.add(method.getName() + ": " + arguments[0]);
                                    return null;
                                });
        try (URLClassLoader loader = Jars.classPath(classPath)) {
            BoostMode mode = BoostMode.of(VersionGuard.check(loader), Switches.none());
            new Announcement(mode).log(log);
        }
        return calls;
    }

    static String told(ClassLoader loader) throws Exception {
        Class<?> mode = loader.loadClass(BoostMode.class.getName());
        return (String) mode.getMethod("report").invoke(null);
    }
}
