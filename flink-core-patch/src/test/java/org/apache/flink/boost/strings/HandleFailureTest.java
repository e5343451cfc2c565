// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.flink.boost.jdk.StringAccess;
import org.junit.jupiter.api.Test;

/** What a call through a handle throws comes to the caller as it is. */
class HandleFailureTest {

    @Test
    void whatAHandleThrowsPassesAsItIs() {
        OutOfMemoryError full = new OutOfMemoryError("full");
        assertThatThrownBy(() -> StringAccess.unchecked(full)).isSameAs(full);
        IllegalArgumentException other = new IllegalArgumentException("other");
        assertThat(StringAccess.unchecked(other)).isSameAs(other);
        if (StringAccess.OPENED) {
            assertThatThrownBy(() -> StringAccess.value(null))
                    .isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> StringAccess.coder(null))
                    .isInstanceOf(NullPointerException.class);
            assertThatThrownBy(() -> StringAccess.newString(null, StringAccess.LATIN1).hashCode())
                    .isInstanceOf(NullPointerException.class);
        }
    }
}
