// SPDX-License-Identifier: Apache-2.0
package org.acme;

import java.lang.invoke.MethodHandles;

/** Lets the guard into this package. */
public final class FlinkBoostDoor {

    private FlinkBoostDoor() {}

    public static MethodHandles.Lookup lookup() {
        return MethodHandles.lookup();
    }
}
