// SPDX-License-Identifier: Apache-2.0
package org.apache.flink.boost.records;

import java.util.Arrays;
import java.util.Objects;
import org.apache.thrift.TBase;
import org.apache.thrift.TException;
import org.apache.thrift.TFieldIdEnum;
import org.apache.thrift.protocol.TField;
import org.apache.thrift.protocol.TProtocol;
import org.apache.thrift.protocol.TProtocolUtil;
import org.apache.thrift.protocol.TStruct;
import org.apache.thrift.protocol.TType;

/** A struct as Thrift's compiler makes them, by hand: two fields that may be missing. */
public final class KryoThriftStruct implements TBase<KryoThriftStruct, KryoThriftStruct.Part> {

    private static final long serialVersionUID = 1L;

    private Long number;
    private String text;

    /** The fields. */
    public enum Part implements TFieldIdEnum {
        NUMBER(TType.I64),
        TEXT(TType.STRING);

        private final byte type;

        Part(byte type) {
            this.type = type;
        }

        @Override
        public short getThriftFieldId() {
            return (short) (ordinal() + 1);
        }

        @Override
        public String getFieldName() {
            return name();
        }
    }

    /** For Thrift. */
    public KryoThriftStruct() {}

    KryoThriftStruct(Long number, String text) {
        this.number = number;
        this.text = text;
    }

    @Override
    public void read(TProtocol in) throws TException {
        in.readStructBegin();
        while (true) {
            TField field = in.readFieldBegin();
            if (field.type == TType.STOP) {
                break;
            }
            Part part = fieldForId(field.id);
            if (part == null || part.type != field.type) {
                TProtocolUtil.skip(in, field.type);
            } else {
                setFieldValue(part, part == Part.NUMBER ? in.readI64() : in.readString());
            }
            in.readFieldEnd();
        }
        in.readStructEnd();
    }

    @Override
    public void write(TProtocol out) throws TException {
        out.writeStructBegin(new TStruct("Struct"));
        for (Part part : Part.values()) {
            if (isSet(part)) {
                out.writeFieldBegin(
                        new TField(part.getFieldName(), part.type, part.getThriftFieldId()));
                if (part == Part.NUMBER) {
                    out.writeI64(number);
                } else {
                    out.writeString(text);
                }
                out.writeFieldEnd();
            }
        }
        out.writeFieldStop();
        out.writeStructEnd();
    }

    @Override
    public Part fieldForId(int id) {
        return id == 1 || id == 2 ? Part.values()[id - 1] : null;
    }

    @Override
    public boolean isSet(Part part) {
        return getFieldValue(part) != null;
    }

    @Override
    public Object getFieldValue(Part part) {
        return part == Part.NUMBER ? number : text;
    }

    @Override
    public void setFieldValue(Part part, Object value) {
        if (part == Part.NUMBER) {
            number = (Long) value;
        } else {
            text = (String) value;
        }
    }

    @Override
    public KryoThriftStruct deepCopy() {
        return new KryoThriftStruct(number, text);
    }

    @Override
    public void clear() {
        number = null;
        text = null;
    }

    @Override
    public int compareTo(KryoThriftStruct other) {
        return toString().compareTo(other.toString());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof KryoThriftStruct
                && Objects.equals(number, ((KryoThriftStruct) other).number)
                && Objects.equals(text, ((KryoThriftStruct) other).text);
    }

    @Override
    public int hashCode() {
        return Objects.hash(number, text);
    }

    @Override
    public String toString() {
        return Arrays.asList(number, text).toString();
    }
}
