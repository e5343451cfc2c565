// SPDX-License-Identifier: Apache-2.0
/**
 * The build-time tool that turns an official Flink jar and a set of patches into the classes of a
 * drop-in jar. It knows class files and checksums, and nothing about what the patches do.
 *
 * <p>Here are its commands, and the writer of twin sources. Below them, each importing only from
 * those behind it: {@code own} (jars for own builds), {@code jar} (the drop-in jar), {@code weave}
 * (patches), {@code form} (class files compared), {@code line} (lines, Flink's jars). With {@code
 * patch} a patch is written.
 */
package org.flinkboost.weaver;
