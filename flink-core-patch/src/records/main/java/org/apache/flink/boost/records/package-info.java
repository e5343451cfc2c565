// SPDX-License-Identifier: Apache-2.0
/** Records by generated classes: which one reads, writes and copies the records of a serializer. */
package org.apache.flink.boost.records;
