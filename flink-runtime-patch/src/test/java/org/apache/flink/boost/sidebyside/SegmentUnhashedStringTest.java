// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.util.Collection;
import java.util.EnumSet;
import org.apache.flink.boost.sidebyside.Codec.Input;

/** The views of flink-runtime on memory segments. */
class SegmentUnhashedStringTest extends UnhashedStringContract {

    @Override
    protected Collection<Input> views() {
        return EnumSet.of(Input.HEAP_SEGMENT, Input.OFF_HEAP_SEGMENT, Input.PAGES);
    }
}
