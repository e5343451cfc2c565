// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.flink.api.common.ExecutionConfig;
import org.apache.flink.api.common.serialization.SerializerConfig;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.CompositeType;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.Tuple;
import org.apache.flink.api.java.typeutils.ListTypeInfo;
import org.apache.flink.api.java.typeutils.MapTypeInfo;
import org.apache.flink.api.java.typeutils.ObjectArrayTypeInfo;
import org.apache.flink.api.java.typeutils.TypeExtractor;
import org.apache.flink.api.java.typeutils.runtime.PojoSerializer;
import org.apache.flink.api.java.typeutils.runtime.RowSerializer;
import org.apache.flink.api.java.typeutils.runtime.TupleSerializer;
import org.apache.flink.api.java.typeutils.runtime.kryo.KryoSerializer;
import org.apache.flink.boost.guard.Families;
import org.apache.flink.boost.records.patches.PojoSerializerPatch;
import org.apache.flink.boost.records.patches.RowSerializerPatch;
import org.apache.flink.boost.records.patches.TupleSerializerPatch;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.types.Row;

/**
 * The types of records in a job, each with the way that its objects take. Flink says which types
 * and serializers they have, the code that runs in a cluster whether one takes the fast way.
 */
final class JobTypes {

    private static final long GENERATION_SECONDS = 60;

    /** What Flink calls its own, and what of it users' records extend. */
    private static final String FLINK = "org.apache.flink.";

    private static final String FLINK_VALUES = "org.apache.flink.types.";

    /** Serializers of it are no records. */
    private static final String KRYO = "com.esotericsoftware.";

    /** What moves the objects of a type. */
    enum Way {
        FAST,
        STOCK,
        KRYO,
        /** A serializer that is neither of records nor Kryo. */
        OTHER,
        /** It depends on type arguments that no signature tells, or Flink refuses it. */
        UNKNOWN,
        /** The class, or one that it needs, is not there. */
        UNLOADED
    }

    private final ClassLoader job;
    private final SerializerConfig config;
    private final Map<TypeInformation<?>, Entry> known = new LinkedHashMap<>();
    private final List<Entry> unknown = new ArrayList<>();

    JobTypes(Configuration configuration, ClassLoader job) {
        this.job = job;
        ExecutionConfig execution = new ExecutionConfig(configuration);
        execution.configure(configuration, job);
        this.config = execution.getSerializerConfig();
    }

    /** Those that were found; a generic class that is met with its arguments is told with them. */
    Collection<Entry> entries() {
        List<Entry> all = new ArrayList<>(known.values());
        Set<String> names = all.stream().map(each -> each.name).collect(Collectors.toSet());
        unknown.removeIf(each -> each.way == Way.UNKNOWN && names.contains(each.name));
        all.addAll(unknown);
        return all;
    }

    /** Notes a class that is not there as a whole, or that cannot be asked. */
    void addUnloaded(String name, Throwable thrown) {
        Entry entry = new Entry(Way.UNLOADED, "", name, "");
        unknown.add(entry);
        String missing = missing(thrown);
        if (missing != null) {
            entry.because("MISSING", missing.replace('/', '.') + " is missing");
        } else if (thrown instanceof UnsupportedClassVersionError) {
            entry.because("LATER_JAVA", "it is compiled for a later Java");
        } else {
            entry.because("", sentence(thrown));
        }
    }

    /** The class that is not there; null where that is not what is wrong. */
    private static String missing(Throwable thrown) {
        if (thrown instanceof TypeNotPresentException) {
            return ((TypeNotPresentException) thrown).typeName();
        }
        String message = thrown.getMessage();
        boolean isName = message != null && message.indexOf(' ') < 0;
        return isName
                        && (thrown instanceof ClassNotFoundException
                                || thrown instanceof NoClassDefFoundError)
                ? message
                : null;
    }

    private static String sentence(Throwable thrown) {
        Throwable cause = thrown.getCause();
        boolean isTold = cause == null || thrown.toString().contains(cause.toString());
        return isTold ? thrown.toString() : thrown + ": " + cause;
    }

    /**
     * Adds the class itself, if its objects may be records, and what its signatures name.
     *
     * @throws LinkageError or {@code TypeNotPresentException} when a class that it needs is not
     *     there
     */
    void addClass(Class<?> type) throws InterruptedException, ExecutionException, TimeoutException {
        if (mayBeRecord(type)) {
            add(type, "");
        }
        for (Type each : JobSignatures.of(type)) {
            Class<?> raw = raw(each);
            // Windows and the like are not a job's records.
            if (isOfJob(raw) || Tuple.class.isAssignableFrom(raw) || raw == Row.class) {
                add(each, type.getName());
            }
        }
    }

    private static Class<?> raw(Type type) {
        return (Class<?>) (type instanceof Class ? type : ((ParameterizedType) type).getRawType());
    }

    private boolean isOfJob(Class<?> type) {
        return type.getClassLoader() != null
                && type.getClassLoader() != JobTypes.class.getClassLoader();
    }

    private static boolean mayBeRecord(Class<?> type) {
        return !type.isInterface()
                && !type.isEnum()
                && !type.isSynthetic()
                && !type.isAnonymousClass()
                && !Throwable.class.isAssignableFrom(type)
                && !isMachinery(type);
    }

    /**
     * Whether it is a function, a source, a serializer: what extends anything but Flink's values.
     */
    private static boolean isMachinery(Class<?> type) {
        if (type == null || Tuple.class.isAssignableFrom(type)) {
            return false;
        }
        String name = type.getName();
        if (name.startsWith(FLINK) || name.startsWith(KRYO)) {
            return !name.startsWith(FLINK_VALUES);
        }
        for (Class<?> each : type.getInterfaces()) {
            if (isMachinery(each)) {
                return true;
            }
        }
        return isMachinery(type.getSuperclass());
    }

    private void add(Type type, String place)
            throws InterruptedException, ExecutionException, TimeoutException {
        String name = type.getTypeName();
        if (type instanceof Class && ((Class<?>) type).getTypeParameters().length > 0) {
            addUnknown(name, place, "its fields depend on type arguments");
            return;
        }
        try {
            add(TypeExtractor.createTypeInfo(type), place);
        } catch (RuntimeException e) {
            // Flink refuses it, or a factory of the job's throws.
            addUnknown(name, place, sentence(e));
        } catch (StackOverflowError e) {
            // Flink 2 does so with a POJO that has a list of its own kind.
            addUnknown(name, place, "Flink does not come to an end with it: StackOverflowError");
        } catch (LinkageError | VirtualMachineError e) {
            throw e;
        } catch (Error e) {
            // As a factory throws that was never finished.
            addUnknown(name, place, sentence(e));
        }
    }

    private void addUnknown(String name, String place, String sentence) {
        for (Entry each : unknown) {
            if (each.way == Way.UNKNOWN && each.name.equals(name)) {
                each.meet(place);
                return;
            }
        }
        unknown.add(new Entry(Way.UNKNOWN, "", name, place).because("", sentence));
    }

    private void add(TypeInformation<?> info, String place)
            throws InterruptedException, ExecutionException, TimeoutException {
        Entry met = known.get(info);
        if (met != null) {
            met.meet(place);
            return;
        }
        if (info instanceof CompositeType || isOfJob(info.getTypeClass())) {
            Entry entry = decide(info, place);
            if (entry != null) {
                known.put(info, entry);
            }
        } else if (info.createSerializer(config) instanceof KryoSerializer) {
            known.put(info, new Entry(Way.KRYO, "", name(info), place));
        }
        String inside = name(info);
        if (info instanceof CompositeType) {
            CompositeType<?> composite = (CompositeType<?>) info;
            String[] fields = composite.getFieldNames();
            for (int i = 0; i < fields.length; i++) {
                add(composite.getTypeAt(i), inside + "." + fields[i]);
            }
        } else {
            for (TypeInformation<?> each : elements(info)) {
                add(each, place);
            }
        }
    }

    private static Collection<TypeInformation<?>> elements(TypeInformation<?> info) {
        if (info instanceof ObjectArrayTypeInfo) {
            return List.of(((ObjectArrayTypeInfo<?, ?>) info).getComponentInfo());
        }
        if (info instanceof ListTypeInfo) {
            return List.of(((ListTypeInfo<?>) info).getElementTypeInfo());
        }
        if (info instanceof MapTypeInfo) {
            MapTypeInfo<?, ?> map = (MapTypeInfo<?, ?>) info;
            return List.of(map.getKeyTypeInfo(), map.getValueTypeInfo());
        }
        // Either and the like.
        return info.getGenericParameters().values();
    }

    /** Null for an enum and what else has a value only. */
    private Entry decide(TypeInformation<?> info, String place)
            throws InterruptedException, ExecutionException, TimeoutException {
        TypeSerializer<?> serializer = info.createSerializer(config);
        String kind = kind(info.getTypeClass(), serializer);
        String name = name(info);
        if (kind.isEmpty()) {
            if (serializer instanceof KryoSerializer) {
                return new Entry(Way.KRYO, kind, name, place);
            }
            if (info.isBasicType() || info.getTypeClass().isEnum()) {
                return null;
            }
            return new Entry(Way.OTHER, kind, name, place)
                    .because("", serializer.getClass().getName());
        }
        if (!Families.RECORDS) {
            return new Entry(Way.STOCK, kind, name, place).because("OFF", "records are off");
        }
        GeneratedAccess.Outcome outcome =
                shape(serializer).outcome().get(GENERATION_SECONDS, TimeUnit.SECONDS);
        return outcome.reason() == null
                ? new Entry(Way.FAST, kind, name, place)
                : new Entry(Way.STOCK, kind, name, place)
                        .because(outcome.reason().name(), outcome.sentence());
    }

    private static String kind(Class<?> type, TypeSerializer<?> serializer) {
        if (serializer.getClass() == PojoSerializer.class) {
            Class<?> parent = type.getSuperclass();
            boolean record = parent != null && parent.getName().equals("java.lang.Record");
            return record ? "record" : "POJO";
        }
        if (serializer.getClass() == TupleSerializer.class) {
            return "tuple";
        }
        return serializer.getClass() == RowSerializer.class ? "row" : "";
    }

    /** What the serializer itself asks for before its first record. */
    private static GeneratedAccess shape(Object serializer) {
        if (serializer instanceof PojoSerializerPatch.Memory) {
            PojoSerializerPatch.Memory pojo = (PojoSerializerPatch.Memory) serializer;
            return Accesses.generated(
                    pojo.boostType(), pojo.boostFields(), pojo.boostSerializers());
        }
        if (serializer instanceof TupleSerializerPatch.Memory) {
            TupleSerializerPatch.Memory tuple = (TupleSerializerPatch.Memory) serializer;
            return Accesses.tuples(tuple.boostType(), tuple.boostSerializers());
        }
        RowSerializerPatch.Memory row = (RowSerializerPatch.Memory) serializer;
        return Accesses.rows(row.boostSerializers(), row.boostHasKind());
    }

    /** As one writes it in Java, what the language knows itself without its package. */
    private static String name(TypeInformation<?> info) {
        Class<?> type = info.getTypeClass();
        String name = type.getTypeName();
        if (name.startsWith("java.lang.") || Tuple.class.isAssignableFrom(type) && !isMade(type)) {
            name = name.substring(name.lastIndexOf('.') + 1);
        }
        List<String> arguments = new ArrayList<>();
        if (Tuple.class.isAssignableFrom(type) && info instanceof CompositeType) {
            for (int i = 0; i < info.getArity(); i++) {
                arguments.add(name(((CompositeType<?>) info).getTypeAt(i)));
            }
        } else {
            info.getGenericParameters().values().forEach(each -> arguments.add(name(each)));
        }
        return arguments.isEmpty() ? name : name + "<" + String.join(", ", arguments) + ">";
    }

    /** Whether a tuple's class is somebody's own. */
    private static boolean isMade(Class<?> type) {
        return type.getSuperclass() != Tuple.class || Modifier.isAbstract(type.getModifiers());
    }

    /** One type. */
    static final class Entry {

        private final Way way;
        private final String kind;
        private final String name;
        private String place;
        private String reason = "";
        private String sentence = "";

        /**
         * @param kind POJO, record, tuple or row; empty for others
         * @param place the field or the class that names it; empty where only the class is there
         */
        private Entry(Way way, String kind, String name, String place) {
            this.way = way;
            this.kind = kind;
            this.name = name;
            this.place = place;
        }

        private Entry because(String name, String words) {
            reason = name;
            sentence = words;
            return this;
        }

        private void meet(String where) {
            if (place.isEmpty()) {
                place = where;
            }
        }

        /** Its parts, with tabs between. */
        @Override
        public String toString() {
            String[] parts = {way.name(), kind, name, place, reason, sentence};
            for (int i = 0; i < parts.length; i++) {
                parts[i] = parts[i].replaceAll("\\s", " ");
            }
            return String.join("\t", parts);
        }
    }
}
