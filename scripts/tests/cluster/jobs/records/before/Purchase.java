// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A POJO as it is before its class changes. */
public class Purchase {

    public long number;
    public String text;
    public Integer count;
    public Address place;
    public List<String> tags;
    public Object any;
    public int[] codes;
    public boolean paid;
    public short gone;
    private double price;

    public Purchase() {
        Makers.note("purchase");
    }

    static Purchase of(String text, long number) {
        Purchase made = new Purchase();
        made.number = number;
        made.text = text;
        made.price = number / 4.0;
        made.count = number % 3 == 0 ? null : (int) (number % 100);
        made.place = Address.of(text, number);
        made.tags = new ArrayList<>(List.of(text, String.valueOf(number)));
        made.any = new ArrayList<>(List.of(number, text));
        made.codes = text.chars().limit(3).toArray();
        made.paid = number % 2 == 1;
        made.gone = (short) (number % 1000 + 1);
        return made;
    }

    public double getPrice() {
        return price;
    }

    public void setPrice(double price) {
        this.price = price;
    }

    /** All that is in it. */
    List<String> texts() {
        List<Object> all = new ArrayList<>(List.of(number, text, price));
        all.add(count);
        all.addAll(Address.texts(place));
        all.addAll(List.of(tags, any, Arrays.toString(codes), paid, gone));
        return Texts.of(all);
    }
}
