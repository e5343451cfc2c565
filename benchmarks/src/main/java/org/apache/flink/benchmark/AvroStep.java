// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.specific.SpecificRecordBase;

/** {@link Order.Step} as an Avro record, see {@link AvroOrder}. */
public class AvroStep extends SpecificRecordBase {

    /** Where Avro looks for the schema of a class. */
    public static final Schema SCHEMA$ =
            SchemaBuilder.record(AvroStep.class.getName())
                    .fields()
                    .requiredInt("id")
                    .requiredString("name")
                    .endRecord();

    private static final long serialVersionUID = 1L;

    public int id;
    public CharSequence name;

    /** For Avro. */
    public AvroStep() {}

    AvroStep(Order.Step step) {
        id = step.id;
        name = step.name;
    }

    @Override
    public Schema getSchema() {
        return SCHEMA$;
    }

    @Override
    public Object get(int field) {
        return field == 0 ? (Object) id : name;
    }

    @Override
    public void put(int field, Object value) {
        if (field == 0) {
            id = (int) value;
        } else {
            name = (CharSequence) value;
        }
    }
}
