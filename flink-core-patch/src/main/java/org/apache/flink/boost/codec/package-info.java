// SPDX-License-Identifier: Apache-2.0
/**
 * The wire format of strings, between memory and memory: encoders, decoders and the words of eight
 * bytes that they work on. No class here knows a view of Flink's.
 */
package org.apache.flink.boost.codec;
