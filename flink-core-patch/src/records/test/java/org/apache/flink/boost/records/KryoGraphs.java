// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Random objects, of all that Kryo reads in ways of its own.
 *
 * <p>Stock takes more than an array of one to seven bytes, and what goes past its buffer then comes
 * out of turn: such arrays are not in the same graph as objects that do.
 */
final class KryoGraphs {

    /** An object with others; public, because Kryo 2 may make it from another class loader. */
    public static class Node {
        boolean flag;
        byte small;
        short shorter;
        char letter;
        int number;
        long large;
        float rough;
        double fine;
        String text;
        Node next;
        Object any;
        Object[] many;
        TimeUnit unit;
        byte[] bytes;
        boolean[] flags;
        int[] numbers;
        List<Object> list;
    }

    private static final String LETTERS =
            "aZ 0\u00e9\u00ff\u0100\u0416\u20ac\ud83d\ude00\u0000\u007f\u0080\u07ff\u0800\uffff";

    private final Random random;
    private final boolean hasShortArrays;
    private final List<Node> nodes = new ArrayList<>();

    KryoGraphs(Random random) {
        this.random = random;
        hasShortArrays = random.nextBoolean();
    }

    Node node(int depth) {
        Node node = new Node();
        nodes.add(node);
        node.flag = random.nextBoolean();
        node.small = (byte) random.nextInt();
        node.shorter = (short) random.nextInt();
        node.letter = (char) random.nextInt();
        node.number = random.nextInt() >> random.nextInt(32);
        node.large = random.nextLong() >> random.nextInt(64);
        node.rough = random.nextFloat();
        node.fine = random.nextDouble();
        node.text = text();
        node.next = random.nextInt(3) == 0 ? nodes.get(random.nextInt(nodes.size())) : null;
        if (depth > 0) {
            node.any = any(depth - 1);
            node.many = random.nextBoolean() ? null : objects(depth - 1);
            node.list = random.nextBoolean() ? null : Arrays.asList(objects(depth - 1));
        }
        node.unit = random.nextBoolean() ? null : TimeUnit.values()[random.nextInt(7)];
        node.bytes = hasShortArrays ? null : bytes(random.nextInt(20));
        node.flags = random.nextInt(4) > 0 ? null : (boolean[]) array(0);
        node.numbers = random.nextInt(4) > 0 ? null : (int[]) array(4);
        return node;
    }

    private Object[] objects(int depth) {
        Object[] all = new Object[random.nextInt(4)];
        for (int i = 0; i < all.length; i++) {
            all[i] = any(depth);
        }
        return all;
    }

    private String text() {
        int length = random.nextInt(5) == 0 ? random.nextInt(700) : random.nextInt(20);
        int letters = random.nextBoolean() ? 4 : LETTERS.length();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < length; i++) {
            text.append(LETTERS.charAt(random.nextInt(letters)));
        }
        return text.toString();
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    /** An array of one of the eight primitives, mostly short. */
    private Object array(int kind) {
        int most = random.nextInt(10) == 0 ? 300 : 11;
        int length = hasShortArrays ? random.nextInt(most) : 8 + random.nextInt(most);
        switch (hasShortArrays && kind == 1 ? 0 : kind) {
            case 0:
                boolean[] flags = new boolean[length];
                Arrays.fill(flags, random.nextBoolean());
                return flags;
            case 1:
                return bytes(length);
            case 2:
                short[] shorts = new short[length];
                Arrays.fill(shorts, (short) random.nextInt());
                return shorts;
            case 3:
                return "x\u20ac".repeat(length).toCharArray();
            case 4:
                return random.ints(length).toArray();
            case 5:
                return random.longs(length).toArray();
            case 6:
                float[] floats = new float[length];
                Arrays.fill(floats, random.nextFloat());
                return floats;
            default:
                return random.doubles(length).toArray();
        }
    }

    Object any(int depth) {
        switch (random.nextInt(20)) {
            case 0:
                return null;
            case 1:
                return random.nextInt();
            case 2:
                return text();
            case 3:
                return hasShortArrays
                        ? text()
                        : new BigDecimal(new BigInteger(random.nextInt(200), random), 5);
            case 4:
                return new Date(random.nextInt());
            case 5:
                return KryoVersion.time(random);
            case 6:
                return Optional.of(text());
            case 7:
                return BitSet.valueOf(bytes(random.nextInt(20)));
            case 8:
                return new StringBuilder(text());
            case 9:
                return Node.class;
            case 10:
                Map<Object, Object> map =
                        random.nextBoolean() ? new HashMap<>() : new LinkedHashMap<>();
                map.put(text(), depth > 0 ? any(depth - 1) : 1L);
                map.put(text(), random.nextDouble());
                return map;
            case 11:
                return new TreeMap<>(Map.of(text(), random.nextLong()));
            case 12:
                return hasShortArrays ? text() : new IllegalStateException(text());
            case 13:
                return depth > 0 ? objects(depth - 1) : new String[] {text(), null, text()};
            case 14:
            case 15:
            case 16:
                return array(random.nextInt(8));
            default:
                return depth > 0 ? node(depth - 1) : random.nextLong();
        }
    }
}
