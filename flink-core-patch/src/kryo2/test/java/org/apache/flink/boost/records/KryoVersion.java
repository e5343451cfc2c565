// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import com.esotericsoftware.kryo.io.InputChunked;
import com.esotericsoftware.kryo.io.OutputChunked;
import java.util.GregorianCalendar;
import java.util.Random;

/** What Kryo 2 has of its own. */
final class KryoVersion {

    /** Serializers that other versions have not. */
    static final Class<?>[] SERIALIZERS = {};

    private KryoVersion() {}

    static void end(OutputChunked chunks) {
        chunks.endChunks();
    }

    static void next(InputChunked chunks) {
        chunks.nextChunks();
    }

    /** Of a class that it has a serializer for. */
    static Object time(Random random) {
        GregorianCalendar time = new GregorianCalendar();
        time.setTimeInMillis(random.nextLong() >> 20);
        return time;
    }
}
