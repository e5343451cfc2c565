// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.strings;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.core.memory.MemorySegmentSource;

/**
 * Memory in pages, as Flink's paged views take it. Both sides of a comparison load this class with
 * their own Flink.
 */
public final class Pages implements MemorySegmentSource {

    private final int pageSize;
    private final int most;
    private final List<MemorySegment> pages = new ArrayList<>();

    /** No pages yet, and never more than {@code most}. */
    public Pages(int pageSize, int most) {
        this.pageSize = pageSize;
        this.most = most;
    }

    @Override
    public MemorySegment nextSegment() {
        if (pages.size() == most) {
            return null;
        }
        MemorySegment page = MemorySegmentFactory.allocateUnpooledSegment(pageSize);
        pages.add(page);
        return page;
    }

    /** Pages with these bytes, at least one; the list that a paged view wants. */
    public ArrayList<MemorySegment> filled(byte[] bytes, int start, int end) {
        for (int p = start; p < end || pages.isEmpty(); p += pageSize) {
            nextSegment().put(0, bytes, p, Math.min(pageSize, end - p));
        }
        return new ArrayList<>(pages);
    }

    /** The first bytes of the pages. */
    public byte[] bytes(int size) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (MemorySegment page : pages) {
            all.write(page.getArray(), 0, Math.min(pageSize, size - all.size()));
        }
        return all.toByteArray();
    }
}
