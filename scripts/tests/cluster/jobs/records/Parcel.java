// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.List;

/** What Flink leaves to Kryo. */
final class Parcel {

    private final String text;
    private final List<Long> numbers;

    Parcel(String text, long number) {
        this.text = text;
        this.numbers = new ArrayList<>(List.of(number, number + 1));
    }

    /** All that is in it. */
    List<String> texts() {
        return Texts.of(List.of(text, numbers));
    }
}
