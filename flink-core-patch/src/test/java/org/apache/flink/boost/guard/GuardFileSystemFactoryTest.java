// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.stream.Stream;
import org.apache.flink.core.fs.UnsupportedFileSystemSchemeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Flink's own file system set-up, with our jar in front of the real flink-core. */
class GuardFileSystemFactoryTest {

    private static final String WOVEN = "org.apache.flink.types.StringValue";

    @TempDir private Path folder;

    @RegisterExtension private final KillSwitch killSwitch = new KillSwitch();

    @Test
    void letsFlinkStartOnTheRightVersion() throws Throwable {
        assertThat(initializeFileSystems(dropIn(Jars.flinkVersion(), Jars.stock(WOVEN))))
                .contains("There is no file system behind the scheme 'flink-boost'");
    }

    @Test
    void letsFlinkStartWhenSwitchedOff() throws Throwable {
        killSwitch.set("off");

        assertThat(initializeFileSystems(dropIn(Jars.flinkVersion(), Jars.stock(WOVEN))))
                .contains("There is no file system behind the scheme 'flink-boost'");
    }

    @Test
    void endsFlinksStartOnAnotherVersion() throws Exception {
        Path dropIn = dropIn("9.9.9", Jars.rebuilt(Jars.stock(WOVEN)));
        String found = Jars.flinkVersion();

        assertThatThrownBy(() -> initializeFileSystems(dropIn))
                .isInstanceOf(InternalError.class)
                .hasMessageContaining("built for Flink 9.9.9 but found Flink " + found)
                .matches(
                        e -> e.getClass().getName().equals(WrongFlinkVersionError.class.getName()));
    }

    @Test
    void endsFlinksStartWhereOneOfTheWovenClassesStandsInFront() throws Throwable {
        String other = "org.apache.flink.core.memory.DataOutputSerializer";
        Path dropIn =
                new Jars.Builder()
                        .guard()
                        .wovenFor(Jars.flinkVersion())
                        .woven(WOVEN, Jars.stock(WOVEN))
                        .woven(other, Jars.stock(other))
                        .with(WOVEN, Jars.stock(WOVEN))
                        .with(other, Jars.stock(other))
                        .writeTo(folder.resolve("flink-boost.jar"));
        Path front =
                new Jars.Builder()
                        .with(other, Jars.stock(other))
                        .writeTo(folder.resolve("aaa-first.jar"));

        assertThatThrownBy(() -> initializeFileSystems(front, dropIn))
                .isInstanceOf(InternalError.class)
                .hasMessageContaining(front + " stands before " + dropIn)
                .hasMessageContaining("its class " + other + " is not patched");
        assertThat(initializeFileSystems(dropIn, front)).contains("There is no file system");
    }

    @Test
    void letsFlinkStartWhereAllOfThemStandInFront() throws Throwable {
        Path dropIn = dropIn(Jars.flinkVersion(), Jars.stock(WOVEN));

        assertThat(initializeFileSystems(Jars.flinkCore(), dropIn))
                .contains("There is no file system behind the scheme 'flink-boost'");
    }

    @Test
    void endsFlinksStartOnAnUnknownMode() throws Exception {
        Path dropIn = dropIn(Jars.flinkVersion(), Jars.stock(WOVEN));
        killSwitch.set("nonsense");

        assertThatThrownBy(() -> initializeFileSystems(dropIn))
                .isInstanceOf(InternalError.class)
                .hasMessageContaining("-Dflink.boost.mode=nonsense is neither 'on' nor 'off'");
    }

    @Test
    void offersNoFileSystem() {
        GuardFileSystemFactory factory = new GuardFileSystemFactory();

        assertThat(factory.getScheme()).isEqualTo("flink-boost");
        assertThatThrownBy(() -> factory.create(URI.create("flink-boost://somewhere/file")))
                .isInstanceOf(UnsupportedFileSystemSchemeException.class)
                .hasMessageContaining("flink-boost://somewhere/file");
    }

    /** A drop-in jar with the stock class in the place of the woven one. */
    private Path dropIn(String builtFor, byte[] wovenFrom) throws IOException {
        return new Jars.Builder()
                .guard()
                .wovenFor(builtFor)
                .woven(WOVEN, wovenFrom)
                .with(WOVEN, Jars.stock(WOVEN))
                .writeTo(folder.resolve("flink-boost.jar"));
    }

    /**
     * Calls what every Flink entry point calls, in a class loader of its own, then asks for a file
     * system with our scheme and returns the message of the refusal: proof that our service was
     * among those that Flink loaded.
     */
    private static String initializeFileSystems(Path... inFront) throws Throwable {
        Path[] libraries =
                Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                        .filter(entry -> entry.endsWith(".jar"))
                        .map(Paths::get)
                        .toArray(Path[]::new);
        Path[] classPath =
                Stream.concat(Stream.of(inFront), Stream.of(libraries)).toArray(Path[]::new);
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        try (URLClassLoader loader = Jars.classPath(classPath)) {
            Thread.currentThread().setContextClassLoader(loader);
            Class<?> fileSystem = loader.loadClass("org.apache.flink.core.fs.FileSystem");
            Class<?> configuration =
                    loader.loadClass("org.apache.flink.configuration.Configuration");
            Class<?> plugins = loader.loadClass("org.apache.flink.core.plugin.PluginManager");
            fileSystem
                    .getMethod("initialize", configuration, plugins)
                    .invoke(null, configuration.getConstructor().newInstance(), null);
            return refusal(fileSystem);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    private static String refusal(Class<?> fileSystem) throws ReflectiveOperationException {
        try {
            fileSystem
                    .getMethod("getUnguardedFileSystem", URI.class)
                    .invoke(null, URI.create("flink-boost://nowhere/"));
            return "none";
        } catch (InvocationTargetException e) {
            return e.getCause().getMessage();
        }
    }
}
