// SPDX-License-Identifier: Apache-2.0
/** Patches of flink-core's views that are not about strings. */
package org.apache.flink.boost.memory;
