// SPDX-License-Identifier: Apache-2.0
/** Holds what generated classes do against what stock does, while a job runs. */
package org.apache.flink.boost.records.check;
