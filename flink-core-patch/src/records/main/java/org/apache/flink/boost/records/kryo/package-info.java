// SPDX-License-Identifier: Apache-2.0
/** Records of Kryo: its input, filled by more than stock's takes at a time. */
package org.apache.flink.boost.records.kryo;
