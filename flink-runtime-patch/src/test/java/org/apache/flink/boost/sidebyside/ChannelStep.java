// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import java.io.IOException;

/** What a task does with its record writer, one class per step, and what comes of it. */
abstract class ChannelStep implements ChannelWriters.Step {

    /** The steps there are. */
    enum Kind {
        FLUSH,
        BROADCAST,
        FAIL,
        EVENT,
        EMIT;

        /** A step of this kind; flush and event take no record. */
        ChannelStep of(int channel, Style style, byte[] content) {
            switch (this) {
                case FLUSH:
                    return new Flush();
                case BROADCAST:
                    return new Broadcast(style, content);
                case FAIL:
                    return new Fail(channel, style, content);
                case EVENT:
                    return new Event();
                default:
                    return new Emit(channel, style, content);
            }
        }
    }

    private final String result;

    ChannelStep(String result) {
        this.result = result;
    }

    @Override
    public final String on(ChannelWriter writer) throws IOException, InterruptedException {
        take(writer);
        return result;
    }

    abstract void take(ChannelWriter writer) throws IOException, InterruptedException;

    /** What the step says when all is well. */
    String result() {
        return result;
    }

    /** Whether that channel gets the step's record. */
    boolean reaches(int channel, boolean broadcasting) {
        return false;
    }

    /** A record for one channel, or for all of a writer that broadcasts. */
    static final class Emit extends ChannelStep {

        private final int channel;
        private final Style style;
        private final byte[] content;

        Emit(int channel, Style style, byte[] content) {
            super("emitted");
            this.channel = channel;
            this.style = style;
            this.content = content;
        }

        @Override
        void take(ChannelWriter writer) throws IOException, InterruptedException {
            writer.emit(channel, style, content);
        }

        @Override
        boolean reaches(int other, boolean broadcasting) {
            return broadcasting || other == channel;
        }
    }

    /** A record for all channels. */
    static final class Broadcast extends ChannelStep {

        private final Style style;
        private final byte[] content;

        Broadcast(Style style, byte[] content) {
            super("broadcast");
            this.style = style;
            this.content = content;
        }

        @Override
        void take(ChannelWriter writer) throws IOException, InterruptedException {
            writer.broadcast(style, content);
        }

        @Override
        boolean reaches(int channel, boolean broadcasting) {
            return true;
        }
    }

    /** A record that throws when it has written its content. */
    static final class Fail extends ChannelStep {

        private final int channel;
        private final Style style;
        private final byte[] content;

        Fail(int channel, Style style, byte[] content) {
            super("nothing was thrown");
            this.channel = channel;
            this.style = style;
            this.content = content;
        }

        @Override
        void take(ChannelWriter writer) throws IOException, InterruptedException {
            writer.emitAndFail(channel, style, content);
        }

        @Override
        String result() {
            return "java.io.IOException: broken record";
        }
    }

    /** An event for all channels. */
    static final class Event extends ChannelStep {

        Event() {
            super("event");
        }

        @Override
        void take(ChannelWriter writer) throws IOException {
            writer.event();
        }
    }

    /** Makes available what has been written. */
    static final class Flush extends ChannelStep {

        Flush() {
            super("flushed");
        }

        @Override
        void take(ChannelWriter writer) {
            writer.flush();
        }
    }
}
