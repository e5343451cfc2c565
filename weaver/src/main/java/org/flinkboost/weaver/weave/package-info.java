// SPDX-License-Identifier: Apache-2.0
/**
 * Patches, read from a folder of compiled classes, and put into Flink's class files. What they use
 * of a class of Flink is known here, too.
 */
package org.flinkboost.weaver.weave;
