// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.benchmark;

import java.util.ArrayList;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.specific.SpecificRecordBase;

/**
 * {@link Order} as an Avro record, in the form that Avro's code generator gives to such classes.
 * Strings are UTF-8 in Avro and never pass through {@code StringValue}.
 */
public class AvroOrder extends SpecificRecordBase {

    /** Where Avro looks for the schema of a class. */
    public static final Schema SCHEMA$ =
            SchemaBuilder.record(AvroOrder.class.getName())
                    .fields()
                    .requiredInt("id")
                    .requiredString("name")
                    .name("stepNames")
                    .type()
                    .array()
                    .items()
                    .stringType()
                    .noDefault()
                    .name("steps")
                    .type()
                    .array()
                    .items(AvroStep.SCHEMA$)
                    .noDefault()
                    .requiredInt("customer")
                    .requiredInt("shop")
                    .requiredInt("carrier")
                    .requiredString("remark")
                    .endRecord();

    private static final long serialVersionUID = 1L;

    public int id;
    public CharSequence name;
    public List<CharSequence> stepNames;
    public List<AvroStep> steps;
    public int customer;
    public int shop;
    public int carrier;
    public CharSequence remark;

    /** For Avro. */
    public AvroOrder() {}

    AvroOrder(Order order) {
        id = order.id;
        name = order.name;
        stepNames = List.of(order.stepNames);
        steps = new ArrayList<>();
        for (Order.Step step : order.steps) {
            steps.add(new AvroStep(step));
        }
        customer = order.customer;
        shop = order.shop;
        carrier = order.carrier;
        remark = (CharSequence) order.remark;
    }

    @Override
    public Schema getSchema() {
        return SCHEMA$;
    }

    @Override
    public Object get(int field) {
        switch (field) {
            case 0:
                return id;
            case 1:
                return name;
            case 2:
                return stepNames;
            case 3:
                return steps;
            case 4:
                return customer;
            case 5:
                return shop;
            case 6:
                return carrier;
            case 7:
                return remark;
            default:
                throw new IndexOutOfBoundsException("No field " + field);
        }
    }

    @Override
    @SuppressWarnings("unchecked") // Avro gives what the schema says.
    public void put(int field, Object value) {
        switch (field) {
            case 0:
                id = (int) value;
                break;
            case 1:
                name = (CharSequence) value;
                break;
            case 2:
                stepNames = (List<CharSequence>) value;
                break;
            case 3:
                steps = (List<AvroStep>) value;
                break;
            case 4:
                customer = (int) value;
                break;
            case 5:
                shop = (int) value;
                break;
            case 6:
                carrier = (int) value;
                break;
            case 7:
                remark = (CharSequence) value;
                break;
            default:
                throw new IndexOutOfBoundsException("No field " + field);
        }
    }
}
