// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import net.bytebuddy.jar.asm.ClassReader;
import net.bytebuddy.jar.asm.ClassVisitor;
import net.bytebuddy.utility.OpenedClassReader;

/** The classes that a JVM lets touch each other's private members: one, and those within it. */
final class Nest {

    private Nest() {}

    /** The others in the nest of a class; none for Java 8, whose class files know no nests. */
    static Collection<TypeShape> around(byte[] classFile, FlinkJar jar) throws IOException {
        TypeShape own = TypeShape.of(classFile);
        List<String> hosts = new ArrayList<>();
        Set<String> members = new TreeSet<>();
        read(classFile, hosts, members);
        for (String host : hosts) {
            members.add(host);
            Optional<byte[]> found = jar.classFile(host);
            if (found.isPresent()) {
                read(found.get(), new ArrayList<>(), members);
            }
        }
        members.remove(own.name());
        List<TypeShape> others = new ArrayList<>();
        for (String member : members) {
            Optional<byte[]> found = jar.classFile(member);
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
}
