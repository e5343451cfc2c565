// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What is shown to HotSpot is read as it was written, whatever this Flink's views are. */
class WarmUpTest {

    @Test
    void allViewsAreReadFrom() throws Exception {
        WarmUp warmUp = new WarmUp();
        assertThatCode(warmUp::move).doesNotThrowAnyException();
        assertThat(warmUp.hasNetworkViews()).isTrue();
    }

    /** It gives way: what is to be generated meanwhile does not wait for the end of it. */
    @Test
    void itDoesALittleAtATime() throws Exception {
        WarmUp.start();
        CountDownLatch next = new CountDownLatch(1);
        GenerationThread.run(next::countDown);
        assertThat(next.await(60, TimeUnit.SECONDS)).isTrue();
    }
}
