"""What an installation names never runs as root where another user can change it.

Root calls: as the installation's owner. Everybody else calls: as oneself, as before.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from installations import CARRIED, JAR, LINE, flink_boost, java_environment, our_jars
from own_flinks import compiled, entries_of, with_entries

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.base.users import read_left, user_of
from flink_boost.cli.commands import flame
from flink_boost.flink.distribution import ensure_distribution
from flink_boost.flink.home import open_home
from flink_boost.flink.jdks import java_home
from flink_boost.flink.launch import ask_scripts
from flink_boost.flink.owner import environment_for, who_runs

OWNER, OTHER = 4711, 4712
ROOT = os.geteuid() == 0
# Whoever root's call runs things as; another user's call runs them as that user.
EXPECTED = OWNER if ROOT else os.geteuid()

Marks = Callable[[], set[int]]
Here = Callable[..., int]

# What Flink's own script has, as far as it is asked for.
CONFIG = """
bin=$(cd "$(dirname "$0")" && pwd)
FLINK_CONF_DIR="${FLINK_CONF_DIR:-$bin/../conf}"
YAML_CONF="$FLINK_CONF_DIR/config.yaml"
readFromConfig() { sed -n "s/^$1: //p" "$3" | tail -n 1; }
JAVA_RUN=$(readFromConfig env.java.home "" "$YAML_CONF")/bin/java
FLINK_ENV_JAVA_OPTS=$(readFromConfig env.java.opts.all "" "$YAML_CONF")
constructFlinkClassPath() { printf %s "$bin/../lib/flink-dist-2.3.0.jar"; }
id -u >> /dev/null
"""


def own(folder: Path, uid: int = OWNER) -> None:
    """Gives it away, where that can be done."""
    if ROOT:
        for path in (folder, *folder.rglob("*")):
            os.lchown(path, uid, uid)


@pytest.fixture
def place(open_folder: Path) -> Path:
    """A folder that others may reach, and write into a part of it."""
    (open_folder / "marks").mkdir()
    (open_folder / "marks").chmod(0o777)
    return open_folder


@pytest.fixture
def marks(place: Path) -> Marks:
    """The users that the installation's Java ran as."""
    return lambda: {
        int(word) for file in (place / "marks").iterdir() for word in file.read_text().split()
    }


def telling_java(folder: Path, marks: Path) -> Path:
    """A home of Java whose program first writes down as whom it runs."""
    java = folder / "bin" / "java"
    java.parent.mkdir(parents=True)
    real = f"{java_home(17)}/bin/java -XX:TieredStopAtLevel=1"
    java.write_text(f'#!/bin/sh\nid -u >> {marks}/$(id -u)\nexec {real} "$@"\n')
    java.chmod(0o755)
    return folder


def small(place: Path) -> Path:
    """A Flink with a script of ours, whose configuration names the Java."""
    home = place / "flink"
    for name in ("bin", "conf", "lib"):
        (home / name).mkdir(parents=True)
    (home / "bin" / "config.sh").write_text(CONFIG)
    (home / "bin" / "flink").write_text("FLINK_ENV_JAVA_OPTS\n")
    java = telling_java(place / "jdk", place / "marks")
    (home / "conf" / "config.yaml").write_text(f"env.java.home: {java}\n")
    with zipfile.ZipFile(home / "lib" / "flink-dist-2.3.0.jar", "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Implementation-Version: 2.3.0\r\n")
    return home


def whole(place: Path) -> Path:
    """A copy of the real one, nothing of it linked: its files get another owner."""
    home = place / "flink"
    shutil.copytree(ensure_distribution(LINE), home)
    own_java(home, place)
    return home


def own_java(home: Path, place: Path) -> None:
    java = telling_java(place / "jdk", place / "marks")
    with (home / "conf" / "config.yaml").open("a") as conf:
        conf.write(f"\nenv.java.home: {java}\n")


def command(
    *words: str | Path, prefix: tuple[str, ...] = (), answer: tuple[str, ...] = ("--json",)
) -> subprocess.CompletedProcess[str]:
    """The real command; what it prints has to be JSON, if nothing else is said."""
    return subprocess.run(
        [*prefix, sys.executable, "-m", "flink_boost.cli", *map(str, words), *answer],
        env={**java_environment(LINE), "SECRET_OF_ROOT": "1"},
        capture_output=True,
        text=True,
        timeout=280,
        check=False,
        # What root makes is for root alone, if nothing is done about it.
        umask=0o077,
    )


# --- who ------------------------------------------------------------------------------------------


def conf_is_theirs(home: Path) -> None:
    own(home / "conf")


def all_is_theirs(home: Path) -> None:
    own(home)


def the_java_is_theirs(home: Path) -> None:
    own(home.parent / "jdk")


def a_folder_above_is_theirs(home: Path) -> None:
    if ROOT:
        os.chown(home.parent, OWNER, OWNER)


def a_link_leads_to_theirs(home: Path) -> None:
    theirs = home.parent / "theirs"
    theirs.mkdir()
    (home / "conf" / "config.yaml").rename(theirs / "config.yaml")
    (home / "conf" / "config.yaml").symlink_to("../../theirs/config.yaml")
    own(theirs)


def a_jar_in_lib_names_theirs(home: Path) -> None:
    theirs = home.parent / "theirs.jar"
    theirs.touch()
    own(theirs)
    with zipfile.ZipFile(home / "lib" / "more.jar", "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Class-Path: ../../theirs.jar\r\n")


def an_agent_is_theirs(home: Path) -> None:
    agent = home.parent / "agent.jar"
    agent.touch()
    own(agent)
    with (home / "conf" / "config.yaml").open("a") as conf:
        conf.write(f"env.java.opts.all: -Dother=1 -javaagent:{agent}=x\n")


def a_jar_that_roots_agent_names_is_theirs(home: Path) -> None:
    """Behind a file of options and a manifest, both root's."""
    roots = home.parent / "agent.jar"
    with zipfile.ZipFile(roots, "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", "Premain-Class: A\r\nBoot-Class-Path: theirs.jar\r\n")
    roots.with_name("theirs.jar").touch()
    own(roots.with_name("theirs.jar"))
    roots.with_name("args").write_text(f"-Dother=1 -javaagent:{roots}=x\n")
    with (home / "conf" / "config.yaml").open("a") as conf:
        conf.write(f"env.java.opts.all: @{home.parent}/args\n")


@pytest.mark.parametrize(
    "change",
    [
        conf_is_theirs,
        all_is_theirs,
        the_java_is_theirs,
        a_folder_above_is_theirs,
        a_link_leads_to_theirs,
        a_jar_in_lib_names_theirs,
        an_agent_is_theirs,
        a_jar_that_roots_agent_names_is_theirs,
    ],
    ids=lambda change: change.__name__,
)
def test_doctor_starts_nothing_of_theirs_as_root(
    change: Callable[[Path], None], place: Path, marks: Marks
) -> None:
    home = small(place)
    change(home)
    done = command("doctor", home)
    assert marks() == {EXPECTED}
    assert "JDK 17" in done.stdout


def test_the_scripts_own_java_loads_no_agent_of_theirs_as_root(place: Path, marks: Marks) -> None:
    """It takes the variable by itself, before anything is known of the installation."""
    home = small(place)
    with (home / "bin" / "config.sh").open("a") as script:
        script.write("$JAVA_RUN -version 2> /dev/null || :\n")
    agent = place / "agent.jar"
    agent.touch()
    own(agent)
    variables = {"JAVA_TOOL_OPTIONS": f"-Dother=1 -javaagent:{agent}"}
    ask_scripts(open_home(home), {**java_environment(LINE), **variables})
    assert marks() == {EXPECTED}


def test_what_root_alone_can_change_runs_as_before(place: Path, marks: Marks) -> None:
    command("doctor", small(place))
    assert marks() == {os.geteuid()}


def nobodys(home: Path) -> None:
    (home / "conf").chmod(0o777)


def sticky(home: Path) -> None:
    (home / "lib").chmod(0o1777)


def of_two(home: Path) -> None:
    own(home / "conf")
    own(home.parent / "jdk", OTHER)


@pytest.mark.parametrize("change", [nobodys, sticky, of_two], ids=lambda change: change.__name__)
def test_without_one_user_to_become_root_runs_nothing(
    change: Callable[[Path], None], place: Path, marks: Marks
) -> None:
    home = small(place)
    change(home)
    done = command("doctor", home)
    refused = [f for f in json.loads(done.stdout)["findings"] if "Root does not run" in f["text"]]
    assert marks() == (set() if ROOT else {EXPECTED})
    assert [f["exit_code"] for f in refused] == ([EnvironmentProblem.exit_code] if ROOT else [])
    assert all("`sudo -u USER flink-boost …`" in f["next_step"] for f in refused)


# Root without the right to become another user, as in a container without these capabilities.
BOUND = ("setpriv", "--bounding-set=-setuid,-setgid", "--inh-caps=-setuid,-setgid")


def test_who_cannot_become_that_user_runs_nothing(place: Path, marks: Marks) -> None:
    home = small(place)
    own(home)
    done = command("doctor", home, prefix=BOUND if ROOT else ())
    texts = [f for f in json.loads(done.stdout)["findings"] if "cannot become" in f["text"]]
    assert marks() == (set() if ROOT else {EXPECTED})
    assert len(texts) == ROOT
    for found in texts:
        assert f"this process cannot become #{OWNER} (Operation not permitted)" in found["text"]
        assert found["next_step"].endswith(f"`sudo -u '#{OWNER}' flink-boost …`.")
    assert command("verify", home, prefix=BOUND if ROOT else ()).returncode != 0
    assert marks() == (set() if ROOT else {EXPECTED})


def test_who_may_not_read_it_is_told(place: Path, marks: Marks) -> None:
    home = small(place)
    own(home)
    if ROOT:
        (home / "bin").chmod(0o500)
        os.chown(home / "bin", 0, 0)
    done = command("doctor", home)
    assert marks() == (set() if ROOT else {EXPECTED})
    assert (f"#{OWNER} may not read {home}/bin/config.sh" in done.stdout) is ROOT


def test_a_java_of_roots_alone_is_not_passed_over(place: Path) -> None:
    """The scripts take a JAVA_HOME that they cannot see for none: another Java would be judged."""
    home = small(place)
    with (home / "bin" / "config.sh").open("a") as script:
        script.write(
            "JAVA_RUN=java; if [[ -d $JAVA_HOME ]]; then JAVA_RUN=$JAVA_HOME/bin/java; fi\n"
        )
    own(home)
    roots = place / "root"
    roots.mkdir(mode=0o700)
    (roots / "jdk").mkdir()
    environment = {**java_environment(LINE), "JAVA_HOME": str(roots / "jdk")}
    if ROOT:
        with pytest.raises(EnvironmentProblem, match=f"JAVA_HOME is {roots}/jdk, which #{OWNER}"):
            ask_scripts(open_home(home), environment)
    else:
        assert ask_scripts(open_home(home), environment).java == f"{roots}/jdk/bin/java"
    del environment["JAVA_HOME"]
    assert ask_scripts(open_home(home), environment).java == "java"


@pytest.mark.skipif(not ROOT, reason="gives files to root")
def test_what_root_unpacked_in_a_folder_of_roots_can_be_given_to_root(
    place: Path, marks: Marks
) -> None:
    roots = place / "root"
    roots.mkdir(mode=0o700)
    home = small(place).rename(roots / "flink")
    own(home)
    (refused,) = (
        f
        for f in json.loads(command("doctor", home).stdout)["findings"]
        if f["exit_code"] and "may not read" in f["text"]
    )
    advice = f"chown -R root: {home}"
    assert f"`{advice}`" in refused["next_step"]
    assert marks() == set()
    subprocess.run(advice.split(), check=True, timeout=20)
    command("doctor", home)
    assert marks() == {0}


def test_a_user_gets_no_variables_of_roots(place: Path) -> None:
    home = small(place)
    own(home)
    environment = {
        "PATH": os.environ["PATH"],
        "HOME": "/root",
        "TMPDIR": "/tmp-of-root",
        "SECRET": "1",
        "JAVA_HOME": "/jdk",
        "JVM_ARGS": "-Da=b",
        "HADOOP_CLASSPATH": "/hadoop",
    }
    user = who_runs(open_home(home), environment)
    assert (user is not None) is ROOT
    given = environment_for(user, environment)
    if user is None:
        assert given == environment
    else:
        assert (user.uid, user.gid, user.groups) == (OWNER, OWNER, ())
        assert {"SECRET", "TMPDIR"}.isdisjoint(given)
        assert (given["HOME"], given["JVM_ARGS"]) == ("/", "-Da=b")
        assert (given["HADOOP_CLASSPATH"], given["JAVA_HOME"]) == ("/hadoop", "/jdk")


def test_a_jar_behind_lib_counts(place: Path) -> None:
    """As HADOOP_CLASSPATH brings them; which these are only the scripts know."""
    home = small(place)
    theirs = place / "hadoop.jar"
    theirs.touch()
    own(theirs)
    environment = {**java_environment(LINE), "INTERNAL_HADOOP_CLASSPATHS": str(theirs)}
    launch = ask_scripts(open_home(home), environment)
    assert theirs in launch.class_path
    assert (launch.user.uid if launch.user else os.geteuid()) == EXPECTED


def test_what_a_jar_behind_lib_names_counts(place: Path) -> None:
    home = small(place)
    theirs = place / "theirs.jar"
    theirs.touch()
    own(theirs)
    with zipfile.ZipFile(place / "hadoop.jar", "w") as jar:
        jar.writestr("META-INF/MANIFEST.MF", f"Class-Path: {theirs.name}\r\n")
    environment = {
        **java_environment(LINE),
        "INTERNAL_HADOOP_CLASSPATHS": str(place / "hadoop.jar"),
    }
    launch = ask_scripts(open_home(home), environment)
    assert (launch.user.uid if launch.user else os.geteuid()) == EXPECTED


def test_no_script_is_started_with_options_that_run_theirs(place: Path) -> None:
    """The scripts start Java themselves, before they tell its options."""
    home = small(place)
    theirs, who = place / "theirs.jar", place / "marks" / "script"
    theirs.touch()
    own(theirs)
    who.touch()
    who.chmod(0o666)
    with (home / "bin" / "config.sh").open("a") as script:
        script.write(f"id -u >> {who}\n")
    environment = {**java_environment(LINE), "_JAVA_OPTIONS": f"-javaagent:{theirs}"}
    ask_scripts(open_home(home), environment)
    assert who.read_text().split() == [str(EXPECTED)]


def test_the_libraries_of_java_8_count(place: Path, marks: Marks) -> None:
    home = small(place)
    library = place / "jdk" / "jre" / "lib" / "rt.jar"
    library.parent.mkdir(parents=True)
    library.touch()
    own(library)
    command("doctor", home)
    assert marks() == {EXPECTED}


def test_flame_takes_no_java_of_theirs_to_draw_with(place: Path) -> None:
    java = place / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    shutil.copy("/bin/sleep", java)
    own(place / "jdk")
    with subprocess.Popen([str(java), "60"]) as process:
        try:
            assert (flame._java_of(process.pid) == str(java)) is not ROOT
        finally:
            process.kill()


# --- what they leave ------------------------------------------------------------------------------


def link(file: Path, secret: Path) -> None:
    file.symlink_to(secret)


def hard_link(file: Path, secret: Path) -> None:
    file.hardlink_to(secret)


def pipe(file: Path, secret: Path) -> None:
    os.mkfifo(file)
    own(file)


@pytest.mark.parametrize("how", [link, hard_link, pipe], ids=lambda how: how.__name__)
def test_what_they_leave_is_no_way_to_read_what_is_roots(
    how: Callable[[Path, Path], None], tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("root's")
    how(tmp_path / "report.xml", tmp_path / "secret")
    with pytest.raises(OSError, match=r"Too many|no file of #4711's"):
        read_left(tmp_path / "report.xml", user_of(OWNER, OWNER))


@pytest.mark.needs_jars
def test_a_link_that_appears_meanwhile_lends_nothing_of_roots(place: Path) -> None:
    """Their scripts run before the jar to compare with is lent to their Java."""
    home = place / "flink"
    shutil.copytree(ensure_distribution(LINE), home)
    secret, got = place / "secret", place / "marks" / "got"
    secret.write_text("root's")
    secret.chmod(0o600)
    java = place / "jdk" / "bin" / "java"
    java.parent.mkdir(parents=True)
    java.write_text(
        f'#!/bin/sh\nfor word; do cat "${{word#-Dstock.jars=}}" >> {got}; done\n'
        # It starts, with whatever options.
        'case "$*" in *-version | *AskGuard) exit 0 ;; esac\nexit 1\n'
    )
    java.chmod(0o755)
    (home / "conf" / "config.yaml").write_text(f"env.java.home: {java.parents[1]}\n")
    own(home)
    assert flink_boost("install", home) == 0
    with (home / "bin" / "config.sh").open("a") as script:
        script.write(f"\nln -sf {secret} {home}/lib/flink-dist-2.3.0.jar\n")
    done = command("verify", home)
    assert done.returncode == EnvironmentProblem.exit_code
    assert (f"#{OWNER} may not read {home}/lib/flink-dist-2.3.0.jar" in done.stderr) is ROOT
    assert (b"root's" in got.read_bytes()) is not ROOT


@pytest.mark.needs_jars
def test_what_their_scripts_say_does_nothing_to_a_terminal(place: Path) -> None:
    home = small(place)
    dist = "lib/flink-dist-2.3.0.jar"
    shutil.copyfile(ensure_distribution(LINE) / dist, home / dist)
    with (home / "bin" / "config.sh").open("a") as script:
        script.write("JAVA_RUN=$(printf '/jdk/\\033]0;title\\007\\033[31mjava')\n")
    own(home)
    for name in ("install", "doctor", "verify"):
        done = command(name, home, answer=())
        assert "title" in done.stdout + done.stderr
        assert not {"\x1b", "\x07"} & set(done.stdout + done.stderr)


@contextmanager
def acting_as(uid: int) -> Iterator[None]:
    """As a user who owns nothing of it; who is not root is that without it."""
    if ROOT:
        os.seteuid(uid)
    try:
        yield
    finally:
        if ROOT:
            os.seteuid(0)


@pytest.mark.parametrize(
    ("closed", "told"),
    [
        (".", "may not look into"),
        ("bin", "may not look into"),
        ("lib", "may not look into"),
        ("lib/flink-dist-2.3.0.jar", "may not read"),
    ],
)
def test_what_the_caller_may_not_look_into_is_told_as_that(
    place: Path, closed: str, told: str
) -> None:
    """And not as no Flink, or as a jar that is broken and wants to be replaced."""
    home = small(place)
    own(home)
    mode = (home / closed).stat().st_mode
    (home / closed).chmod(0o700 if ROOT else 0)
    with acting_as(OTHER), pytest.raises(EnvironmentProblem, match=told) as problem:
        open_home(home)
    assert problem.value.next_step == "Run the command as the user who owns it."
    (home / closed).chmod(mode)
    assert open_home(home).version == "2.3.0"


# --- the whole of it ------------------------------------------------------------------------------


@pytest.fixture
def here(fewer_strings: None, monkeypatch: pytest.MonkeyPatch) -> Here:
    """The command in this process, with fewer strings; what it makes is for its user alone."""
    monkeypatch.setattr("os.environ", java_environment(LINE))

    def call(*words: str | Path) -> int:
        mask = os.umask(0o077)
        try:
            return flink_boost(*words)
        finally:
            os.umask(mask)

    return call


@pytest.mark.needs_jars
@pytest.mark.test_all
def test_an_installation_of_another_user_passes(
    place: Path, marks: Marks, here: Here, capsys: pytest.CaptureFixture[str]
) -> None:
    home = whole(place)
    own(home)
    assert here("install", home) == 0
    assert our_jars(home) == [JAR]
    assert (home / "lib" / JAR).stat().st_uid == EXPECTED

    assert here("verify", home, "--job") == 0

    assert marks() == {EXPECTED}
    # What cannot be read by that user is lent: here the jar to compare with.
    stock = place / "official" / "flink-dist-2.3.0.jar"
    stock.parent.mkdir(mode=0o700)
    shutil.copyfile(ensure_distribution(LINE) / "lib" / stock.name, stock)
    assert here("verify", home, "--stock", stock) == 0
    # And the jar of a job, whose types that user writes down.
    job = stock.with_name("job.jar")
    shutil.copyfile(CARRIED.example(LINE), job)
    capsys.readouterr()
    assert here("doctor", home, "--job-classes", job) == 0
    assert "fast      tuple Tuple2<String, Integer>." in capsys.readouterr().out.splitlines()
    assert marks() == {EXPECTED}


@pytest.mark.needs_jars
def test_doctor_says_what_it_could_not_ask_for_lack_of_a_folder(place: Path, here: Here) -> None:
    home = whole(place)
    own(home)
    assert here("install", home) == 0
    closed = place / "of-root-alone"
    closed.mkdir(mode=0o700)

    done = command("doctor", home, prefix=("env", f"TMPDIR={closed}"))

    told = f"may not enter {closed}, where temporary files go. Set TMPDIR to"
    assert (told in done.stdout) is ROOT, done.stdout
    assert done.returncode == 0


@pytest.mark.needs_jars
@pytest.mark.test_all
def test_a_build_of_another_user_gets_its_jar(place: Path, marks: Marks, here: Here) -> None:
    home = whole(place)
    with_entries(home, entries_of(compiled(place / "made", LINE.classes)))
    own(home)
    out = place / "out"
    out.mkdir()

    assert here("weave", home, "--out", out) == 0

    assert marks() == {EXPECTED}
    (jar,) = out.iterdir()
    assert jar.stat().st_uid == os.geteuid()
    assert here("install", home, "--weave") == 0
    (installed,) = our_jars(home)
    assert (home / "lib" / installed).read_bytes() == jar.read_bytes()
    assert (home / "lib" / installed).stat().st_uid == EXPECTED
    assert here("doctor", home) == 0
    assert here("verify", home) == 0
    assert marks() == {EXPECTED}
