package org.acme.job;

import com.esotericsoftware.kryo.Kryo;
import com.esotericsoftware.kryo.Serializer;
import com.esotericsoftware.kryo.io.Input;
import com.esotericsoftware.kryo.io.Output;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;

/** Classes that Flink cannot be asked about or that are no records, beside one that is one. */
public final class HostileJob {

    private HostileJob() {}

    /** A record. */
    public static class Plain {
        public int key;
    }

    /** Flink 2 does not come to an end with it. */
    public static class Tree {
        public List<Tree> branches;
    }

    /** Its factory throws. */
    @TypeInfo(ThrowingFactory.class)
    public static class Refused {
        public int key;
    }

    /** Throws. */
    public static class ThrowingFactory extends TypeInfoFactory<Refused> {
        @Override
        public TypeInformation<Refused> createTypeInfo(
                Type type, Map<String, TypeInformation<?>> arguments) {
            throw new IllegalStateException("no configuration");
        }
    }

    /** Its factory throws what is no exception. */
    @TypeInfo(AssertingFactory.class)
    public static class Unsaid {
        public int key;
    }

    /** Throws an error. */
    public static class AssertingFactory extends TypeInfoFactory<Unsaid> {
        @Override
        public TypeInformation<Unsaid> createTypeInfo(
                Type type, Map<String, TypeInformation<?>> arguments) {
            throw new AssertionError("no words");
        }
    }

    /** Cannot be initialised. */
    public enum Level {
        LOW;

        static {
            if (LOW.ordinal() == 0) {
                throw new IllegalStateException("no level");
            }
        }
    }

    /** Needs that enum, as does the next. */
    public static class Graded {
        public Level level;
    }

    /** The second one meets an enum that has failed before. */
    public static class GradedLater {
        public Level level;
    }

    /** Is all that a POJO has to be. */
    public static class OfKryo extends Serializer<Plain> {
        @Override
        public void write(Kryo kryo, Output output, Plain plain) {
            output.writeInt(plain.key);
        }

        @Override
        public Plain read(Kryo kryo, Input input, Class<? extends Plain> type) {
            return new Plain();
        }
    }
}
