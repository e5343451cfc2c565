// SPDX-License-Identifier: Apache-2.0

import java.util.Arrays;
import java.util.List;

/** A POJO inside of others, as it is before its class changes. */
public class Address {

    public String street;
    public byte house;

    public Address() {}

    static Address of(String text, long number) {
        if (number % 5 == 0) {
            return null;
        }
        Address made = new Address();
        made.street = text;
        made.house = (byte) (number % 7);
        return made;
    }

    static List<Object> texts(Address of) {
        return of == null ? Arrays.asList(null, null) : List.of(of.street, of.house);
    }
}
