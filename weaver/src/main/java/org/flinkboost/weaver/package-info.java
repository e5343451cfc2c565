// SPDX-License-Identifier: Apache-2.0
/**
 * The build-time tool that turns an official Flink jar and a set of patches into the classes of a
 * drop-in jar. It knows class files and checksums, and nothing about what the patches do.
 */
package org.flinkboost.weaver;
