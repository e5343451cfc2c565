// SPDX-License-Identifier: Apache-2.0
package org.flinkboost.weaver.jar;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import net.bytebuddy.dynamic.ClassFileLocator;
import org.flinkboost.weaver.line.FamilySwitches;
import org.flinkboost.weaver.line.Line;
import org.flinkboost.weaver.line.PatchedClass;

/**
 * What the classes of a jar need of others. Each family whose classes lie aside is looked at by
 * itself: the others do without what it needs.
 */
public final class FamilyLinks {

    private final List<byte[]> classFiles;
    private final Line line;
    private final FamilySwitches switches;
    private final Set<String> apart;
    private final ClassFileLocator outside;

    /**
     * Of a jar in which no class lies aside yet.
     *
     * @param aside families whose classes will; the line need not have all of them
     * @param outside finds the classes that those of the jar refer to
     */
    public FamilyLinks(
            DropInJar jar,
            Line line,
            FamilySwitches switches,
            Set<String> aside,
            ClassFileLocator outside) {
        this.classFiles = jar.classFiles();
        this.line = line;
        this.switches = switches;
        this.apart = new TreeSet<>(aside);
        this.apart.retainAll(line.ownFamilies());
        this.outside = outside;
    }

    /** The families of the line whose classes lie aside, sorted. */
    public Set<String> apart() {
        return apart;
    }

    /** The links without which nothing runs. */
    public Set<String> shared() throws IOException {
        return of(name -> !apart.contains(familyOf(name)));
    }

    /** Those of one of the families apart. */
    public Set<String> of(String family) throws IOException {
        return of(name -> family.equals(familyOf(name)));
    }

    private Set<String> of(Predicate<String> isUser) throws IOException {
        return Links.of(classFiles, isUser, outside);
    }

    /** Of a woven class, and of one in the packages of a family; empty for what all share. */
    private String familyOf(String name) {
        PatchedClass patched = line.classes().get(name);
        return patched != null
                ? patched.family()
                : switches.familyOf(name, line.ownFamilies()).orElse("");
    }
}
