// SPDX-License-Identifier: Apache-2.0

import org.apache.flink.api.common.functions.OpenContext;
import org.apache.flink.api.common.functions.RichMapFunction;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.KeyedProcessFunction;
import org.apache.flink.util.Collector;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sends records of each kind through rebalance and keyBy between all TaskManagers, and fails when
 * one is not what it was.
 *
 * <p>Arguments: a folder, how many, and optionally {@code spoil}, with which one is changed on the
 * way. At the end each subtask writes into {@code routes-<subtask>.txt} the process ids that
 * records passed, and how many did.
 */
public final class RecordExchangeJob {

    private static final int PARALLELISM = 4;

    public static void main(String[] arguments) throws Exception {
        Path folder = Paths.get(arguments[0]);
        long count = Long.parseLong(arguments[1]);
        long spoilt = arguments.length > 2 && arguments[2].equals("spoil") ? count / 2 : -1;
        StreamExecutionEnvironment environment =
                StreamExecutionEnvironment.getExecutionEnvironment();
        environment.setParallelism(PARALLELISM);
        environment
                .fromSequence(0, count - 1)
                .map(new Make(folder.toString()))
                .returns(Shipment.TYPE)
                .rebalance()
                .map(shipment -> hop(shipment, spoilt))
                .returns(Shipment.TYPE)
                .keyBy(shipment -> Buyer.of(shipment.visit.page()), RecordTypes.BUYER)
                .process(new Arrival(folder.toString()), Types.VOID);
        environment.execute("records between TaskManagers");
    }

    private static Shipment hop(Shipment shipment, long spoilt) {
        shipment.check();
        if (shipment.number == spoilt) {
            shipment.tuple.f2.codes[0]++;
        }
        return shipment.arrived();
    }

    private static final class Make extends RichMapFunction<Long, Shipment> {

        private static final long serialVersionUID = 1L;
        private static final Duration MOST_WAIT = Duration.ofMinutes(2);

        private final String folder;
        private transient boolean everySourceHasNumbers;

        Make(String folder) {
            this.folder = folder;
        }

        @Override
        public void open(OpenContext context) throws Exception {
            RecordTypes.awaitGeneratedCode();
        }

        @Override
        public Shipment map(Long number) throws Exception {
            if (!everySourceHasNumbers) {
                awaitAllSources();
                everySourceHasNumbers = true;
            }
            return Shipment.of(number);
        }

        /** Numbers are dealt out to whoever asks first: a quick TaskManager would take them all. */
        private void awaitAllSources() throws Exception {
            long end = System.nanoTime() + MOST_WAIT.toNanos();
            int own = FlinkApi.subtask(getRuntimeContext());
            Files.createFile(source(own));
            for (int each = 0; each < PARALLELISM; each++) {
                while (!Files.exists(source(each))) {
                    if (System.nanoTime() > end) {
                        throw new IllegalStateException("Source " + each + " has no numbers");
                    }
                    Thread.sleep(5);
                }
            }
        }

        private Path source(int subtask) {
            return Paths.get(folder, "source-" + subtask + "-has-numbers");
        }
    }

    private static final class Arrival extends KeyedProcessFunction<Buyer, Shipment, Void> {

        private static final long serialVersionUID = 1L;

        private final String folder;
        private transient Map<String, Long> routes;

        Arrival(String folder) {
            this.folder = folder;
        }

        @Override
        public void open(OpenContext context) {
            routes = new TreeMap<>();
        }

        @Override
        public void processElement(Shipment shipment, Context context, Collector<Void> out) {
            shipment.check();
            routes.merge(shipment.arrived().route, 1L, Long::sum);
        }

        @Override
        public void close() throws Exception {
            if (routes == null) {
                return;
            }
            String name = "routes-" + FlinkApi.subtask(getRuntimeContext()) + ".txt";
            try (PrintWriter file =
                    new PrintWriter(Files.newBufferedWriter(Paths.get(folder, name)))) {
                routes.forEach((route, times) -> file.println(route + "," + times));
            }
            Makers.write(Paths.get(folder));
        }
    }
}
