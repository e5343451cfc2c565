// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records.shapes;

/** Why the records of a class go stock's way. */
public enum Reason {
    JDK_CLASS("the class comes with the JDK, or its class loader does not see flink-boost"),
    OTHER_FLINK("its class loader holds Flink's classes a second time"),
    NOT_PUBLIC("the class, or its constructor without parameters, is not public"),
    NOT_A_CLASS("it is abstract or an interface, so that only its subclasses have objects"),
    REMOVED_FIELD("what was written has a field that the class has no longer"),
    FIXED_FIELD("a field is final or static"),
    HIDDEN_TYPE("the type of a field is not visible from the class"),
    OTHER_TUPLE("it is a subclass of a tuple, or a tuple without fields"),
    NOT_ITS_COMPONENTS("its fields are not the components of the record"),
    TOO_LARGE("it has more fields than one generated class takes"),
    TOO_MANY_SHAPES("its fields are met in too many orders, or with too many serializers"),
    FAILED("the class that reads and writes it could not be generated");

    private final String sentence;

    Reason(String sentence) {
        this.sentence = sentence;
    }

    /** The reason in words, to stand behind "because". */
    public String sentence() {
        return sentence;
    }
}
