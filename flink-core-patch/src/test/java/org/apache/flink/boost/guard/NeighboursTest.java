// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import org.junit.jupiter.api.Test;

/** Classes that ours link to, beside equal ones. */
class NeighboursTest extends MadeJars {

    private static final String GONE = "org/apache/flink/Gone class public";

    private static final Switches ASKED =
            Switches.of(Collections.singletonMap(Switches.NEIGHBOURS, "true"));

    @Test
    void refusesANeighbourThatIsNotWhatOursNeed() throws IOException {
        byte[] neighbour = nestedStock;
        String name = NESTED.replace('.', '/');
        String valueOf = "(Ljava/lang/String;)L" + name + ";";
        String sub = "org/apache/flink/core/fs/UnsupportedFileSystemSchemeException";
        String iface = "org/apache/flink/core/fs/FileSystemFactory";
        String[][] links = {
            {name + " class public", null},
            {name + " interface public", NESTED + " is no interface"},
            {name + " static-method public valueOf " + valueOf, null},
            {
                name + " static-method public valueOf (I)L" + name + ";",
                NESTED + " has no method valueOf(I)L" + name + ";"
            },
            {
                name + " method public valueOf " + valueOf,
                NESTED + " has the method valueOf" + valueOf + " static"
            },
            {name + " static-field public OVERWRITE L" + name + ";", null},
            {
                name + " static-field public APPEND L" + name + ";",
                NESTED + " has no field APPEND L" + name + ";"
            },
            {name + " method private <init> (Ljava/lang/String;I)V", null},
            {
                name + " method public <init> (Ljava/lang/String;I)V",
                NESTED + " has the method <init>(Ljava/lang/String;I)V no longer public"
            },
            {name + " extended", NESTED + " is final"},
            {name + " subtype java/lang/Enum", null},
            {
                name + " subtype org/apache/flink/types/Value",
                NESTED + " is no org.apache.flink.types.Value"
            },
            {sub + " subtype java/io/IOException", null},
            {iface + " extended", iface.replace('/', '.') + " has a new abstract method"},
            {"org/apache/flink/Gone class public", "org.apache.flink.Gone is missing"},
        };
        for (String[] link : links) {
            Path dropIn = jar("boost.jar", dropInBuilder("2.3.0").link(link[0]));
            Path flink =
                    jar(
                            "flink.jar",
                            new Jars.Builder()
                                    .version("2.3.7")
                                    .with(STRING_VALUE, stock)
                                    .with(NESTED, neighbour)
                                    .with(iface.replace('/', '.'), Jars.stock(iface))
                                    .with(sub.replace('/', '.'), Jars.stock(sub)));
            Verdict verdict = check(dropIn, flink);

            assertThat(verdict.fits()).as(verdict.sentence()).isEqualTo(link[1] == null);
            if (link[1] != null) {
                assertThat(verdict.fitsSwitchedOff()).isFalse();
                assertThat(verdict.sentence())
                        .startsWith("flink-boost 0.2.0 for Flink 2.3.0 cannot run in Flink 2.3.7:")
                        .contains("the classes that it replaces are the same, but " + link[1])
                        .contains("remove " + dropIn + " from lib/");
            }
        }
    }

    @Test
    void knowsTheAbstractMethodsThatOursImplement() throws IOException {
        String iface = "org/apache/flink/core/fs/FileSystemFactory";
        Path dropIn =
                jar(
                        "boost.jar",
                        dropInBuilder("2.3.0")
                                .link(iface + " extended")
                                .link(iface + " open getScheme ()Ljava/lang/String;")
                                .link(
                                        iface
                                                + " open create (Ljava/net/URI;)"
                                                + "Lorg/apache/flink/core/fs/FileSystem;"));
        Path flink =
                jar(
                        "flink.jar",
                        new Jars.Builder()
                                .version("2.3.7")
                                .with(STRING_VALUE, stock)
                                .with(iface.replace('/', '.'), Jars.stock(iface)));

        assertThat(check(dropIn, flink).sentence()).doesNotContain("abstract");
        assertThat(check(dropIn, flink).fits()).isTrue();
    }

    /** Flink without flink-runtime, as in a program that only reads and writes records. */
    @Test
    void whatIsNotThereIsNotAskedForWhereFlinkIsThereInPart() throws IOException {
        Path dropIn =
                jar(
                        "boost.jar",
                        dropInBuilder("2.3.0")
                                .with(NESTED, WOVEN)
                                .woven(NESTED, nestedStock)
                                .link("org/apache/flink/Gone class public"));

        assertThat(check(dropIn, flink("2.3.7", stock)).fits()).isTrue();
    }

    @Test
    void refusesADamagedNeighbour() throws IOException {
        Path dropIn = jar("boost.jar", dropInBuilder("2.3.0").link("a/B class public"));
        Path flink =
                jar(
                        "flink.jar",
                        new Jars.Builder()
                                .version("2.3.7")
                                .with(STRING_VALUE, stock)
                                .with("a.B", WOVEN));

        assertThat(check(dropIn, flink).fits()).isFalse();
        assertThat(check(dropIn, flink).sentence()).contains("a/B.class is damaged");
    }

    /** Of a release that the jar was tested on its neighbours are known. */
    @Test
    void looksInATestedReleaseOnlyWhenAsked() throws IOException {
        Jars.Builder ours = dropInBuilder("2.3.0").testedOn("2.2.0 2.3.0").link(GONE);
        Path dropIn = jar("boost.jar", ours);
        for (String version : new String[] {"2.2.0", "2.3.0"}) {
            Path flink = flink(version, stock);

            assertThat(check(dropIn, flink).fits()).as(version).isTrue();
            assertThat(check(ASKED, dropIn, flink).fits()).as(version).isFalse();
            assertThat(check(ASKED, dropIn, flink).sentence())
                    .startsWith("flink-boost 0.2.0 for Flink 2.3.0 cannot run in Flink " + version)
                    .contains("org.apache.flink.Gone is missing");
        }
        assertThat(check(dropIn, flink("2.3.1", stock)).fits()).isFalse();
    }

    /** A number of somebody's own says nothing of the classes behind it. */
    @Test
    void looksInEveryFlinkThatHasNoNumberOrIsSomebodysOwn() throws IOException {
        Path nameless = jar("flink.jar", new Jars.Builder().with(STRING_VALUE, stock));
        Path dropIn = jar("boost.jar", dropInBuilder("2.3.0").testedOn("2.3.0").link(GONE));
        assertThat(check(dropIn, nameless).fits()).isFalse();

        Path own = jar("own.jar", dropInBuilder("2.3.0-acme").wovenLike("2.3.0").link(GONE));
        assertThat(check(own, flink("2.3.0-acme", stock)).fits()).isFalse();
    }
}
