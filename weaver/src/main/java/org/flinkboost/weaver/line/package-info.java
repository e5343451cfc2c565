// SPDX-License-Identifier: Apache-2.0
/**
 * What a line is, and what there is of Flink: {@code lines.toml} with its lock, families with their
 * switches, jars by checksum. Whatever is not as expected is a {@code WeaveException}.
 */
package org.flinkboost.weaver.line;
