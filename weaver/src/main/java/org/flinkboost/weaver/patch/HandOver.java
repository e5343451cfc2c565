// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.patch;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the one public static final field of type {@code Object} among all patches whose value,
 * returned from a {@link Replaces} method, means "let stock's body do it". Compared by identity.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.FIELD)
public @interface HandOver {}
