// SPDX-License-Identifier: Apache-2.0
/**
 * What a class file refers to, and what it does, in words that compare: the same for all compilers
 * and for each order of members. Two class files do the same, or not where it matters.
 */
package org.flinkboost.weaver.form;
