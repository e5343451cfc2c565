// SPDX-License-Identifier: Apache-2.0
/** The jar for a build of Flink that is no official release, made on an operator's machine. */
package org.flinkboost.weaver.own;
