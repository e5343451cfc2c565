// SPDX-License-Identifier: Apache-2.0
package org.acme;

import org.apache.flink.boost.guard.Families;

/** The same as the weaver would make it. */
public class WovenRow {

    public String whose() {
        return Families.RECORDS ? "ours" : "stock's body in ours";
    }
}
