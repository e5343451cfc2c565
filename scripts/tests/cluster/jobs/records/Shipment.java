// SPDX-License-Identifier: Apache-2.0

import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple3;
import org.apache.flink.types.Row;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A POJO with one record of each kind, and the processes that it has passed. */
public class Shipment {

    static final TypeInformation<Shipment> TYPE = type();

    public long number;
    public Purchase purchase;
    public Visit visit;
    public Tuple3<String, Long, Purchase> tuple;
    public Row row;
    public Parcel parcel;
    public String route;

    public Shipment() {}

    static Shipment of(long number) {
        Shipment made = new Shipment();
        String text = "Ж流😀é ".repeat((int) (number % 5)) + number;
        made.number = number;
        made.purchase = Purchase.of(text, number);
        made.visit = Visit.of(text, number);
        made.tuple = RecordTypes.tuple(text, number);
        made.row = RecordTypes.row(text, number);
        made.parcel = new Parcel(text, number);
        made.route = process();
        return made;
    }

    /** Notes the process that it is in. */
    Shipment arrived() {
        route += " " + process();
        return this;
    }

    /** Fails when anything in it is not as it was made. */
    void check() {
        List<String> made = of(number).texts();
        if (!texts().equals(made)) {
            throw new IllegalStateException("Became " + texts() + ", was " + made);
        }
    }

    private List<String> texts() {
        List<Object> all = new ArrayList<>(List.of(purchase.texts(), visit.texts()));
        all.addAll(List.of(tuple.f0, tuple.f1, tuple.f2.texts(), row.getKind()));
        all.addAll(List.of(row.getField(0), row.getField(1), ((Visit) row.getField(2)).texts()));
        all.add(row.getField(3));
        all.add(parcel.texts());
        return Texts.of(all);
    }

    private static String process() {
        return String.valueOf(ProcessHandle.current().pid());
    }

    private static TypeInformation<Shipment> type() {
        Map<String, TypeInformation<?>> fields = new HashMap<>();
        fields.put("number", Types.LONG);
        fields.put("purchase", RecordTypes.PURCHASE);
        fields.put("visit", RecordTypes.VISIT);
        fields.put("tuple", RecordTypes.TUPLE);
        fields.put("row", RecordTypes.ROW);
        fields.put("parcel", RecordTypes.PARCEL);
        fields.put("route", Types.STRING);
        return Types.POJO(Shipment.class, fields);
    }
}
