// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What the upstream suite calls {@code channelsFlushTimeout}: {@code 100,100ms} or {@code
 * 1000,100ms,SSL}.
 */
final class NetworkShape {

    private static final Pattern FORM = Pattern.compile("(\\d+),(\\d+)ms(,SSL)?");

    /** Channels of each record writer. */
    final int channels;

    /** In milliseconds: how long a record waits in a buffer that is not full, at the most. */
    final int flushTimeout;

    /** Whether the connection is encrypted. */
    final boolean ssl;

    private NetworkShape(int channels, int flushTimeout, boolean ssl) {
        this.channels = channels;
        this.flushTimeout = flushTimeout;
        this.ssl = ssl;
    }

    /**
     * The shape that a benchmark parameter names.
     *
     * @throws IllegalArgumentException when it is not one
     */
    static NetworkShape named(String parameter) {
        Matcher matcher = FORM.matcher(parameter);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "Unknown channels and timeout '" + parameter + "'; choose one like 100,100ms");
        }
        return new NetworkShape(
                Integer.parseInt(matcher.group(1)),
                Integer.parseInt(matcher.group(2)),
                matcher.group(3) != null);
    }
}
