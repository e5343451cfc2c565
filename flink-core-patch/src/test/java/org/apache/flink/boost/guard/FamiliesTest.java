// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.Field;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The constants that woven code reads, in class loaders that have not seen them yet. */
class FamiliesTest {

    private static final String STRING_VALUE = "org.apache.flink.types.StringValue";
    private static final String RECORD = "org.apache.flink.core.fs.FileSystem$WriteMode";

    /** Records need hidden classes, which Java has with data since 16. */
    private static final List<String> ALL =
            Runtime.version().feature() < 16 ? List.of("STRINGS") : List.of("STRINGS", "RECORDS");

    @TempDir private Path folder;

    @RegisterExtension private final KillSwitch killSwitch = new KillSwitch();

    private Path both;

    @BeforeEach
    void makeAJarWithTwoFamilies() throws IOException {
        both = woven().woven(RECORD, new byte[] {2}).family(RECORD, "records").writeTo(jar("both"));
    }

    @Test
    void aConstantHasTheNameOfItsFamilyInCapitals() {
        List<String> names = new ArrayList<>();
        for (Field field : Families.class.getFields()) {
            names.add(field.getName().toLowerCase(Locale.ROOT));
        }
        assertThat(names).isEqualTo(Switches.FAMILIES);
    }

    @Test
    void areOnWhereNobodySwitchedThemOff() throws Exception {
        assertThat(on(both)).isEqualTo(ALL);
    }

    @Test
    void aFamilyThatTheJarDoesNotHaveIsOff() throws Exception {
        assertThat(on(woven().writeTo(jar("strings")))).containsExactly("STRINGS");
    }

    @Test
    void eachHasASwitchOfItsOwnAndNoneRunsWithoutStrings() throws Exception {
        killSwitch.set("flink.boost.records", "off");
        assertThat(on(both)).containsExactly("STRINGS");

        killSwitch.set("flink.boost.records", "on");
        killSwitch.set("flink.boost.strings", "off");
        assertThat(on(both)).isEmpty();
    }

    @Test
    void theModeSwitchesAllOff() throws Exception {
        killSwitch.set("flink.boost.records", "on");
        killSwitch.set("flink.boost.mode", "off");

        assertThat(on(both)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"flink.boost.mode", "flink.boost.strings", "flink.boost.records"})
    void aValueThatMeansNothingSwitchesAllOffAndIsRefused(String property) throws Exception {
        killSwitch.set(property, "of");
        assertThat(on(both)).isEmpty();

        Switches switches = Switches.of(Collections.singletonMap(property, "of"));
        String known =
                property.endsWith("records")
                        ? "none of 'on', 'off', 'check'"
                        : "neither 'on' nor 'off'";
        assertThat(switches.problem())
                .startsWith("-D" + property + "=of is " + known + ": correct it");
    }

    /** Records can be held against stock's, strings cannot. */
    @Test
    void recordsTakeAThirdValue() throws Exception {
        killSwitch.set("flink.boost.records", "check");
        assertThat(on(both)).isEqualTo(ALL);
        try (URLClassLoader loader = Jars.classPath(both)) {
            Class<?> mode = loader.loadClass(BoostMode.class.getName());
            assertThat(mode.getField("CHECKS_RECORDS").getBoolean(null))
                    .isEqualTo(ALL.contains("RECORDS"));
        }
        killSwitch.set("flink.boost.mode", "off");
        assertThat(on(both)).isEmpty();
        try (URLClassLoader loader = Jars.classPath(both)) {
            Class<?> mode = loader.loadClass(BoostMode.class.getName());
            assertThat(mode.getField("CHECKS_RECORDS").getBoolean(null)).isFalse();
        }
        assertThat(Switches.of(Collections.singletonMap("flink.boost.strings", "check")).problem())
                .startsWith("-Dflink.boost.strings=check is neither 'on' nor 'off'");
    }

    @Test
    void strictTakesTwoValues() {
        for (String value : new String[] {"true", "false"}) {
            Switches strict = Switches.of(Collections.singletonMap("flink.boost.strict", value));
            assertThat(strict.problem()).isNull();
            assertThat(strict.isStrict()).isEqualTo(value.equals("true"));
        }
        assertThat(Switches.of(Collections.singletonMap("flink.boost.strict", "on")).problem())
                .startsWith("-Dflink.boost.strict=on is neither 'true' nor 'false': correct it");
    }

    @Test
    void aJarOfAFamilyThatTheGuardDoesNotKnowIsOff() throws Exception {
        Path unknown = woven().family(STRING_VALUE, "words").writeTo(jar("unknown"));

        assertThat(on(unknown)).isEmpty();
        try (URLClassLoader loader = Jars.classPath(unknown)) {
            assertThat(VersionGuard.check(loader).sentence())
                    .contains("is damaged ('words' is no family of classes)");
        }
    }

    private static Jars.Builder woven() throws IOException {
        return new Jars.Builder()
                .guard()
                .version("8")
                .wovenFor("8")
                .woven(STRING_VALUE, new byte[] {1});
    }

    private Path jar(String name) {
        return folder.resolve(name + ".jar");
    }

    private static List<String> on(Path jar) throws IOException, ReflectiveOperationException {
        List<String> names = new ArrayList<>();
        try (URLClassLoader loader = Jars.classPath(jar)) {
            Class<?> families = loader.loadClass(Families.class.getName());
            assertThat(families).isNotSameAs(Families.class);
            for (Field field : families.getFields()) {
                if (field.getBoolean(null)) {
                    names.add(field.getName());
                }
            }
        }
        return names;
    }
}
