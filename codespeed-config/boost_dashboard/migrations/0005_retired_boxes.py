"""Room for when a box was retired."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    """None for a box that measures."""

    dependencies = (("boost_dashboard", "0004_nights_in_parts"),)
    operations = (
        migrations.AddField(
            model_name="alarmregister", name="retired", field=models.DateTimeField(null=True)
        ),
    )
