// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;
import java.util.List;

/** Flink's own way from network buffers to records, as one side has it. */
public interface RecordReader {

    /** Folder for records that are too large for memory. */
    void open(String folder);

    /**
     * Reads records of strings (a count of four bytes, then the strings), each behind its length of
     * four bytes, from bytes that are cut into buffers.
     *
     * @return the strings of all records
     */
    List<String> read(byte[] bytes, int bufferSize, boolean offHeap) throws IOException;
}
