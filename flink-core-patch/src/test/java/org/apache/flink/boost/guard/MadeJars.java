// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** Class paths of made jars: ours for one woven class, and a Flink that has it. */
abstract class MadeJars {

    static final String STRING_VALUE = "org.apache.flink.types.StringValue";
    static final String NESTED = "org.apache.flink.core.fs.FileSystem$WriteMode";
    static final byte[] WOVEN = {1, 2, 3};

    static byte[] stock;
    static byte[] nestedStock;

    @TempDir Path folder;

    @BeforeAll
    static void readStockClasses() throws IOException {
        stock = Jars.stock(STRING_VALUE);
        nestedStock = Jars.stock(NESTED);
    }

    Verdict check(Path... classPath) throws IOException {
        return check(Switches.none(), classPath);
    }

    Verdict check(Switches switches, Path... classPath) throws IOException {
        try (URLClassLoader loader = Jars.classPath(classPath)) {
            return VersionGuard.check(loader, "17", switches);
        }
    }

    Path dropIn(String builtFor) throws IOException {
        return jar("flink-boost-" + builtFor + "-0.2.0.jar", dropInBuilder(builtFor));
    }

    static Jars.Builder dropInBuilder(String builtFor) throws IOException {
        return new Jars.Builder()
                .guard()
                .wovenFor(builtFor)
                .woven(STRING_VALUE, stock)
                .with(STRING_VALUE, WOVEN);
    }

    Path flink(String version, byte[] stringValue) throws IOException {
        return jar(
                "flink-dist-" + version + ".jar",
                new Jars.Builder().version(version).with(STRING_VALUE, stringValue));
    }

    Path jar(String name, Jars.Builder builder) throws IOException {
        return builder.writeTo(folder.resolve(name));
    }
}
