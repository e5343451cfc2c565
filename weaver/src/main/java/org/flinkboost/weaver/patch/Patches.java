// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.patch;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Names the Flink class that the annotated type patches.
 *
 * <p>On a class: its {@link Replaces} methods replace bodies of the target, and the interfaces
 * nested in it patch the same target. On an interface: the target implements it; every abstract
 * method carries {@link Reads}, {@link Writes}, {@link Calls} or {@link Adds}.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target(ElementType.TYPE)
public @interface Patches {

    /**
     * Binary names of the target. Where Flink renamed a class between lines all names are given;
     * exactly one of them must be among the classes that {@code lines.toml} lists for a line.
     */
    String[] value();
}
