// SPDX-License-Identifier: Apache-2.0
package org.acme;

/** The same as the weaver would make it. */
public class WovenTable extends WovenRow {}
