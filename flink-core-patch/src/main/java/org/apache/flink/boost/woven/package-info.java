// SPDX-License-Identifier: Apache-2.0
/**
 * All that Flink's classes are given: patches, named after the class that they patch, and
 * interfaces through which we see the insides of one, named after that class.
 *
 * <p>Flink's classes name these types, so that a process loads some of them before the guard has
 * looked: they are class files of Java 8.
 */
package org.apache.flink.boost.woven;
