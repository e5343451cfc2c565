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
 * <p>It takes the target method's parameters. Where that is an instance method the receiver comes
 * first, as an interface that patches the same target. It either does all the work, or leaves every
 * argument untouched and hands the call over to stock's body: in place of {@code void} it returns
 * {@code true} when done and {@code false} to hand over; in place of any reference type it returns
 * {@code Object}, which is the result, or the value of the {@link HandOver} field to hand over.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.METHOD)
public @interface Replaces {}
