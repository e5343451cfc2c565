from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = (("benchmark_requests", "0001_requests"),)

    operations = (
        migrations.AddField(
            model_name="benchmarkrequest",
            name="resumed",
            field=models.DateTimeField(null=True),
        ),
    )
