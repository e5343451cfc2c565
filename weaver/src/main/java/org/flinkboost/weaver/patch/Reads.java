// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.patch;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Implements the annotated interface method by reading the named field of the target. The method
 * returns the field's type, or {@code Object} where that type is not visible to the interface.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface Reads {

    /** Name of the field, of the target or inherited. */
    String value();
}
