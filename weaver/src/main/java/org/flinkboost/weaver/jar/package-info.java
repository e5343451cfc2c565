// SPDX-License-Identifier: Apache-2.0
/**
 * The drop-in jar: its entries, its record, the classes that lie aside in it, and the links of its
 * classes to others.
 */
package org.flinkboost.weaver.jar;
