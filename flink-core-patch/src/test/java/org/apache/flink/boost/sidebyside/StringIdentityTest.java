// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.util.Collection;
import java.util.EnumSet;
import org.apache.flink.boost.sidebyside.Codec.Input;

/** The views that flink-core has, and one that it has not. */
class StringIdentityTest extends StringIdentityContract {

    @Override
    protected Collection<Input> views() {
        return EnumSet.of(Input.DESERIALIZER, Input.STREAM, Input.SLOW_STREAM, Input.FOREIGN);
    }
}
