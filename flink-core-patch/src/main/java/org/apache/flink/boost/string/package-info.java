// SPDX-License-Identifier: Apache-2.0
/**
 * The string codec: Flink's string wire format between {@code String} and the memory of Flink's own
 * views, without a call per byte.
 *
 * <p>{@code StringValuePatch} dispatches on the view, {@code StringWriter} and {@code StringReader}
 * check and choose, {@code VarintEncoder} and {@code VarintDecoder} are the raw loops; {@code
 * StringAccess} and {@code WideArrays} hold every trick that looks below the Java language.
 */
package org.apache.flink.boost.string;
