// SPDX-License-Identifier: Apache-2.0
/** The insides of the JDK: the array of a string, and loads and stores wider than a byte. */
package org.apache.flink.boost.jdk;
