// SPDX-License-Identifier: Apache-2.0
/** Tests of what holds generated classes against stock while a job runs. */
package org.apache.flink.boost.records.check;
