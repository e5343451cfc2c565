// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark.line;

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.TypeSerializer;

/** Makes the serializers that a job's tasks would have. */
public final class Serializers {

    private Serializers() {}

    /** A serializer of a type; Kryo writes a number for each of the given classes. */
    public static <T> TypeSerializer<T> of(TypeInformation<T> type, Class<?>... kryoTypes) {
        return type.createSerializer(LocalCluster.describe(1, kryoTypes).getConfig());
    }
}
