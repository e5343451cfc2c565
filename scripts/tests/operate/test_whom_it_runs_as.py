"""What an installation names never runs as root where another user can change it.

Root calls: as the installation's owner. Everybody else calls: as oneself, as before.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from installations import LINE, java_environment
from other_owners import EXPECTED, OTHER, OWNER, ROOT, Marks, command, own, small

from flink_boost.base.errors import EnvironmentProblem
from flink_boost.cli.commands import flame
from flink_boost.flink.home import open_home
from flink_boost.flink.launch import ask_scripts
from flink_boost.flink.owner import environment_for, who_runs


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
