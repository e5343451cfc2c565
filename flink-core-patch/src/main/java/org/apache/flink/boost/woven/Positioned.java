// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.woven;

/** A view whose position can be set once a value has been read completely. */
public interface Positioned {

    /** Sets the index of the next byte. */
    void boostPosition(int position);
}
