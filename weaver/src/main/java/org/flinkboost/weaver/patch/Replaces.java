// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.patch;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The annotated public static method runs in front of the target's method of the same name.
 *
 * <p>It takes the target method's parameters (an instance method's receiver first) and either does
 * all the work, or leaves every argument untouched and hands the call over to stock's body: in
 * place of {@code void} it returns {@code true} when done and {@code false} to hand over; otherwise
 * it returns the result, or the value of the {@link HandOver} field to hand over.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface Replaces {

    /**
     * Whether the target method is an instance method; the first parameter is then {@code this}.
     */
    boolean instance() default false;
}
