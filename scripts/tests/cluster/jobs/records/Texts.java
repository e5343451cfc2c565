// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.List;

/** The values of fields as texts. */
final class Texts {

    private Texts() {}

    /** One text for each value, but one for each element of a list. */
    static List<String> of(List<?> values) {
        List<String> texts = new ArrayList<>();
        for (Object value : values) {
            if (value instanceof List) {
                texts.addAll(of((List<?>) value));
            } else {
                texts.add(String.valueOf(value));
            }
        }
        return texts;
    }
}
