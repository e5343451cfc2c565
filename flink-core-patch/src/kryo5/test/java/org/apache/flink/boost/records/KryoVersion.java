// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import com.esotericsoftware.kryo.io.InputChunked;
import com.esotericsoftware.kryo.io.OutputChunked;
import com.esotericsoftware.kryo.serializers.VersionFieldSerializer;
import java.time.Instant;
import java.util.Random;

/** What Kryo 5 has of its own. */
final class KryoVersion {

    /** Serializers that other versions have not. */
    static final Class<?>[] SERIALIZERS = {VersionFieldSerializer.class};

    private KryoVersion() {}

    static void end(OutputChunked chunks) {
        chunks.endChunk();
    }

    static void next(InputChunked chunks) {
        chunks.nextChunk();
    }

    /** Of a class that it has a serializer for. */
    static Object time(Random random) {
        return Instant.ofEpochSecond(random.nextInt(), random.nextInt(1000));
    }
}
