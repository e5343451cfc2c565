// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.sidebyside;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ObjectStreamClass;
import java.io.Serializable;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.flink.boost.strings.WovenRecord;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What reflection sees of a patched class: everything that stock's class has, with the same
 * modifiers and annotations, and besides only what the weaver adds: methods, and behind stock's
 * fields private transient ones. Kryo and Java serialization look at fields, the type analysis at
 * fields, getters and interfaces.
 */
class ClassShapeTest {

    private static final String OPENING = "boost";
    private static final String STOCK_BODY = "$flinkBoostStock";

    private static Set<String> classes() {
        return WovenRecord.jars().keySet();
    }

    @ParameterizedTest
    @MethodSource("classes")
    void fieldsAndConstructorsAreStocks(String name) {
        Class<?> ours = Sides.patchedType(name);
        Class<?> stocks = Sides.stockType(name);

        List<String> fields = described(ours.getDeclaredFields());
        int count = inOrder(stocks).size();
        assertThat(fields.subList(0, count)).isEqualTo(inOrder(stocks));
        assertThat(fields.subList(count, fields.size()))
                .as("added")
                .allMatch(added -> added.startsWith("private transient org.apache.flink.boost."))
                .allMatch(added -> added.contains(name + "." + OPENING));
        assertThat(sorted(ours.getDeclaredConstructors()))
                .isEqualTo(sorted(stocks.getDeclaredConstructors()));
        assertThat(named(ours.getDeclaredClasses())).isEqualTo(named(stocks.getDeclaredClasses()));
    }

    @ParameterizedTest
    @MethodSource("classes")
    void theClassItselfIsDeclaredAsStocks(String name) {
        assertThat(declaration(Sides.patchedType(name)))
                .isEqualTo(declaration(Sides.stockType(name)));
    }

    @ParameterizedTest
    @MethodSource("classes")
    void methodsAreStocksAndThoseOfTheWeaver(String name) {
        Set<String> ours = sorted(Sides.patchedType(name).getDeclaredMethods());
        Set<String> stocks = sorted(Sides.stockType(name).getDeclaredMethods());

        assertThat(ours).containsAll(stocks);
        ours.removeAll(stocks);
        assertThat(ours)
                .as("added")
                .allMatch(added -> added.contains(" " + OPENING) || added.contains(STOCK_BODY));
        assertThat(ours.stream().filter(added -> added.contains(STOCK_BODY)))
                .as("stock's bodies are nobody's business")
                .allMatch(added -> added.contains("private "));
        // Nothing that a search for properties takes for one.
        assertThat(ours).noneMatch(added -> added.matches(".* (get|set|is)[A-Z].*"));
    }

    @ParameterizedTest
    @MethodSource("classes")
    void interfacesAreStocksAndOurs(String name) {
        List<String> ours = named(Sides.patchedType(name).getInterfaces());
        List<String> stocks = named(Sides.stockType(name).getInterfaces());

        assertThat(ours.subList(0, stocks.size())).isEqualTo(stocks);
        assertThat(ours.subList(stocks.size(), ours.size()))
                .allMatch(added -> added.startsWith("org.apache.flink.boost."));
    }

    @ParameterizedTest
    @MethodSource("classes")
    void javaSerializationSeesTheSameClass(String name) {
        Class<?> ours = Sides.patchedType(name);
        ObjectStreamClass one = ObjectStreamClass.lookup(ours);
        ObjectStreamClass other = ObjectStreamClass.lookup(Sides.stockType(name));

        assertThat(one != null).isEqualTo(Serializable.class.isAssignableFrom(ours));
        assertThat(other != null).isEqualTo(one != null);
        if (one != null) {
            assertThat(one.getSerialVersionUID()).isEqualTo(other.getSerialVersionUID());
            assertThat(Arrays.toString(one.getFields()))
                    .isEqualTo(Arrays.toString(other.getFields()));
        }
    }

    /** The descriptions tell classes apart, and the class under test is the woven one. */
    @ParameterizedTest
    @MethodSource("classes")
    void anotherClassHasAnotherShape(String name) {
        Class<?> ours = Sides.patchedType(name);

        assertThat(described(ours.getDeclaredFields()))
                .isNotEqualTo(described(Thread.class.getDeclaredFields()));
        assertThat(sorted(ours.getDeclaredMethods()))
                .isNotEqualTo(sorted(Sides.stockType(name).getDeclaredMethods()));
        assertThat(declaration(ours)).isNotEqualTo(declaration(Thread.class));
    }

    private static List<String> inOrder(Class<?> type) {
        return described(type.getDeclaredFields());
    }

    private static List<String> described(Field[] fields) {
        return Arrays.stream(fields)
                .map(field -> field.toGenericString() + annotations(field))
                .collect(Collectors.toList());
    }

    private static <T extends AnnotatedElement & Member> Set<String> sorted(T[] members) {
        return Arrays.stream(members)
                .map(ClassShapeTest::described)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static <T extends AnnotatedElement & Member> String described(T member) {
        String text =
                member instanceof Method
                        ? methodText((Method) member)
                        : Modifier.toString(member.getModifiers()) + " " + member;
        return text + annotations(member);
    }

    /** Modifiers, result, name and the rest, with a space in front of the simple name. */
    private static String methodText(Method method) {
        return Modifier.toString(method.getModifiers())
                + (method.isBridge() ? " bridge " : " ")
                + method.getGenericReturnType()
                + " "
                + method.getName()
                + Arrays.toString(method.getGenericParameterTypes())
                + Arrays.toString(method.getGenericExceptionTypes());
    }

    private static String annotations(AnnotatedElement element) {
        return Stream.of(element.getDeclaredAnnotations())
                .map(Object::toString)
                .sorted()
                .collect(Collectors.joining(" ", " ", ""));
    }

    private static List<String> declaration(Class<?> type) {
        List<String> parts = new ArrayList<>();
        parts.add(type.toGenericString());
        parts.add(String.valueOf(type.getGenericSuperclass()));
        parts.add(annotations(type));
        parts.add(String.valueOf(type.getEnclosingClass()));
        return parts;
    }

    private static List<String> named(Class<?>[] types) {
        return Arrays.stream(types).map(Class::getName).collect(Collectors.toList());
    }
}
