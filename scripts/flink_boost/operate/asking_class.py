"""The class files of programs that print what the guard says, and where classes come from.

Made here, because a run-time image of Java has no compiler, and no class with a ``main`` is to be
in the jar that runs with Flink. In Java it is::

    public static void main(String[] arguments) {
        VersionGuard.verdict().sentence(); // An agent may print when classes are loaded.
        System.out.println("flink-boost-guard:");
        System.out.println(System.getProperty("java.specification.version"));
        System.out.println(VersionGuard.verdict().fits());
        System.out.println(VersionGuard.verdict().fitsSwitchedOff());
        System.out.println(VersionGuard.verdict().sentence());
        System.out.println(BoostMode.report());
        System.out.flush();
        Runtime.getRuntime().halt(0); // A thread of an agent's would let it run on.
    }

``starting_class`` does the last of it alone.

The other one, ``where_class``, prints instead, each line with the mark in front, for a JVM may
print others between them; the first two kinds once for each name::

        System.out.println(Collections.list(ClassLoader.getSystemResources("a/B.class")));
        System.out.println(Class.forName("a.B", false, ClassLoader.getSystemClassLoader())
                .getProtectionDomain().getCodeSource().getLocation());
        System.out.println(System.getProperty("java.class.path"));

and behind these, where it is to, what the first prints of the verdict.
"""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterable, Mapping, Sequence

from flink_boost.base.users import User, start_options
from flink_boost.flink.switches import ALL_NEIGHBOURS

CLASS_NAME = "AskGuard"
# The line before what it tells, or the begin of each.
MARK = "flink-boost-guard:"

SECONDS = 120.0
# Paths come back as they are; older Javas know the second name only.
UTF8 = ("-Dfile.encoding=UTF-8", "-Dstdout.encoding=UTF-8", "-Dsun.stdout.encoding=UTF-8")

# Java 6: no later one asks for a table of stack frames, and 8 reads it, too.
_MAJOR = 50
_PUBLIC, _STATIC, _SUPER = 0x0001, 0x0008, 0x0020
_UTF8, _CLASS, _STRING, _FIELD, _METHOD, _NAME_AND_TYPE = 1, 7, 8, 9, 10, 12
_LDC_W, _RETURN, _GETSTATIC, _INVOKEVIRTUAL, _INVOKESTATIC = 0x13, 0xB1, 0xB2, 0xB6, 0xB8
_POP = 0x57
_FALSE = _ZERO = b"\x03"
_STACK, _LOCALS = 5, 1

_GUARD = "org/apache/flink/boost/guard/VersionGuard"
_MODE = "org/apache/flink/boost/guard/BoostMode"
_VERDICT = "org/apache/flink/boost/guard/Verdict"
_TEXT = "Ljava/lang/String;"
_OBJECT = "Ljava/lang/Object;"
_LOADER = "Ljava/lang/ClassLoader;"


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


class _Program:
    """The code of a ``main`` that prints one line after another, ``mark`` in front of each."""

    def __init__(self, mark: str = "") -> None:
        self._mark = mark
        self._pool = _Constants()
        self._code = b""

    def call(self, instruction: int, owner: str, name: str, descriptor: str) -> bytes:
        tag = _FIELD if instruction == _GETSTATIC else _METHOD
        return struct.pack(">BH", instruction, self._pool.member(tag, owner, name, descriptor))

    def text(self, value: str) -> bytes:
        return struct.pack(">BH", _LDC_W, self._pool.named(_STRING, value))

    def print(self, code: bytes, kind: str = _OBJECT) -> None:
        stream = "java/io/PrintStream"
        out = self.call(_GETSTATIC, "java/lang/System", "out", f"L{stream};")
        if self._mark:
            text = "java/lang/String"
            code = self.text(self._mark) + code
            given = _OBJECT if kind == _TEXT else kind
            code += self.call(_INVOKESTATIC, text, "valueOf", f"({given}){_TEXT}")
            code += self.call(_INVOKEVIRTUAL, text, "concat", f"({_TEXT}){_TEXT}")
            kind = _TEXT
        self._code += out + code + self.call(_INVOKEVIRTUAL, stream, "println", f"({kind})V")

    def print_property(self, name: str) -> None:
        key = self.text(name)
        getter = self.call(_INVOKESTATIC, "java/lang/System", "getProperty", f"({_TEXT}){_TEXT}")
        self.print(key + getter, _TEXT)

    def ask_guard(self) -> None:
        """So that what is printed meanwhile, by whomever, comes before all else."""
        self._code += self._of_verdict("sentence", _TEXT) + struct.pack(">B", _POP)

    def halt(self) -> None:
        """Ends the JVM, whatever else runs in it."""
        stream, runtime = "java/io/PrintStream", "java/lang/Runtime"
        for instruction, owner, name, descriptor in (
            (_GETSTATIC, "java/lang/System", "out", f"L{stream};"),
            (_INVOKEVIRTUAL, stream, "flush", "()V"),
            (_INVOKESTATIC, runtime, "getRuntime", f"()L{runtime};"),
        ):
            self._code += self.call(instruction, owner, name, descriptor)
        self._code += _ZERO + self.call(_INVOKEVIRTUAL, runtime, "halt", "(I)V")

    def print_verdict(self) -> None:
        for name, kind in (("fits", "Z"), ("fitsSwitchedOff", "Z"), ("sentence", _TEXT)):
            self.print(self._of_verdict(name, kind), kind)

    def print_report(self) -> None:
        self.print(self.call(_INVOKESTATIC, _MODE, "report", f"(){_TEXT}"), _TEXT)

    def _of_verdict(self, name: str, kind: str) -> bytes:
        verdict = self.call(_INVOKESTATIC, _GUARD, "verdict", f"()L{_VERDICT};")
        return verdict + self.call(_INVOKEVIRTUAL, _VERDICT, name, f"(){kind}")

    def print_places(self, file: str) -> None:
        several = "Ljava/util/Enumeration;"
        code = self.text(file)
        code += self.call(
            *(_INVOKESTATIC, "java/lang/ClassLoader", "getSystemResources", f"({_TEXT}){several}")
        )
        made = f"({several})Ljava/util/ArrayList;"
        self.print(code + self.call(_INVOKESTATIC, "java/util/Collections", "list", made))

    def print_origin(self, class_name: str) -> None:
        loader = self.call(
            *(_INVOKESTATIC, "java/lang/ClassLoader", "getSystemClassLoader", f"(){_LOADER}")
        )
        code = self.text(class_name) + _FALSE + loader
        for instruction, owner, name, descriptor in (
            (_INVOKESTATIC, "lang/Class", "forName", f"({_TEXT}Z{_LOADER})Ljava/lang/Class;"),
            (_INVOKEVIRTUAL, "lang/Class", "getProtectionDomain", "()Ljava/security/{};"),
            (_INVOKEVIRTUAL, "security/ProtectionDomain", "getCodeSource", "()Ljava/security/{};"),
            (_INVOKEVIRTUAL, "security/CodeSource", "getLocation", "()Ljava/net/URL;"),
        ):
            returned = descriptor.format(name.removeprefix("get"))
            code += self.call(instruction, f"java/{owner}", name, returned)
        self.print(code)

    def class_file(self, class_name: str) -> bytes:
        pool, code = self._pool, self._code + struct.pack(">B", _RETURN)
        # Neither exceptions that are caught nor further attributes.
        body = struct.pack(">HHI", _STACK, _LOCALS, len(code)) + code + struct.pack(">HH", 0, 0)
        attribute = struct.pack(">HI", pool.text("Code"), len(body)) + body
        named = pool.text("main"), pool.text(f"([{_TEXT})V")
        main = struct.pack(">HHHH", _PUBLIC | _STATIC, *named, 1)
        this, parent = pool.named(_CLASS, class_name), pool.named(_CLASS, "java/lang/Object")
        # No interfaces, no fields, one method, no attributes.
        shape = struct.pack(">HHHHHH", _PUBLIC | _SUPER, this, parent, 0, 0, 1)
        head = struct.pack(">IHH", 0xCAFEBABE, 0, _MAJOR)
        return head + pool.packed() + shape + main + attribute + struct.pack(">H", 0)


def asking_class(*, report: bool) -> bytes:
    """The program that asks the guard: no arguments; it prints four lines behind the mark.

    Behind these it prints the report on families, if it is to: jars up to 0.2.0 have none.
    """
    program = _Program()
    program.ask_guard()
    program.print(program.text(MARK), _TEXT)
    program.print_property("java.specification.version")
    program.print_verdict()
    if report:
        program.print_report()
    program.halt()
    return program.class_file(CLASS_NAME)


def starting_class() -> bytes:
    """The program that ends as soon as it has started."""
    program = _Program()
    program.halt()
    return program.class_file(CLASS_NAME)


def where_class(
    files: Iterable[str] = (), classes: Iterable[str] = (), *, guard: bool = False
) -> bytes:
    """The program that tells where files and classes are, in that order, then the class path.

    First it prints the guard's three lines, if it is to: that puts classes in place.
    """
    program = _Program(MARK)
    if guard:
        program.print_verdict()
    for file in files:
        program.print_places(file)
    for name in classes:
        program.print_origin(name)
    program.print_property("java.class.path")
    return program.class_file(CLASS_NAME)


def run_program(
    java: str,
    options: Sequence[str],
    class_path: str,
    environment: Mapping[str, str],
    user: User | None,
) -> subprocess.CompletedProcess[str]:
    """Runs one of these programs from a class path that has it, as ``user`` or as who calls.

    In it the guard looks at all classes that ours link to; a process of Flink's does so only in a
    release that the jar was not tested on.

    Raises ``OSError`` and ``subprocess.SubprocessError`` where that Java cannot be run, or does not
    end in ``SECONDS``.
    """
    return subprocess.run(
        [java, *options, ALL_NEIGHBOURS, "-cp", class_path, CLASS_NAME],
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        timeout=SECONDS,
        check=False,
        **start_options(user),
    )
