// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.patch;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Gives the target a private transient field that stock's class does not have; it starts with the
 * default value of its type, also in an object that Java's serialization reads. A getter and a
 * setter, in one interface, carry the annotation with the same name.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface Adds {

    /** Name of the new field. */
    String value();
}
