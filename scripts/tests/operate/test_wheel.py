"""The wheel, as an operator has it: another folder, an environment of its own, no source tree."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from installations import (
    CARRIED,
    JAR,
    LINE,
    VERSION,
    java_environment,
    new_home,
    our_jars,
)
from installed_wheels import wheel_of
from own_flinks import own_home

from flink_boost.base.errors import BrokenData, EnvironmentProblem
from flink_boost.base.files import sha256
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.flink.lines import Line
from flink_boost.flink.profiler import CONVERTER, LIBRARY
from flink_boost.operate.carried import BYTE_BUDDY, of_tree, of_wheel
from flink_boost.operate.wheel import build_wheel
from suites.selection import built_lines

pytestmark = pytest.mark.needs_jars


@pytest.fixture(scope="module")
def every_line(pytestconfig: pytest.Config) -> list[Line]:
    """All of them in ``make test-all``, and in ``make test`` those that it builds."""
    return built_lines(pytestconfig)


@pytest.fixture(scope="module")
def wheel(every_line: list[Line], tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheel(PROJECT_ROOT, every_line, CARRIED, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def program(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``flink-boost`` in a fresh environment with the wheel and nothing but what it asks for."""
    folder = tmp_path_factory.mktemp("operator") / "venv"
    name, content = wheel_of("click")
    (folder.parent / name).write_bytes(content)
    subprocess.run([sys.executable, "-m", "venv", str(folder)], timeout=120, check=True)
    subprocess.run(
        [
            *(str(folder / "bin" / "pip"), "install", "--quiet", "--disable-pip-version-check"),
            *("--no-index", "--find-links", str(folder.parent), str(wheel)),
        ],
        timeout=120,
        check=True,
    )
    return folder / "bin" / "flink-boost"


# What the command would use in the source tree, hidden from it behind empty mounts of its own.
HIDDEN = ("scripts", "build", "weaver", "flink-patch", ".cache/examples", "lines.toml")
HIDE = """
for path in HIDDEN; do
    if [ -d "$0/$path" ]; then
        mount -t tmpfs none "$0/$path" || exit
    else
        mount --bind /dev/null "$0/$path" || exit
    fi
done
if maven=$(command -v mvn); then
    mount --bind /dev/null "$(readlink -f "$maven")" || exit
fi
exec "$@"
""".replace("HIDDEN", " ".join(HIDDEN))

FEWER_STRINGS = """
import sys
from flink_boost.cli.main import main
from flink_boost.operate import verify
verify.STRINGS = 5000
sys.exit(main(sys.argv[1:]))
"""


def call(program: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Runs it as if there were no source tree, no network and no Maven."""
    return subprocess.run(
        [
            *("unshare", "--user", "--map-root-user", "--mount", "--net", "sh", "-c", HIDE),
            *(str(PROJECT_ROOT), str(program), *map(str, arguments)),
        ],
        env=java_environment(LINE),
        cwd="/",
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )


@pytest.mark.parametrize("strings", ["few", pytest.param("all", marks=pytest.mark.test_all)])
def test_it_installs_verifies_and_uninstalls_without_the_source_tree(
    program: Path, tmp_path: Path, strings: str
) -> None:
    home = new_home(tmp_path / "flink")
    installed = call(program, "install", home)
    assert installed.returncode == 0, installed.stderr
    assert our_jars(home) == [JAR]

    few = (program.with_name("python"), "-c", FEWER_STRINGS)
    verified = call(*(few if strings == "few" else (program,)), "verify", home, "--json")
    assert verified.returncode == 0, verified.stderr
    assert json.loads(verified.stdout)["ok"] is True

    assert call(program, "doctor", home).returncode == 0
    assert call(program, "uninstall", home).returncode == 0
    assert our_jars(home) == []


ASK = """
import json, shutil
interfaces = [line.split(":")[0].strip() for line in open("/proc/net/dev") if ":" in line]
print(json.dumps([interfaces, shutil.which("mvn")]))
"""


def test_it_has_neither_network_nor_maven_here(program: Path) -> None:
    done = call(program.with_name("python"), "-c", ASK)
    # A command that cannot be executed is none.
    assert json.loads(done.stdout) == [["lo"], None]


@pytest.mark.test_all
def test_it_weaves_for_an_own_build_without_the_source_tree(program: Path, tmp_path: Path) -> None:
    home = own_home(tmp_path)
    python = (program.with_name("python"), "-c", FEWER_STRINGS)
    woven = call(*python, "install", home, "--weave")
    assert woven.returncode == 0, woven.stderr
    (jar,) = our_jars(home)
    assert jar.startswith(f"flink-boost-{LINE.version}-own-")
    assert call(*python, "verify", home).returncode == 0


def test_it_offers_what_works_without_the_source_tree(program: Path) -> None:
    told = call(program, "--help").stdout
    listing = told.partition("\nInstallations:")[2]
    for name in ("install", "verify", "flame", "uninstall", "doctor"):
        assert f"\n  {name} " in listing
    for elsewhere in ("Measuring:", "Publishing:", "bench", "boost compare", "\n  dist "):
        assert elsewhere not in told

    refused = call(program, "bench")
    assert refused.returncode == 2
    assert "`flink-boost bench` works in the source tree only." in refused.stderr


def test_the_source_tree_is_really_hidden() -> None:
    seen = call(Path("/bin/ls"), PROJECT_ROOT / "scripts", PROJECT_ROOT / "build")
    assert seen.returncode == 0
    assert "flink_boost" not in seen.stdout
    assert "jars" not in seen.stdout


def test_it_carries_the_parts_of_every_line(wheel: Path, every_line: list[Line]) -> None:
    with zipfile.ZipFile(wheel) as archive:
        parts = {name: archive.read(name) for name in archive.namelist() if "/data/" in name}
    for line in every_line:
        assert f"flink_boost/data/examples/{line.version}/WordCount.jar" in parts
    for name in ("lines.toml", "classes.lock", "releases.toml"):
        assert parts[f"flink_boost/data/{name}"] == (PROJECT_ROOT / name).read_bytes()
    kept = {
        "profiler": {LIBRARY.file, CONVERTER.file, "NOTICE"},
        "weaver": {"NOTICE", *(jar.name for jar in CARRIED.weaver())},
        "classes": {checksum for line in every_line for checksum in line.classes.values()},
        "jars": {
            f"{CARRIED.dropin(line).name}{suffix}"
            for line in every_line
            for suffix in ("", ".sha256")
        },
        "verifiers": {f"{line.version}.jar" for line in every_line},
    }
    for folder, names in kept.items():
        prefix = f"flink_boost/data/{folder}/"
        assert {n.removeprefix(prefix) for n in parts if n.startswith(prefix)} == names


def test_its_jars_are_those_that_were_built(
    wheel: Path, every_line: list[Line], tmp_path: Path
) -> None:
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            if "/data/" in name:
                archive.extract(name, tmp_path)
    package = of_wheel(VERSION, tmp_path / "flink_boost" / "data")
    for line in every_line:
        assert package.dropin(line).name == CARRIED.dropin(line).name
        assert sha256(package.dropin(line)) == sha256(CARRIED.dropin(line))
        assert sha256(package.verifier(line)) == sha256(CARRIED.verifier(line))
        for name in line.classes:
            assert package.stock_class(line, name) == CARRIED.stock_class(line, name)

    # One bit is another, or the end is missing: none of it is put into `lib/`.
    jar = package.dropin(LINE)
    whole = jar.read_bytes()
    other = bytearray(whole)
    other[len(whole) // 2] ^= 1
    for content in (bytes(other), whole[:-100]):
        jar.write_bytes(content)
        with pytest.raises(BrokenData, match="is not the jar that was built") as problem:
            package.dropin(LINE)
        assert problem.value.next_step == "Install the wheel anew."


def test_the_weaver_is_the_one_that_was_built_last_for_a_line_that_is_there(tmp_path: Path) -> None:
    for name in ("lines.toml", "classes.lock", "pom.xml"):
        shutil.copy(PROJECT_ROOT / name, tmp_path)
    buddy = next(jar for jar in CARRIED.weaver() if jar.name.startswith("byte-buddy"))
    kept = tmp_path / ".cache" / "m2" / BYTE_BUDDY / buddy.parent.name / buddy.name
    kept.parent.mkdir(parents=True)
    kept.touch()
    for age, line in enumerate(("9.9.0", "1.20.5", "2.3.0")):  # the newest first
        jar = tmp_path / "weaver" / "target" / line / f"flink-boost-weaver-{VERSION}.jar"
        jar.parent.mkdir(parents=True)
        jar.touch()
        os.utime(jar, (1_000_000 - age, 1_000_000 - age))
    weaver, *_ = of_tree(VERSION, tmp_path).weaver()
    assert weaver.parent.name == "1.20.5"


def test_it_profiles_with_the_profiler_that_it_carries(program: Path, tmp_path: Path) -> None:
    source = tmp_path / "Busy.java"
    source.write_text(
        'class Busy { public static void main(String[] words) { System.out.println("ready");'
        " while (true) new Object(); } }"
    )
    cache = tmp_path / "cache"
    with subprocess.Popen(["java", str(source)], stdout=subprocess.PIPE) as busy:
        try:
            assert busy.stdout is not None
            assert busy.stdout.readline() == b"ready\n"
            # Not behind the mounts of `call`: what is in another namespace may not be profiled.
            answer = subprocess.run(
                [program, "flame", str(busy.pid), "--seconds", "2", "--out", tmp_path],
                env={**os.environ, "XDG_CACHE_HOME": str(cache)},
                cwd="/",
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
        finally:
            busy.kill()
    assert answer.returncode == 0, answer.stderr
    assert (tmp_path / f"flame-{busy.pid}-cpu.html").is_file()
    assert list(cache.glob("flink-boost/*/async-profiler-*/libasyncProfiler.so"))


def test_the_same_input_gives_the_same_bytes(
    wheel: Path, every_line: list[Line], tmp_path: Path
) -> None:
    again = build_wheel(PROJECT_ROOT, every_line, CARRIED, tmp_path)
    assert again.name == wheel.name
    assert again.read_bytes() == wheel.read_bytes()


def test_a_part_that_was_not_built_stops_it(every_line: list[Line], tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="Run `make build"):
        build_wheel(PROJECT_ROOT, every_line, of_tree("9.9.9"), tmp_path)
    assert list(tmp_path.iterdir()) == []
