// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.soak;

/** With the views of flink-runtime too. */
class SegmentCodeUnitTest extends CodeUnitContract {}
