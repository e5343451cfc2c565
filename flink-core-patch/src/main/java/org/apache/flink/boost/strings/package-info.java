// SPDX-License-Identifier: Apache-2.0
/**
 * Strings in and out of Flink's own views, without a call per byte: which view it is, what its
 * memory allows, and when stock's own body runs instead.
 *
 * <p>{@code StringWriter}, {@code StringReader} and {@code StringCopier} move strings of memory
 * that we see; their namesakes with {@code Stream} move them through other views.
 */
package org.apache.flink.boost.strings;
