// SPDX-License-Identifier: Apache-2.0
/** Patches of the network stack's classes. */
package org.apache.flink.boost.network;
