// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.jar;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

class WeaveRecordTest {

    /** Else all links had one name in the file, and the guard looked at the last one alone. */
    @Test
    void isTheSameWhereDigitsAreOthers() {
        Locale usual = Locale.getDefault();
        String expected = text();
        Locale.setDefault(Locale.forLanguageTag("ar-EG-u-nu-arab"));
        try {
            assertThat(String.format("%d", 1)).isNotEqualTo("1");
            assertThat(text()).isEqualTo(expected).contains("link.0001=", "link.records.0000=");
        } finally {
            Locale.setDefault(usual);
        }
    }

    private static String text() {
        return new WeaveRecord("2.3.0", "0.3.0")
                .links(List.of("far/Base class public", "far/Base extended"))
                .linksOf("records", List.of("far/Probe class public"))
                .text();
    }
}
