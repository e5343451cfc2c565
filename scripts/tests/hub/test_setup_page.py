"""The page about setting up says what the code does."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from ruamel.yaml import YAML

from flink_boost.base.errors import HubAway, HubRefused
from flink_boost.base.places import PROJECT_ROOT
from flink_boost.publish import target
from flink_boost.service.builds.isolation import mirrors
from flink_boost.service.requests.hub import account, github, listening, webhook
from flink_boost.service.requests.service_settings import (
    MostAsked,
    NightHours,
    ServedRepository,
    ServeSettings,
    load_settings,
)
from flink_boost.service.retention.retention_settings import Retention

TEXT = (PROJECT_ROOT / "docs" / "requests-setup.md").read_text(encoding="utf-8")
PAGE = " ".join(TEXT.split())


def test_every_variable_is_named_and_no_other() -> None:
    known = {
        value
        for module in (account, webhook)
        for name, value in vars(module).items()
        if name.endswith("VARIABLE")
    }
    named = set(re.findall(r"FLINK_BOOST_[A-Z_]+", PAGE))
    sent = {target.URL_VARIABLE, target.TOKEN_FILE_VARIABLE}
    assert named == known - {webhook.SECRET_VARIABLE} | {mirrors.VARIABLE} | sent


def test_the_numbers_are_those_of_the_code() -> None:
    assert f"A client has {listening.READ_SECONDS:.0f} seconds" in PAGE
    assert f"may have {webhook.LARGEST_BODY // 1024**2} MB" in PAGE
    assert github.OVERLAP.total_seconds() == 120
    assert "the last two minutes are read again" in PAGE
    assert webhook.WINDOW.total_seconds() == 3600
    assert "less than an hour old" in PAGE
    usual = ServeSettings.model_fields["seconds"].default
    assert f"Every {usual:.0f} seconds" in PAGE
    assert webhook.PATH in PAGE
    assert webhook.HEALTH in PAGE
    assert f"(code {HubRefused.exit_code})" in PAGE
    assert HubAway.exit_code == HubRefused.exit_code + 1


def test_every_input_of_the_action_says_what_it_is_where_the_page_leads() -> None:
    inputs = YAML(typ="safe").load(PROJECT_ROOT / "action.yml")["inputs"]
    assert "[action.yml](../action.yml) explains each input" in PAGE
    assert [name for name, one in inputs.items() if not one.get("description", "").strip()] == []
    assert "fail-on-failed-forks" in inputs


def test_the_settings_of_the_page_are_all_there_are_with_their_defaults(tmp_path: Path) -> None:
    (shown,) = re.findall(r"(?ms)^```toml\n(.*?)^```$", TEXT)
    file = tmp_path / "requests.toml"
    file.write_text(shown, encoding="utf-8")
    document = tomllib.loads(shown)
    named = {*document} - {"repository", "recipe"} | {"repositories"}
    assert named == set(ServeSettings.model_fields)
    for key, model in (("most", MostAsked), ("night", NightHours)):
        fields = model.model_fields.items()
        assert set(document[key]) == set(model.model_fields)
        for name, field in fields:
            assert field.is_required() or document[key].get(name, field.default) == field.default
    settings = load_settings(file)
    assert settings.repositories[0].recipe == ServedRepository.model_fields["recipe"].default
    for name in ("seconds", "order", "most", "stands_still_minutes", "least_free_gib"):
        assert getattr(settings, name) == ServeSettings.model_fields[name].default, name
    assert settings.keep_days == Retention().logs
