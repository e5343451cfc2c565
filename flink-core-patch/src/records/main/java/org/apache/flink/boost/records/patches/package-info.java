// SPDX-License-Identifier: Apache-2.0
/** What the serializers of records are given. */
package org.apache.flink.boost.records.patches;
