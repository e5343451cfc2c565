// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.List;

/** A Java record as it is before it changes. */
public record Visit(String page, long millis, Address place, boolean done, float gone) {

    public Visit {
        Makers.note("visit");
    }

    static Visit of(String text, long number) {
        Address place = Address.of(text, number);
        return new Visit(text, number * 1000, place, number % 2 == 1, number % 100 + 0.5f);
    }

    /** All that is in it. */
    List<String> texts() {
        List<Object> all = new ArrayList<>(List.of(page, millis));
        all.addAll(Address.texts(place));
        all.addAll(List.of(done, gone));
        return Texts.of(all);
    }
}
