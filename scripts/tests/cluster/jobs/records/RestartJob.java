// SPDX-License-Identifier: Apache-2.0

import org.apache.flink.api.common.functions.MapFunction;
import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.util.List;

/**
 * Turns a record into one of the next class, 20 times: 19 are copied between operators, and the
 * last goes to another task.
 *
 * <p>Arguments: a file, how many records, and the milliseconds between two. At the end the file has
 * the time at which the first record arrived, in milliseconds since 1970, and the processor time
 * of the thread that generated code, in nanoseconds; 0 when there is none.
 */
public final class RestartJob {

    private static final List<Class<? extends Step>> STEPS =
            List.of(
                    Step0.class, Step1.class, Step2.class, Step3.class, Step4.class,
                    Step5.class, Step6.class, Step7.class, Step8.class, Step9.class,
                    Step10.class, Step11.class, Step12.class, Step13.class, Step14.class,
                    Step15.class, Step16.class, Step17.class, Step18.class, Step19.class);

    public static void main(String[] arguments) throws Exception {
        long count = Long.parseLong(arguments[1]);
        long pause = Long.parseLong(arguments[2]);
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(1);
        DataStream<Step> steps =
                environment
                        .fromSequence(0, count - 1)
                        .map(number -> Step.of(number, pause))
                        .returns(type(STEPS.get(0)));
        for (Class<? extends Step> step : STEPS.subList(1, STEPS.size())) {
            steps = steps.map(new Next(step)).returns(type(step));
        }
        steps.rebalance()
                .map(new Arrival(arguments[0]))
                .returns(Types.LONG)
                .sinkTo(new DiscardingSink<>());
        environment.execute("a job that is started again");
    }

    @SuppressWarnings("unchecked")
    private static TypeInformation<Step> type(Class<? extends Step> step) {
        return Types.POJO((Class<Step>) step);
    }

    private static final class Next implements MapFunction<Step, Step> {

        private static final long serialVersionUID = 1L;

        private final Class<? extends Step> type;

        Next(Class<? extends Step> type) {
            this.type = type;
        }

        @Override
        public Step map(Step step) throws Exception {
            Step next = type.getConstructor().newInstance();
            next.number = step.number;
            next.price = step.price;
            next.text = step.text;
            next.count = step.count;
            next.place = step.place;
            return next;
        }
    }

    private static final class Arrival extends RichMapFunction<Step, Long> {

        private static final long serialVersionUID = 1L;

        /** To look at all threads takes a while; one that generates stays for a second. */
        private static final long LOOKS_EACH = 20;

        private final String file;
        private transient long first;
        private transient long generating;

        Arrival(String file) {
            this.file = file;
        }

        @Override
        public void open(OpenContext context) {
            first = 0;
        }

        @Override
        public Long map(Step step) {
            if (first == 0) {
                first = System.currentTimeMillis();
            }
            if (step.number % LOOKS_EACH == 0) {
                generating = Math.max(generating, generatingNanos());
            }
            return step.number;
        }

        private static long generatingNanos() {
            ThreadMXBean threads = ManagementFactory.getThreadMXBean();
            for (Thread thread : Thread.getAllStackTraces().keySet()) {
                if (thread.getName().equals("flink-boost-generation")) {
                    return threads.getThreadCpuTime(thread.getId());
                }
            }
            return 0;
        }

        @Override
        public void close() throws Exception {
            Path partial = Paths.get(file + ".partial");
            try (PrintWriter lines = new PrintWriter(Files.newBufferedWriter(partial))) {
                lines.println(first);
                lines.println(generating);
            }
            Files.move(partial, Paths.get(file));
        }
    }

    /** What they all have. */
    public static class Step {

        public long number;
        public double price;
        public String text;
        public Integer count;
        public String place;

        static Step of(long number, long pauseMillis) throws InterruptedException {
            Thread.sleep(pauseMillis);
            Step made = new Step0();
            made.number = number;
            made.price = number / 4.0;
            made.text = "a text of " + number;
            made.count = (int) number;
            return made;
        }
    }

    public static final class Step0 extends Step {}

    public static final class Step1 extends Step {}

    public static final class Step2 extends Step {}

    public static final class Step3 extends Step {}

    public static final class Step4 extends Step {}

    public static final class Step5 extends Step {}

    public static final class Step6 extends Step {}

    public static final class Step7 extends Step {}

    public static final class Step8 extends Step {}

    public static final class Step9 extends Step {}

    public static final class Step10 extends Step {}

    public static final class Step11 extends Step {}

    public static final class Step12 extends Step {}

    public static final class Step13 extends Step {}

    public static final class Step14 extends Step {}

    public static final class Step15 extends Step {}

    public static final class Step16 extends Step {}

    public static final class Step17 extends Step {}

    public static final class Step18 extends Step {}

    public static final class Step19 extends Step {}
}
