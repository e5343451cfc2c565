// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.patch;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the public static final field whose value, returned from a {@link Replaces} method of the
 * same type, means "let stock's body do it". Compared by identity.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.FIELD)
public @interface HandOver {}
