// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.List;

/** A Java record after it has changed: a component is gone, and a new one is the first. */
public record Visit(long added, String page, long millis, Address place, boolean done) {

    public Visit {
        Makers.note("visit");
    }

    static Visit of(String text, long number) {
        Address place = Address.of(text, number);
        return new Visit(number + 1, text, number * 1000, place, number % 2 == 1);
    }

    /** All that is in it. */
    List<String> texts() {
        List<Object> all = new ArrayList<>(List.of(page, millis));
        all.addAll(Address.texts(place));
        all.addAll(List.of(done, added));
        return Texts.of(all);
    }
}
