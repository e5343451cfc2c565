// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The one thread that generates classes, beside those of tasks. It ends when there is nothing to
 * do: a thread remembers the protection domains of those who made it, and with them a job's class
 * loader.
 */
final class GenerationThread {

    private static final String NAME = "flink-boost-generation";

    private static final long IDLE_SECONDS = 1;

    private static final ThreadPoolExecutor EXECUTOR = executor();

    private GenerationThread() {}

    /** Whether this is called on it. */
    static boolean isCurrent() {
        return Thread.currentThread().getName().equals(NAME);
    }

    static void run(Runnable generation) {
        EXECUTOR.execute(generation);
    }

    private static ThreadPoolExecutor executor() {
        ThreadPoolExecutor executor =
                new ThreadPoolExecutor(
                        1,
                        1,
                        IDLE_SECONDS,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(),
                        GenerationThread::thread);
        executor.allowCoreThreadTimeOut(true);
        return executor;
    }

    private static Thread thread(Runnable work) {
        Thread thread = new Thread(null, work, NAME, 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null);
        // Flink may end a process for what nobody catches. What comes here could not be logged.
        thread.setUncaughtExceptionHandler((ended, thrown) -> {});
        return thread;
    }
}
