// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.core.memory.MemorySegment;
import org.apache.flink.core.memory.MemorySegmentFactory;
import org.apache.flink.core.memory.MemorySegmentSource;

/** Memory in pages, as Flink's paged views take it. */
final class Pages implements MemorySegmentSource {

    private final int pageSize;
    private final int most;
    private final List<MemorySegment> pages = new ArrayList<>();

    /** No pages yet, and never more than {@code most}. */
    Pages(int pageSize, int most) {
        this.pageSize = pageSize;
        this.most = most;
    }

    int most() {
        return most;
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

    /** The first bytes of the pages. */
    byte[] bytes(int size) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (MemorySegment page : pages) {
            all.write(page.getArray(), 0, Math.min(pageSize, size - all.size()));
        }
        return all.toByteArray();
    }
}
