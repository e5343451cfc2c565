"""``flink-boost upstream-diff``: Say which methods that we patch are others in Flink's sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from flink_boost.base.errors import PatchedCodeChanged
from flink_boost.base.files import write_durably
from flink_boost.cli.answers import json_option, print_json
from flink_boost.flink.downloads import CACHE
from flink_boost.flink.lines import Line, default_line, find_line, load_lines, nearest_line
from flink_boost.port.sources.diff import ClassChange, MemberChange, MemberStatus, compare_sources
from flink_boost.port.sources.patch import TEST, our_files, upstream_patch
from flink_boost.port.sources.patches import patches_of_tree
from flink_boost.port.sources.tree import SourceTree, read_folder, sources_of


@click.command(name="upstream-diff")
@click.argument("checkout", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--line", help="Release to compare with; default: the line nearest to the checkout.")
@click.option("--diff", "with_diff", is_flag=True, help="Show how the code differs.")
@click.option(
    "--patch",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write our changes there, as a patch of CHECKOUT's sources with a test.",
)
@json_option
def command(
    checkout: Path, line: str | None, with_diff: bool, patch: Path | None, as_json: bool
) -> int:
    """Say which methods and fields that our patches use are others in CHECKOUT.

    CHECKOUT is a source tree of apache/flink, or a folder with unpacked *-sources.jar files. It is
    compared with the sources of one of our lines. Nothing is changed. Exit code 0: all is as it
    was; 7: something that a patch uses is not.

    With --patch our codec and what it changes in Flink's classes are written as one patch for
    `git apply`, for those who want them upstream.

    \b
    Examples:
      flink-boost upstream-diff ~/flink
      flink-boost upstream-diff ~/flink --patch strings.patch
      flink-boost upstream-diff ~/flink --line 1.20.5 --diff
    """
    tree = read_folder(checkout.absolute())
    flink = _reference(line, tree)
    patches = patches_of_tree()
    changes = compare_sources(patches, list(flink.classes), sources_of(flink, CACHE), tree)
    if patch is not None:
        write_durably(patch.absolute(), upstream_patch(tree, our_files(), TEST.read_text("utf-8")))
    changed = [text for change in changes for text in _changed_names(change)]
    exit_code = PatchedCodeChanged.exit_code if changed else 0
    if as_json:
        content = {
            "checkout": checkout.absolute(),
            "checkout_version": tree.version,
            "line": flink.version,
            "patch": patch,
            "classes": [asdict(change) | {"changed": change.changed} for change in changes],
        }
        print_json(exit_code, content)
    else:
        click.echo(f"{checkout} ({tree.version or 'no version'}) against Flink {flink.version}")
        for change in changes:
            click.echo("\n".join(describe(change, with_diff)))
        if patch is not None:
            click.echo(f"\nWrote {patch}; `git apply {patch.absolute()}` in {checkout} applies it.")
    if changed:
        raise PatchedCodeChanged(
            f"{len(changed)} of {_count(changes)} patched methods and fields are not as in Flink"
            f" {flink.version}: {', '.join(changed)}.",
            "docs/next-release.md says what to look at."
            if with_diff or as_json
            else "--diff shows how.",
        )
    return 0


def describe(change: ClassChange, with_diff: bool = False) -> list[str]:
    """One class and its members, a line each; with the differences below them if wanted."""
    now = "" if change.status is MemberStatus.UNCHANGED else f"  {_became(change)}"
    lines = ["", f"{change.name}{now}"]
    width = max((len(member.expected) for member in change.members), default=0)
    for member in change.members:
        lines.append(f"  {member.use:<8}  {member.expected:<{width}}  {_verdict(member)}".rstrip())
        if with_diff and member.diff:
            lines += [f"      {text}" for text in member.diff.splitlines()]
    return lines


def _became(change: ClassChange) -> str:
    return "GONE" if change.found is None else f"RENAMED: now {change.found}"


def _verdict(member: MemberChange) -> str:
    if member.status is MemberStatus.UNCHANGED:
        return "unchanged"
    place = f", line {member.line}" if member.line else ""
    return f"{member.status.upper()}: {member.found}{place} ({member.ours})"


def _changed_names(change: ClassChange) -> list[str]:
    simple = change.name.rpartition(".")[2]
    if change.status is MemberStatus.GONE:
        return [simple]
    members = [
        f"{simple}.{member.expected.partition('(')[0].rpartition(' ')[2]}"
        for member in change.members
        if member.status is not MemberStatus.UNCHANGED
    ]
    return members if change.status is MemberStatus.UNCHANGED else [simple, *members]


def _count(changes: Sequence[ClassChange]) -> int:
    return sum(len(change.members) for change in changes)


def _reference(named: str | None, tree: SourceTree) -> Line:
    if named is not None:
        return find_line(named)
    if tree.version is None:
        return find_line(default_line())
    return nearest_line(tree.version, load_lines().values())
