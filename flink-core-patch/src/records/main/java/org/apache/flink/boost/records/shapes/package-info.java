// SPDX-License-Identifier: Apache-2.0
/** Which classes of records take the fast way, and why others do not. */
package org.apache.flink.boost.records.shapes;
