"""A Flink whose serializers of fields are not the releases': its bytes stay its own."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest
from installations import CARRIED, LINE
from java_programs import classes_of
from own_flinks import compiled

from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.jdks import java_home
from flink_boost.flink.lines import OPENS_JAVA_LANG

BASE = "org.apache.flink.api.common.typeutils.base."
INTEGERS = (f"{BASE}IntSerializer", "target.writeInt(record);", "target.writeInt(~record);")
NUMBERS = (f"{BASE}LongSerializer", "return source.readLong();", "return ~source.readLong();")
LONG_STRINGS = (
    f"{BASE}StringSerializer",
    "StringValue.writeString(record, target);",
    "StringValue.writeString(record.length() < 99 ? record : '-' + record, target);",
)
MASKS = (
    "org.apache.flink.api.java.typeutils.runtime.MaskUtils",
    "b <<= (8 - bytePos);",
    "b = b << (8 - bytePos) | 1;",
)
PROGRAM = """
import java.util.HexFormat;
import org.apache.flink.api.common.serialization.SerializerConfigImpl;
import org.apache.flink.api.common.typeinfo.*;
import org.apache.flink.api.common.typeutils.TypeSerializer;
import org.apache.flink.api.java.tuple.*;
import org.apache.flink.core.memory.*;
import org.apache.flink.types.Row;

public class Fields {
    public static class Order {
        public int amount = 1;
        public Integer discount = 2;
        public long number = 3;
    }

    public static void main(String[] none) throws Exception {
        // Before anything else of Flink: our jar checks itself when this class is initialised.
        DataOutputSerializer first = new DataOutputSerializer(64);
        show(TypeInformation.of(Order.class), new Order());
        show(Types.TUPLE(Types.INT, Types.LONG), Tuple2.of(4, 5L));
        Row row = Row.of(null, 6);
        show(Types.ROW(Types.LONG, Types.INT), row);
        show(Types.TUPLE(Types.STRING), Tuple1.of("a".repeat(200)));
    }

    static <T> void show(TypeInformation<T> type, T value) throws Exception {
        TypeSerializer<T> serializer = type.createSerializer(new SerializerConfigImpl());
        DataOutputSerializer out = new DataOutputSerializer(64);
        serializer.serialize(value, out);
        byte[] bytes = out.getCopyOfBuffer();
        out.clear();
        serializer.serialize(serializer.deserialize(new DataInputDeserializer(bytes)), out);
        HexFormat hex = HexFormat.of();
        System.out.println(hex.formatHex(bytes) + " " + hex.formatHex(out.getCopyOfBuffer()));
    }
}
"""

pytestmark = pytest.mark.needs_jars(LINE.version)


def written(*class_path: Path) -> list[str]:
    jars = sorted((ensure_distribution(LINE) / "lib").glob("*.jar"))
    program = classes_of("Fields", PROGRAM, tuple(jars))
    command = [
        *(java_home(17) / "bin" / "java", OPENS_JAVA_LANG, "-XX:TieredStopAtLevel=1"),
        *("-cp", os.pathsep.join(map(str, (*class_path, program, *jars))), "Fields"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=150, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    # Beside lines of the log.
    return [line for line in done.stdout.splitlines() if set(line) <= set("0123456789abcdef ")]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [INTEGERS, NUMBERS, LONG_STRINGS, MASKS],
    ids=["int", "long", "string", "mask"],
)
def test_other_bytes_of_a_field_stay(name: str, old: str, new: str, tmp_path: Path) -> None:
    changed = compiled(tmp_path, [name], changes={name: (old, new)})
    own, official = written(changed), written()
    assert own != official
    assert written(changed, CARRIED.dropin(LINE)) == own
    assert written(CARRIED.dropin(LINE)) == official
