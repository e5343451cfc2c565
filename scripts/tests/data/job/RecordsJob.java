package org.acme.job;

import com.elsewhere.Missing;
import java.io.File;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.functions.FlatMapFunction;
import org.apache.flink.api.common.state.ValueState;
import org.apache.flink.api.common.typeinfo.TypeHint;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.util.Collector;

/** The types of a job, of each way one. A class that is initialised leaves a file. */
public class RecordsJob {

    static String ran(String name) {
        new File(System.getenv("JOB_WITNESS"), name).mkdir();
        return name;
    }

    /** Takes the fast way. */
    public static class Order {
        static final String RAN = ran("Order");
        public long id;
        public String name;
        public Money total;
        public List<Item> items;
        public Box<Item> box;
        public Colour colour;
        private int count;

        public int getCount() {
            return count;
        }

        public void setCount(int count) {
            this.count = count;
        }
    }

    public static class Item {
        static final String RAN = ran("Item");
        public int id;
    }

    /** Is one with what it is of. */
    public static class Box<T> {
        public T content;
        public int size;
    }

    /** No POJO: nobody can set what it is. */
    public static class Money {
        static final String RAN = ran("Money");
        private final long cents;

        public Money(long cents) {
            this.cents = cents;
        }
    }

    public enum Colour {
        RED;
        static final String RAN = ran("Colour");
    }

    public record Point(int x, String y) {
        static final String RAN = ran("Point");
    }

    /** Its superclass keeps a field to itself. */
    public static class Late extends Base {
        static final String RAN = ran("Late");
        public long time;
    }

    /** Only what extends it has objects. */
    public abstract static class Shape {
        static final String RAN = ran("Shape");
        public long size;
    }

    public static class Base {
        private long key;

        public long getKey() {
            return key;
        }

        public void setKey(long key) {
            this.key = key;
        }
    }

    /** A tuple with another name. */
    public static class Pair extends Tuple2<String, Long> {}

    /** Nobody names it as a record. */
    public static class Helper {
        static final String RAN = ran("Helper");
        private final Map<String, String> all;

        Helper(Map<String, String> all) {
            this.all = all;
        }
    }

    /** What it extends is not in the jar. */
    public static class Orphan extends Missing {
        public int id;
    }

    /** What a field of it is of, is not in the jar. */
    public static class Half {
        public Missing missing;
    }

    public static class Splitter implements FlatMapFunction<String, Tuple2<String, Integer>> {
        static final String RAN = ran("Splitter");
        public String pattern = "";
        private transient ValueState<Point> last;

        @Override
        public void flatMap(String text, Collector<Tuple2<String, Integer>> out) {}
    }

    public static void main(String[] arguments) {
        ran("main");
        System.out.println(new TypeHint<Tuple2<Order, Long>>() {});
    }
}
