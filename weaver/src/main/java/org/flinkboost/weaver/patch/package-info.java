// SPDX-License-Identifier: Apache-2.0
/**
 * How a patch is written: plain classes and interfaces with these annotations, compiled against
 * stock Flink and applied to Flink's class files by the weaver at build time.
 */
package org.flinkboost.weaver.patch;
