// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Properties;
import org.apache.flink.boost.guard.classpath.WeaveRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The kill switch: what its values mean, and that it never overrules the version guard. */
class BoostModeTest {

    private static final Verdict FITS = Verdict.fits(record(), "these are its classes");
    private static final Verdict WRONG = Verdict.refused("this is another Flink");

    @TempDir private Path folder;

    @RegisterExtension private final KillSwitch killSwitch = new KillSwitch();

    @Test
    void isOnByDefaultAndWhenTold() {
        for (String value : new String[] {null, "on"}) {
            BoostMode mode = BoostMode.of(FITS, mode(value));

            assertThat(mode.runs("strings")).isTrue();
            assertThat(mode.refusal()).isNull();
            assertThat(mode.describe())
                    .isEqualTo("flink-boost 7 for Flink 8: mode on, these are its classes");
        }
    }

    @Test
    void isOffWhenTold() {
        BoostMode mode = BoostMode.of(FITS, mode("off"));

        assertThat(mode.runs("strings")).isFalse();
        assertThat(mode.refusal()).isNull();
        assertThat(mode.describe()).endsWith("mode off, switched off by -Dflink.boost.mode=off");
    }

    @ParameterizedTest
    @ValueSource(strings = {"of", "OFF", "", " off", "false", "no"})
    void refusesAValueThatMeansNothing(String value) {
        BoostMode mode = BoostMode.of(FITS, mode(value));

        assertThat(mode.runs("strings")).isFalse();
        assertThat(mode.refusal())
                .isInstanceOf(UnknownModeError.class)
                .hasMessage(
                        "-Dflink.boost.mode="
                                + value
                                + " is neither 'on' nor 'off': correct it in Flink's JVM options,"
                                + " or remove it to leave flink-boost on.");
    }

    @ParameterizedTest
    @ValueSource(strings = {"on", "off", "nonsense"})
    void theSwitchDoesNotOverruleAWrongVersion(String value) {
        BoostMode mode = BoostMode.of(WRONG, mode(value));

        assertThat(mode.runs("strings")).isFalse();
        assertThat(mode.refusal())
                .isInstanceOf(WrongFlinkVersionError.class)
                .hasMessage("this is another Flink");
    }

    @Test
    void isOffAndMissedWhereAllWovenClassesAreStocks() {
        Verdict unused = Verdict.unused(record(), "another jar stands before ours");

        BoostMode mode = BoostMode.of(unused, mode(null));

        assertThat(mode.runs("strings")).isFalse();
        assertThat(mode.refusal()).isNull();
        assertThat(mode.describe())
                .isEqualTo("flink-boost 7 for Flink 8: mode off, another jar stands before ours");
        assertThat(mode.isMissed()).isTrue();
    }

    @Test
    void isRefusedWhereSomeWovenClassesAreStocksUnlessSwitchedOff() {
        Verdict partly = Verdict.partlyInUse(record(), "another jar has some of them");

        for (String value : new String[] {null, "on", "nonsense"}) {
            assertThat(BoostMode.of(partly, mode(value)).refusal())
                    .isInstanceOf(WrongFlinkVersionError.class)
                    .hasMessage("another jar has some of them");
        }
        BoostMode off = BoostMode.of(partly, mode("off"));
        assertThat(off.refusal()).isNull();
        assertThat(off.runs("strings")).isFalse();
        assertThat(off.isMissed()).isFalse();
        assertThat(off.describe()).endsWith("mode off, switched off by -Dflink.boost.mode=off");
    }

    @Test
    void isNotMissedWhereItIsOnOrSwitchedOffOrRefused() {
        assertThat(BoostMode.of(FITS, mode(null)).isMissed()).isFalse();
        assertThat(BoostMode.of(FITS, mode("off")).isMissed()).isFalse();
        assertThat(BoostMode.of(WRONG, mode(null)).isMissed()).isFalse();
        assertThat(BoostMode.of(FITS, mode("nonsense")).isMissed()).isFalse();
        Verdict unused = Verdict.unused(record(), "another jar stands before ours");
        assertThat(BoostMode.of(unused, mode("off")).isMissed()).isFalse();
    }

    @Test
    void aFreshlyLoadedClassFollowsThePropertyAndNeverThrows() throws Exception {
        String woven = "org.apache.flink.types.StringValue";
        Path jar =
                new Jars.Builder()
                        .guard()
                        .version("8")
                        .wovenFor("8")
                        .woven(woven, new byte[] {1})
                        .writeTo(folder.resolve("flink-dist.jar"));

        assertThat(enabledIn(jar, null)).isTrue();
        assertThat(enabledIn(jar, "on")).isTrue();
        assertThat(enabledIn(jar, "off")).isFalse();
        assertThat(enabledIn(jar, "nonsense")).isFalse();
    }

    @Test
    void aFreshlyLoadedClassIsOffInAJarThatLostItsRecord() throws Exception {
        Path jar = new Jars.Builder().guard().writeTo(folder.resolve("guard.jar"));

        assertThat(enabledIn(jar, null)).isFalse();
        assertThat(enabledIn(jar, "on")).isFalse();
    }

    @Test
    void aFreshlyLoadedClassIsOffOnAWrongVersion() throws Exception {
        String woven = "org.apache.flink.types.StringValue";
        Path dropIn =
                new Jars.Builder()
                        .guard()
                        .wovenFor("2.3.0")
                        .woven(woven, new byte[] {1})
                        .writeTo(folder.resolve("boost.jar"));
        Path flink =
                new Jars.Builder()
                        .version("1.20.5")
                        .with(woven, new byte[] {2})
                        .writeTo(folder.resolve("flink.jar"));

        try (URLClassLoader loader = Jars.classPath(dropIn, flink)) {
            Class<?> mode = loader.loadClass(BoostMode.class.getName());

            assertThat(mode.getField("ENABLED").getBoolean(null)).isFalse();
            assertThat((String) mode.getMethod("reason").invoke(null))
                    .contains("built for Flink 2.3.0 but found Flink 1.20.5");
            for (int time = 0; time < 2; time++) {
                assertThatThrownBy(() -> mode.getMethod("require").invoke(null))
                        .cause()
                        .isInstanceOf(InternalError.class)
                        .hasMessageContaining("built for Flink 2.3.0 but found Flink 1.20.5");
            }
        }
    }

    private static Switches mode(String value) {
        return value == null
                ? Switches.none()
                : Switches.of(Collections.singletonMap("flink.boost.mode", value));
    }

    private static WeaveRecord record() {
        Properties properties = new Properties();
        properties.setProperty("boost.version", "7");
        properties.setProperty("flink.version", "8");
        properties.setProperty("class.a.Class", "00");
        return WeaveRecord.parse(properties, Switches.FAMILIES);
    }

    /** Reads the constant in a class loader that has not seen the class yet. */
    private boolean enabledIn(Path jar, String property)
            throws IOException, ReflectiveOperationException {
        killSwitch.set(property);
        try (URLClassLoader loader = Jars.classPath(jar)) {
            Class<?> mode = loader.loadClass(BoostMode.class.getName());
            assertThat(mode).isNotSameAs(BoostMode.class);
            return mode.getField("ENABLED").getBoolean(null);
        }
    }
}
