// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.check;

import java.util.List;

/** What has been checked in this process, as {@code org.apache.flink.boost:type=Records}. */
public interface RecordsMXBean {

    /** A sentence for each class of records, such as {@code checked 10,000 records of …: equal}. */
    List<String> getChecked();

    /** How many classes go stock's way because they differed. */
    int getDiffering();
}
