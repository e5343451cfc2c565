// SPDX-License-Identifier: Apache-2.0
package org.acme;

/** A subclass of it, which comes first in the order of names. */
public class StockTable extends StockRow {}
