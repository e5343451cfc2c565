// SPDX-License-Identifier: Apache-2.0
package probes;

/** Named like a test, but holds none. */
class NoTest {}
