// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The property of {@link BoostMode}: not set when a test starts, afterwards as it was. */
final class KillSwitch implements BeforeEachCallback, AfterEachCallback {

    private String ofThisRun;

    @Override
    public void beforeEach(ExtensionContext context) {
        // This JVM's own mode is decided by the switch that the run was started with.
        assertThat(BoostMode.reason()).isNotEmpty();
        ofThisRun = System.clearProperty(BoostMode.PROPERTY);
    }

    @Override
    public void afterEach(ExtensionContext context) {
        set(ofThisRun);
    }

    /** To a value, or null for "not set". */
    void set(String value) {
        if (value == null) {
            System.clearProperty(BoostMode.PROPERTY);
        } else {
            System.setProperty(BoostMode.PROPERTY, value);
        }
    }
}
