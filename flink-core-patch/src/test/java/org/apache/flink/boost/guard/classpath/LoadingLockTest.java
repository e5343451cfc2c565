// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard.classpath;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URL;
import java.net.URLClassLoader;
import org.junit.jupiter.api.Test;

class LoadingLockTest {

    private static final String NAME = "org.acme.Row";

    /** That of a loader which takes one lock for all classes is known: itself. */
    private static final class Single extends URLClassLoader {
        Single() {
            super(new URL[0], null);
        }
    }

    @Test
    void bothWaysLeadToTheLoadersOwnLock() throws Exception {
        Single single = new Single();
        assertThat(LoadingLock.of(single, NAME)).isSameAs(single);
        assertThat(LoadingLock.byUnsafe(single, NAME)).isSameAs(single);

        ClassLoader parallel = LoadingLockTest.class.getClassLoader();
        Object lock = LoadingLock.of(parallel, NAME);
        assertThat(lock).isNotSameAs(parallel).isSameAs(LoadingLock.byUnsafe(parallel, NAME));
        assertThat(LoadingLock.of(parallel, NAME + "2")).isNotSameAs(lock);
    }

    @Test
    void whatIsInTheWayIsSaid() {
        assertThatThrownBy(() -> LoadingLock.byUnsafe(null, NAME))
                .isInstanceOf(ReflectiveOperationException.class)
                .hasMessageStartingWith("no lock of null: java.lang.NullPointerException");
    }

    @Test
    void theJvmsOwnLoaderTakesNone() throws Exception {
        assertThat(LoadingLock.of(null, NAME)).isNotNull();
    }
}
