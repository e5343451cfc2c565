"""Which files on PyPI become the distribution of a release."""

from __future__ import annotations

from dataclasses import replace

from flink_boost.flink.lines import PinnedFile, load_lines
from flink_boost.flink.package_index import IndexFile
from flink_boost.flink.releases import KnownReleases, load_releases
from flink_boost.port.newline.distributions import LIBRARIES, PROJECT, with_distributions

KNOWN = load_releases()
MAC = "macosx_10_9_x86_64.whl"


def listed(*names: str) -> list[IndexFile]:
    return [IndexFile(name, f"files/{name}", f"sha of {name}") for name in names]


def known(*versions: str) -> KnownReleases:
    rows = {v: replace(KNOWN.releases[v], distribution=()) for v in versions}
    return replace(KNOWN, releases=rows)


def files_of(found: KnownReleases, version: str) -> list[str]:
    return [pin.file for pin in found.releases[version].distribution]


def test_a_small_wheel_and_the_libraries_are_pinned_with_their_checksums() -> None:
    main = listed(
        "apache-flink-1.20.4.tar.gz",
        "apache_flink-1.20.4-cp311-cp311-manylinux1_x86_64.whl",
        f"apache_flink-1.20.4-cp310-cp310-{MAC}",
        f"apache_flink-1.20.4-cp311-cp311-{MAC}",
        f"apache_flink-1.20.5-cp311-cp311-{MAC}",
    )
    libraries = listed(
        "apache_flink_libraries-1.20.4.tar.gz",
        "apache_flink_libraries-1.20.4-py2.py3-none-any.whl",
    )
    found = with_distributions(known("1.20.4"), {PROJECT: main, LIBRARIES: libraries})
    wheel = f"apache_flink-1.20.4-cp311-cp311-{MAC}"
    package = "apache_flink_libraries-1.20.4.tar.gz"
    assert found.releases["1.20.4"].distribution == (
        PinnedFile(PROJECT, "1.20.4", wheel, f"sha of {wheel}"),
        PinnedFile(LIBRARIES, "1.20.4", package, f"sha of {package}"),
    )


def test_older_releases_are_one_wheel_or_one_source_package() -> None:
    main = listed(
        "apache-flink-1.10.1.tar.gz",
        "apache-flink-1.12.1.tar.gz",
        "apache_flink-1.12.1-cp35-cp35m-macosx_10_6_x86_64.whl",
        f"apache_flink-1.12.1-cp37-cp37m-{MAC}",
    )
    found = with_distributions(known("1.10.1", "1.12.1"), {PROJECT: main, LIBRARIES: []})
    assert files_of(found, "1.10.1") == ["apache-flink-1.10.1.tar.gz"]
    assert files_of(found, "1.12.1") == [f"apache_flink-1.12.1-cp37-cp37m-{MAC}"]


def test_nothing_is_pinned_without_a_checksum_or_of_a_pre_release() -> None:
    main = [
        IndexFile(f"apache_flink-2.2.0-cp311-cp311-{MAC}", "files/a"),
        *listed(f"apache_flink-2.2.0rc1-cp311-cp311-{MAC}", "apache-flink-2.2.0.dev1.tar.gz"),
    ]
    libraries = listed("apache_flink_libraries-2.2.0.tar.gz")
    found = with_distributions(known("2.2.0"), {PROJECT: main, LIBRARIES: libraries})
    assert files_of(found, "2.2.0") == []


def test_what_is_pinned_already_stays() -> None:
    main = listed("apache-flink-1.9.3.tar.gz", "apache-flink-1.20.2.tar.gz")
    before = KNOWN.releases["1.20.2"].distribution
    both = replace(known("1.9.3"), releases={v: KNOWN.releases[v] for v in ("1.9.3", "1.20.2")})
    found = with_distributions(both, {PROJECT: main, LIBRARIES: []}, pinned=["1.9.3"])
    assert found.releases["1.20.2"].distribution == before
    assert found.releases["1.9.3"].distribution == ()


def test_half_of_a_distribution_is_none() -> None:
    main = listed(f"apache_flink-1.13.2-cp37-cp37m-{MAC}", "apache-flink-1.13.2.tar.gz")
    found = with_distributions(known("1.13.2"), {PROJECT: main, LIBRARIES: []})
    assert files_of(found, "1.13.2") == []


def test_all_releases_but_ten_have_one() -> None:
    """PyPI lacks five of them, and of 1.13 the libraries until the last release."""
    lines = load_lines()
    without = {
        version
        for version, release in KNOWN.releases.items()
        if not release.distribution and not (version in lines and lines[version].distribution)
    }
    assert without == {
        *("1.9.0", "1.9.1", "1.11.6", "1.12.7", "1.14.1"),
        *("1.13.0", "1.13.1", "1.13.2", "1.13.3", "1.13.5"),
    }
