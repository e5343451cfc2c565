// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** The properties of {@link Switches}: not set when a test starts, afterwards as they were. */
final class KillSwitch implements BeforeEachCallback, AfterEachCallback {

    private final Map<String, String> ofThisRun = new HashMap<>();

    @Override
    public void beforeEach(ExtensionContext context) {
        // This JVM's own mode is decided by the switch that the run was started with.
        assertThat(BoostMode.reason()).isNotEmpty();
        List<String> names = new ArrayList<>();
        names.add(Switches.MODE);
        names.add(Switches.STRICT);
        names.add(Switches.NEIGHBOURS);
        Switches.FAMILIES.forEach(family -> names.add("flink.boost." + family));
        names.forEach(name -> ofThisRun.put(name, System.clearProperty(name)));
    }

    @Override
    public void afterEach(ExtensionContext context) {
        ofThisRun.forEach(this::set);
    }

    /** The mode to a value, or null for "not set". */
    void set(String value) {
        set(Switches.MODE, value);
    }

    /** A property to a value, or null for "not set". */
    void set(String name, String value) {
        if (value == null) {
            System.clearProperty(name);
        } else {
            System.setProperty(name, value);
        }
    }
}
