"""The class file of a program that prints what the guard says.

Made here, because a run-time image of Java has no compiler, and no class with a ``main`` is to be
in the jar that runs with Flink. In Java it is::

    public static void main(String[] arguments) {
        System.out.println(System.getProperty("java.specification.version"));
        System.out.println(VersionGuard.verdict().fits());
        System.out.println(VersionGuard.verdict().fitsSwitchedOff());
        System.out.println(VersionGuard.verdict().sentence());
    }
"""

from __future__ import annotations

import struct

CLASS_NAME = "AskGuard"

# Java 6: no later one asks for a table of stack frames, and 8 reads it, too.
_MAJOR = 50
_PUBLIC, _STATIC, _SUPER = 0x0001, 0x0008, 0x0020
_UTF8, _CLASS, _STRING, _FIELD, _METHOD, _NAME_AND_TYPE = 1, 7, 8, 9, 10, 12
_LDC_W, _RETURN, _GETSTATIC, _INVOKEVIRTUAL, _INVOKESTATIC = 0x13, 0xB1, 0xB2, 0xB6, 0xB8
_STACK, _LOCALS = 2, 1

_GUARD = "org/apache/flink/boost/guard/VersionGuard"
_VERDICT = "org/apache/flink/boost/guard/Verdict"
_TEXT = "Ljava/lang/String;"


class _Constants:
    """The constant pool; each constant once, counted from 1."""

    def __init__(self) -> None:
        self._places: dict[bytes, int] = {}

    def _place(self, constant: bytes) -> int:
        return self._places.setdefault(constant, len(self._places) + 1)

    def text(self, value: str) -> int:
        content = value.encode("ascii")
        return self._place(struct.pack(">BH", _UTF8, len(content)) + content)

    def named(self, tag: int, name: str) -> int:
        return self._place(struct.pack(">BH", tag, self.text(name)))

    def member(self, tag: int, owner: str, name: str, descriptor: str) -> int:
        named = struct.pack(">BHH", _NAME_AND_TYPE, self.text(name), self.text(descriptor))
        owner_place, named_place = self.named(_CLASS, owner), self._place(named)
        return self._place(struct.pack(">BHH", tag, owner_place, named_place))

    def packed(self) -> bytes:
        return struct.pack(">H", len(self._places) + 1) + b"".join(self._places)


def asking_class() -> bytes:
    """The class file; the program takes no arguments and prints four lines."""
    pool = _Constants()

    def call(instruction: int, owner: str, name: str, descriptor: str) -> bytes:
        tag = _FIELD if instruction == _GETSTATIC else _METHOD
        return struct.pack(">BH", instruction, pool.member(tag, owner, name, descriptor))

    def printed(code: bytes, kind: str) -> bytes:
        stream = "java/io/PrintStream"
        out = call(_GETSTATIC, "java/lang/System", "out", f"L{stream};")
        return out + code + call(_INVOKEVIRTUAL, stream, "println", f"({kind})V")

    key = struct.pack(">BH", _LDC_W, pool.named(_STRING, "java.specification.version"))
    code = printed(
        key + call(_INVOKESTATIC, "java/lang/System", "getProperty", f"({_TEXT}){_TEXT}"), _TEXT
    )
    for name, kind in (("fits", "Z"), ("fitsSwitchedOff", "Z"), ("sentence", _TEXT)):
        verdict = call(_INVOKESTATIC, _GUARD, "verdict", f"()L{_VERDICT};")
        code += printed(verdict + call(_INVOKEVIRTUAL, _VERDICT, name, f"(){kind}"), kind)
    code += struct.pack(">B", _RETURN)

    # Neither exceptions that are caught nor further attributes.
    body = struct.pack(">HHI", _STACK, _LOCALS, len(code)) + code + struct.pack(">HH", 0, 0)
    attribute = struct.pack(">HI", pool.text("Code"), len(body)) + body
    main = struct.pack(">HHHH", _PUBLIC | _STATIC, pool.text("main"), pool.text(f"([{_TEXT})V"), 1)
    this, parent = pool.named(_CLASS, CLASS_NAME), pool.named(_CLASS, "java/lang/Object")
    # No interfaces, no fields, one method, no attributes.
    shape = struct.pack(">HHHHHH", _PUBLIC | _SUPER, this, parent, 0, 0, 1)
    head = struct.pack(">IHH", 0xCAFEBABE, 0, _MAJOR)
    return head + pool.packed() + shape + main + attribute + struct.pack(">H", 0)
