// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.base.StringValueSerializer;
import org.apache.flink.boost.strings.StringCopier;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flinkboost.weaver.patch.Patches;
import org.flinkboost.weaver.patch.Replaces;

/** The serializer of {@code StringValue} has a copying loop of its own, with the plain length. */
@Patches("org.apache.flink.api.common.typeutils.base.StringValueSerializer")
public final class StringValueSerializerPatch {

    private StringValueSerializerPatch() {}

    /** Copies an encoded value as it is. */
    @Replaces(instance = true)
    public static boolean copy(StringValueSerializer self, DataInputView in, DataOutputView out)
            throws IOException {
        return StringCopier.copy(in, out, 0);
    }
}
