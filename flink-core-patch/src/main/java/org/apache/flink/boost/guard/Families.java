// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.guard;

/**
 * Whether the patched methods of a family run our code or stock's; decided once for each process.
 *
 * <p>Woven bytecode reads the constant of its family, by the family's name in capitals, on every
 * call. They are static finals of a class of their own, which the compiler folds away. Its
 * initialiser does not throw, or the reason would be lost: {@link BoostMode} refuses.
 */
public final class Families {

    /** Strings, on the network and in state. */
    public static final boolean STRINGS = BoostMode.isOn(Switches.STRINGS);

    /** Serializers of records: POJOs, tuples and rows. */
    public static final boolean RECORDS = BoostMode.isOn(Switches.RECORDS);

    private Families() {}

    /**
     * Says once what was decided; each woven class calls it when it is initialised.
     *
     * @throws WrongFlinkVersionError as {@link BoostMode#require}
     */
    public static void require() {
        BoostMode.require();
    }
}
