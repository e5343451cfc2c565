// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.io.Serializable;

/**
 * Where a source finds its records.
 *
 * <p>Only the supply travels with the job graph; the records stay in a static field of this JVM,
 * which the tasks share. So they are made once, outside of what is measured.
 */
@FunctionalInterface
public interface RecordSupply<T> extends Serializable {

    /** Ready-made records, the same array at every call. They are shared: never change them. */
    T[] records();
}
