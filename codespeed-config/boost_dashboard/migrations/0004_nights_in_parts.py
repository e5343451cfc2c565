"""Room for the name of a part of a night that several boxes share."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """``2026-03-03T0100-10of12`` has 22 characters."""

    dependencies = (("boost_dashboard", "0003_alarms_and_nights"),)
    operations = (
        migrations.AlterField(
            model_name="nightrecord", name="night", field=models.CharField(max_length=24)
        ),
    )
