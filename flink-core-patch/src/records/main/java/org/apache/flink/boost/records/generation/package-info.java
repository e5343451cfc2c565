// SPDX-License-Identifier: Apache-2.0
/** Writes the class that moves the fields of one class of records. */
package org.apache.flink.boost.records.generation;
