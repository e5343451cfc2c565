// SPDX-License-Identifier: Apache-2.0

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;

import java.util.Objects;

/**
 * Two texts in a class that Flink leaves to Kryo, as it does with any class without a constructor
 * that takes nothing.
 *
 * <p>Kryo writes a string that is the same object as an earlier one as a reference to it. So the
 * bytes of a key tell whether its two texts are one object, although {@code equals} does not.
 */
final class GenericKey implements Comparable<GenericKey> {

    static final TypeInformation<GenericKey> TYPE = Types.GENERIC(GenericKey.class);

    final String first;
    final String second;

    GenericKey(String first, String second) {
        this.first = first;
        this.second = second;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof GenericKey
                && first.equals(((GenericKey) other).first)
                && second.equals(((GenericKey) other).second);
    }

    @Override
    public int hashCode() {
        return Objects.hash(first, second);
    }

    @Override
    public int compareTo(GenericKey other) {
        int byFirst = first.compareTo(other.first);
        return byFirst != 0 ? byFirst : second.compareTo(other.second);
    }
}
