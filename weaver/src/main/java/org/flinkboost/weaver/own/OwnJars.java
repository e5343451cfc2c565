// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.own;

import static java.util.stream.Collectors.toUnmodifiableList;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.utility.OpenedClassReader;
import org.flinkboost.weaver.form.ClassForm;
import org.flinkboost.weaver.form.TypeShape;
import org.flinkboost.weaver.line.FlinkJar;
import org.flinkboost.weaver.line.WeaveException;

/**
 * The jars of somebody's own build of Flink: the one with Flink's own classes, then those of the
 * class path in its order, each opened when a class is looked for there.
 */
final class OwnJars implements AutoCloseable {

    private final Path dist;
    private final List<Path> others;
    private final Map<Path, Optional<FlinkJar>> opened = new LinkedHashMap<>();
    private final Set<FlinkJar> holders = new LinkedHashSet<>();

    OwnJars(Path dist, List<Path> classPath) throws IOException {
        this.dist = dist;
        others = new ArrayList<>(classPath);
        others.removeIf(path -> path.equals(dist) || !Files.isRegularFile(path));
        opened.put(dist, Optional.of(FlinkJar.openAny(dist)));
    }

    /**
     * The class file of that binary class name, of the first jar that has it.
     *
     * @param anywhere whether jars beside Flink's own count
     */
    Optional<byte[]> classFile(String className, boolean anywhere) throws IOException {
        Optional<byte[]> own = classFile(className, dist);
        if (own.isPresent() || !anywhere) {
            return own;
        }
        for (Path path : others) {
            Optional<byte[]> found = classFile(className, path);
            if (found.isPresent()) {
                return found;
            }
        }
        return Optional.empty();
    }

    private Optional<byte[]> classFile(String className, Path path) throws IOException {
        if (!opened.containsKey(path)) {
            opened.put(path, open(path));
        }
        Optional<FlinkJar> jar = opened.get(path);
        Optional<byte[]> found =
                jar.isPresent() ? jar.get().classFile(className) : Optional.empty();
        if (found.isPresent()) {
            holders.add(jar.get());
        }
        return found;
    }

    /** Those in which a class was found. */
    List<FlinkJar> holders() {
        return List.copyOf(holders);
    }

    /** Where these are. */
    List<Path> paths() {
        return holders.stream().map(FlinkJar::path).collect(toUnmodifiableList());
    }

    /**
     * The others that a JVM lets touch a class's private members, and it theirs; none for Java 8,
     * whose class files know no nests.
     */
    Collection<TypeShape> nestAround(byte[] classFile) throws IOException {
        TypeShape own = TypeShape.of(classFile);
        List<String> hosts = new ArrayList<>();
        Set<String> members = new TreeSet<>();
        read(classFile, hosts, members);
        for (String host : hosts) {
            members.add(host);
            Optional<byte[]> found = classFile(host, true);
            if (found.isPresent()) {
                read(found.get(), new ArrayList<>(), members);
            }
        }
        members.remove(own.name());
        List<TypeShape> others = new ArrayList<>();
        for (String member : members) {
            Optional<byte[]> found = classFile(member, true);
            if (found.isPresent() && ClassForm.isReadable(found.get())) {
                others.add(TypeShape.of(found.get()));
            }
        }
        return others;
    }

    private static void read(byte[] classFile, List<String> hosts, Set<String> members) {
        OpenedClassReader.of(classFile)
                .accept(
                        new ClassVisitor(OpenedClassReader.ASM_API) {
                            @Override
                            public void visitNestHost(String host) {
                                hosts.add(host);
                            }

                            @Override
                            public void visitNestMember(String member) {
                                members.add(member);
                            }
                        },
                        ClassReader.SKIP_CODE | ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    }

    @Override
    public void close() throws IOException {
        for (Optional<FlinkJar> jar : opened.values()) {
            if (jar.isPresent()) {
                jar.get().close();
            }
        }
    }

    /** None for what a JVM passes over on its class path, too. */
    private static Optional<FlinkJar> open(Path path) throws IOException {
        try {
            return Optional.of(FlinkJar.openAny(path));
        } catch (WeaveException noJar) {
            return Optional.empty();
        }
    }
}
