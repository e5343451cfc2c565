// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.util.Properties;
import java.util.SortedMap;
import java.util.TreeMap;

/** What the record beside the woven classes names. */
public final class WovenRecord {

    private static final String RESOURCE = "META-INF/flink-boost/weave.properties";
    private static final String JAR = "jar.";

    private WovenRecord() {}

    /** Every woven class, by binary name, with the name of Flink's jar that has it. */
    public static SortedMap<String, String> jars() {
        Properties record = new Properties();
        try (InputStream in = WovenRecord.class.getClassLoader().getResourceAsStream(RESOURCE)) {
            record.load(in);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        SortedMap<String, String> jars = new TreeMap<>();
        record.forEach(
                (key, value) -> {
                    if (key.toString().startsWith(JAR)) {
                        jars.put(key.toString().substring(JAR.length()), value.toString());
                    }
                });
        // A record that lists nothing would make every test of all its classes pass.
        assertThat(jars.keySet())
                .contains("org.apache.flink.types.StringValue")
                .anyMatch(name -> name.endsWith("NonSpanningWrapper"));
        return jars;
    }
}
