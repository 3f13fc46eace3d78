import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("tables", "0019_deal_facts_indexes"),
    ]

    operations = [
        migrations.AddField(
            model_name="waitingdeed",
            name="slip",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.PROTECT, related_name="+", to="tables.slip"
            ),
        ),
        # What waits while the service is brought up to date goes on waiting.
        migrations.RunSQL(
            "UPDATE tables_waitingdeed SET slip_id = (content::json ->> 'slip')::uuid",
            migrations.RunSQL.noop,
        ),
    ]
