// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Collections;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** A family of classes beside strings: in use as a whole, or off. */
class OtherFamiliesTest extends MadeFamily {

    @Test
    void ofAFamilyThatFitsOurClassesAreInUse() throws Exception {
        assertThat(whose(ours, flink, rows)).isEqualTo("ours, ours");
        assertThat(report(ours, flink, rows)).isEqualTo("\nstrings\ton\t\nrecords\ton\t");
    }

    @Test
    void aClassThatFlinkDoesNotHaveIsNotThere() throws Exception {
        try (URLClassLoader loader = Jars.classPath(ours, flink)) {
            assertThat(constant(loader, "STRINGS")).isTrue();
            assertThat(constant(loader, "RECORDS")).isFalse();
            assertThatThrownBy(() -> Class.forName(ROW, false, loader))
                    .isInstanceOf(ClassNotFoundException.class);
            assertThat(loader.getResource("org/acme/Row.class")).isNull();
        }
        assertThat(report(ours, flink))
                .isEqualTo("\nstrings\ton\t\nrecords\toff\tflink-rows is not on the class path");
        killSwitch.set("flink.boost.strict", "true");
        assertThat(report(ours, flink)).startsWith("\nstrings\ton\t");
    }

    @Test
    void aJavaWithoutHiddenClassesHasStocks() throws Exception {
        Switches strict = Switches.of(Collections.singletonMap(Switches.STRICT, "true"));
        for (String java : new String[] {"9", "11", "15", "16", "17", null}) {
            boolean older = java != null && Integer.parseInt(java) < 16;
            try (URLClassLoader loader = Jars.classPath(ours, flink, rows)) {
                Verdict verdict = VersionGuard.check(loader, java, Switches.none());

                BoostMode mode = BoostMode.of(verdict, strict);
                assertThat(mode.refusal()).isNull();
                assertThat(mode.isMissed()).isFalse();
                assertThat(mode.describe())
                        .contains(": mode on, ")
                        .endsWith(
                                older
                                        ? "; records off, Java "
                                                + java
                                                + " is too old for them, from 16 on they run"
                                        : "; records on");
                assertThat(of(loader, ROW).equals("stock")).isEqualTo(older);
            }
        }
    }

    @Test
    void anotherClassStaysInUseAsAWhole() throws Exception {
        for (String changed : new String[] {ROW, TABLE}) {
            Path other = folder.resolve("flink-other-rows.jar");
            new Jars.Builder()
                    .with(ROW, changed(stock("Row"), changed.equals(ROW)))
                    .with(TABLE, changed(stock("Table"), changed.equals(TABLE)))
                    .writeTo(other);

            assertThat(whose(ours, flink, other)).isEqualTo("stock, stock");
            assertThat(report(ours, flink, other))
                    .isEqualTo(
                            "\nstrings\ton\t\nrecords\tmissed\t"
                                    + other
                                    + " has another "
                                    + changed
                                    + " than Flink 2.3.0, and stays in use");
            assertThat(logged(ours, flink, other))
                    .singleElement()
                    .asString()
                    .startsWith("warn: flink-boost 0.2.0 for Flink 2.3.0: mode on, ")
                    .contains("; records off, " + other + " has another " + changed);
        }
    }

    @Test
    void aCopyBehindTheOneInUseDoesNotMatter() throws Exception {
        Path old =
                new Jars.Builder()
                        .with(ROW, changed(stock("Row"), true))
                        .writeTo(folder.resolve("z-old.jar"));

        assertThat(whose(ours, flink, rows, old)).isEqualTo("ours, ours");
        assertThat(whose(ours, flink, old, rows)).isEqualTo("stock, stock");
    }

    @Test
    void strictRefusesWhereAFamilyDoesNotFit() throws Exception {
        Path other =
                new Jars.Builder()
                        .with(ROW, changed(stock("Row"), true))
                        .with(TABLE, stock("Table"))
                        .writeTo(folder.resolve("flink-other-rows.jar"));

        killSwitch.set("flink.boost.strict", "true");

        assertThat(report(ours, flink, other))
                .startsWith(
                        "flink-boost 0.2.0 for Flink 2.3.0 cannot run its records, and"
                                + " -Dflink.boost.strict=true asks for all: "
                                + other
                                + " has another "
                                + ROW)
                .contains("\nstrings\toff\t\nrecords\tmissed\t" + other + " has another ");
        killSwitch.set("flink.boost.records", "off");
        assertThat(report(ours, flink, other)).startsWith("\nstrings\ton\t");
    }

    @Test
    void ofAFamilyThatIsSwitchedOffStocksClassesAreInUse() throws Exception {
        killSwitch.set("flink.boost.records", "off");

        assertThat(whose(ours, flink, rows)).isEqualTo("stock, stock");
        assertThat(report(ours, flink, rows))
                .endsWith("\nrecords\toff\tswitched off by -Dflink.boost.records=off");
    }

    /** What a family beside strings does with views it does by the code of strings. */
    @Test
    void withoutStringsStocksClassesAreInUse() throws Exception {
        Path front =
                new Jars.Builder()
                        .with(STRING_VALUE, Jars.stock(STRING_VALUE))
                        .writeTo(folder.resolve("a.jar"));
        assertThat(whose(front, ours, flink, rows)).isEqualTo("stock, stock");
        assertThat(report(front, ours, flink, rows))
                .startsWith("\nstrings\tmissed\t" + front + " stands before " + ours)
                .endsWith("\nrecords\toff\tstrings are off");

        killSwitch.set("flink.boost.strings", "off");
        for (Path[] classPath : new Path[][] {{ours, flink, rows}, {front, ours, flink, rows}}) {
            assertThat(whose(classPath)).isEqualTo("stock, stock");
            assertThat(report(classPath))
                    .isEqualTo(
                            "\nstrings\toff\tswitched off by -Dflink.boost.strings=off"
                                    + "\nrecords\toff\tstrings are off");
        }
        killSwitch.set("flink.boost.mode", "off");
        assertThat(whose(ours, flink, rows)).isEqualTo("stock, stock");
        assertThat(report(ours, flink, rows))
                .endsWith("\nrecords\toff\tswitched off by -Dflink.boost.mode=off");
    }

    @Test
    void stocksBodiesRunWhereAClassWasInUseBefore() throws Exception {
        try (URLClassLoader loader = Jars.classPath(ours, flink, rows)) {
            // The classes of Flink that were there first: one of two, so that ours is there, too.
            loader.loadClass(TABLE);

            assertThat(constant(loader, "RECORDS")).isFalse();
            assertThat(constant(loader, "STRINGS")).isTrue();
            assertThat(of(loader, ROW)).isEqualTo("stock");
            assertThat(told(loader))
                    .contains("\nrecords\tmissed\t" + ROW + " was in use before flink-boost was");
        }
    }

    /** The thread that loads Flink's class gets it, and not the error for one defined twice. */
    @Test
    void aClassThatAnotherThreadIsLoadingStaysFlinks() throws Exception {
        try (HeldLoader loader = new HeldLoader(ours, flink, rows)) {
            CompletableFuture<String> first = CompletableFuture.supplyAsync(loader::rowIs);
            Thread guard = new Thread(() -> loader.isOn = loader.constantOf("RECORDS"));
            loader.isHeld.await();
            guard.start();
            loader.goesOnAfter.complete(guard);

            assertThat(first.get()).isEqualTo("stock");
            guard.join();
            assertThat(loader.isOn).isFalse();
            assertThat(told(loader))
                    .contains("\nrecords\tmissed\t" + ROW + " was in use before flink-boost was");
        }
    }

    @Test
    void aFamilyWithoutAWayIntoItsPackageIsOff() throws Exception {
        Path shut = aside().without("org.acme.FlinkBoostDoor").writeTo(folder.resolve("shut.jar"));

        assertThat(whose(shut, flink, rows)).isEqualTo("stock, stock");
        assertThat(report(shut, flink, rows))
                .contains("\nrecords\tmissed\t" + ROW + " cannot be defined (java.lang.ClassNot");
    }

    @Test
    void aNeighbourThatAFamilyNeedsSwitchesThatFamilyOff() throws Exception {
        Path untested = flink("2.3.1");
        assertThat(whose(ours, untested, rows)).isEqualTo("ours, ours");
        Path fitting =
                aside().linkOf("records", FITTING + " getScheme ()Ljava/lang/String;")
                        .writeTo(folder.resolve("fitting.jar"));
        assertThat(whose(fitting, untested, rows)).isEqualTo("ours, ours");
        assertThat(report(fitting, untested, rows)).isEqualTo("\nstrings\ton\t\nrecords\ton\t");
        assertThat(logged(fitting, untested, rows))
                .singleElement()
                .asString()
                .contains("; records on");

        String problem = NEIGHBOUR + " has no method getScheme(I)V";
        Path other = aside().linkOf("records", OTHER).writeTo(folder.resolve("other.jar"));
        assertThat(whose(other, untested, rows)).isEqualTo("stock, stock");
        assertThat(report(other, untested, rows))
                .isEqualTo("\nstrings\ton\t\nrecords\tmissed\t" + problem);
        assertThat(logged(other, untested, rows))
                .singleElement()
                .asString()
                .startsWith("warn: flink-boost 0.2.0 for Flink 2.3.0: mode on")
                .contains("; records off, " + problem);
    }

    /** Of a release that the jar was tested on they are known, as those of strings are. */
    @Test
    void neighboursOfAFamilyAreLookedAtInATestedReleaseOnlyWhenAsked() throws Exception {
        Path tested =
                aside().testedOn("2.3.0")
                        .linkOf("records", OTHER)
                        .writeTo(folder.resolve("tested.jar"));
        assertThat(report(tested, flink, rows)).endsWith("\nrecords\ton\t");

        killSwitch.set(Switches.NEIGHBOURS, "true");
        assertThat(report(tested, flink, rows)).contains("\nrecords\tmissed\t" + NEIGHBOUR);
    }

    @Test
    void whatAnUnknownFamilyNeedsIsDamage() throws Exception {
        Path damaged = aside().linkOf("sheets", OTHER).writeTo(folder.resolve("damaged.jar"));

        assertThat(report(damaged, flink, rows)).contains("'sheets' is no family of classes");
    }

    @Test
    void aJarInFrontLeavesTheOtherFamiliesOn() throws Exception {
        Path inPlace =
                dropIn().with(ROW, woven("Row"))
                        .with(TABLE, woven("Table"))
                        .writeTo(folder.resolve("in-place.jar"));
        Path front =
                new Jars.Builder().with(TABLE, stock("Table")).writeTo(folder.resolve("a.jar"));

        assertThat(whose(inPlace, flink, rows)).isEqualTo("ours, ours");
        assertThat(whose(front, inPlace, flink, rows))
                .isEqualTo("stock's body in ours, stock's body in ours");
        assertThat(report(front, inPlace, flink, rows))
                .isEqualTo(
                        "\nstrings\ton\t\nrecords\tmissed\t"
                                + front
                                + " stands before "
                                + inPlace
                                + " on the class path and its class "
                                + TABLE
                                + " is not patched: take Flink's classes out of "
                                + front);
    }

    @Test
    void aClassInPlaceThatWouldHideAnotherIsRefused() throws Exception {
        Path inPlace =
                dropIn().with(ROW, woven("Row"))
                        .with(TABLE, woven("Table"))
                        .writeTo(folder.resolve("in-place.jar"));
        Path other =
                new Jars.Builder()
                        .with(ROW, changed(stock("Row"), true))
                        .with(TABLE, stock("Table"))
                        .writeTo(folder.resolve("flink-other-rows.jar"));
        try (URLClassLoader loader = Jars.classPath(inPlace, flink, other)) {
            Verdict verdict = VersionGuard.check(loader);

            assertThat(verdict.fits()).isFalse();
            assertThat(verdict.fitsSwitchedOff()).isFalse();
            assertThat(verdict.sentence()).contains("which has another " + ROW);
        }
    }

    @Test
    void theLineOfTheLogTellsEachFamily() throws Exception {
        try (URLClassLoader loader = Jars.classPath(ours, flink, rows)) {
            Verdict fits = VersionGuard.check(loader);
            BoostMode both = BoostMode.of(fits, Switches.none());
            assertThat(both.describe()).endsWith("those of this version; records on");
            assertThat(both.isMissed()).isFalse();

            String check = "-Dflink.boost.records=check";
            BoostMode checked = BoostMode.of(fits, set("records", "check"));
            assertThat(checked.describe()).endsWith("; records on, checked by " + check);

            BoostMode strings = BoostMode.of(fits, off("records"));
            assertThat(strings.describe())
                    .endsWith("; records off, switched off by -Dflink.boost.records=off");
            assertThat(strings.isMissed()).isFalse();

            assertThat(BoostMode.of(fits, off("strings")).describe())
                    .endsWith(
                            ": mode off, switched off by -Dflink.boost.strings=off; records off,"
                                    + " strings are off");
            assertThat(BoostMode.of(fits, off("mode")).describe())
                    .endsWith(": mode off, switched off by -Dflink.boost.mode=off");

            Verdict without = fits.with("records", Verdict.OfFamily.missed("a.jar is in front"));
            BoostMode missed = BoostMode.of(without, Switches.none());
            assertThat(missed.describe()).endsWith("; records off, a.jar is in front");
            assertThat(missed.isMissed()).isTrue();
        }
    }

    private static Switches off(String name) {
        return set(name, "off");
    }

    private static Switches set(String name, String value) {
        return Switches.of(Collections.singletonMap("flink.boost." + name, value));
    }

    /**
     * A thread that loads the class waits half-way until another one waits for it, or has ended.
     */
    private static final class HeldLoader extends URLClassLoader {

        static {
            registerAsParallelCapable();
        }

        final CountDownLatch isHeld = new CountDownLatch(1);
        final CompletableFuture<Thread> goesOnAfter = new CompletableFuture<>();
        volatile Boolean isOn;

        HeldLoader(Path... entries) {
            super(Jars.urls(entries), null);
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.equals(ROW)) {
                isHeld.countDown();
                waitFor(goesOnAfter.join(), Thread.currentThread().getId());
            }
            return super.findClass(name);
        }

        private static void waitFor(Thread other, long holder) {
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            while (other.isAlive()) {
                ThreadInfo seen = threads.getThreadInfo(other.getId());
                if (seen != null && seen.getLockOwnerId() == holder) {
                    return;
                }
                Thread.yield();
            }
        }

        String rowIs() {
            try {
                return of(this, ROW);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }

        boolean constantOf(String name) {
            try {
                return constant(this, name);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
