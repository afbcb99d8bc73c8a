import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import designer.models.ordered_json


class Migration(migrations.Migration):
    replaces = [
        ("designer", "0001_initial"),
        ("designer", "0002_topologies_typed_handoffs_and_kinds_of_tools"),
        ("designer", "0003_pipelines_of_subtasks"),
        ("designer", "0004_people_who_share_a_pipeline"),
        ("designer", "0005_notes_in_colour_and_frames"),
        ("designer", "0006_templates_of_pipelines"),
        ("designer", "0007_rehearsals_that_can_be_steered"),
        ("designer", "0008_pipelines_of_subtasks_known_by_row"),
        ("designer", "0009_settings_of_models_and_tools"),
        ("designer", "0010_connections"),
        ("designer", "0011_calls_that_wait_for_approval"),
        ("designer", "0012_forks_that_tell_of_subtasks"),
        ("designer", "0013_wire_log"),
        ("designer", "0014_commands_that_end"),
        ("designer", "0015_rename_routing_rule"),
        ("designer", "0016_agent_language"),
        ("designer", "0017_supervision"),
        ("designer", "0018_lease_index"),
        ("designer", "0019_budget_of_a_run"),
        ("designer", "0020_sign_in_counter"),
        ("designer", "0021_document_jobs"),
        ("designer", "0022_variables"),
        ("designer", "0023_feedback_commands"),
        ("designer", "0024_watch_link_expiry"),
        ("designer", "0025_tags"),
        ("designer", "0026_checklist"),
        ("designer", "0027_unresolved_references"),
        ("designer", "0028_audit_trail_and_request_ids"),
        ("designer", "0029_jobs"),
        ("designer", "0030_span_export"),
        ("designer", "0031_ready_runs"),
        ("designer", "0032_invitations"),
        ("designer", "0033_worker_heartbeats"),
        ("designer", "0034_openid_identities"),
        ("designer", "0035_conversation_summaries"),
        ("designer", "0036_versions_and_releases"),
        ("designer", "0037_compared_files"),
        ("designer", "0038_version_of_a_summary"),
        ("designer", "0039_history_entries"),
        ("designer", "0040_chat_of_watch_links"),
        ("designer", "0041_role_labels"),
        ("designer", "0042_share_links"),
        ("designer", "0043_copied_sums"),
    ]

    initial = True

    dependencies = [
        ("auth", "0012_alter_user_first_name_max_length"),
        ("auth", "__first__"),
    ]

    operations = [
        migrations.CreateModel(
            name="AuditEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "at",
                    models.DateTimeField(
                        db_index=True, default=django.utils.timezone.now, editable=False
                    ),
                ),
                ("action", models.CharField(db_index=True, max_length=40)),
                (
                    "actor",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="audit_entries",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("actor_name", models.CharField(blank=True, max_length=150)),
                ("target", models.CharField(blank=True, max_length=300)),
                ("detail", models.CharField(blank=True, max_length=300)),
                ("address", models.CharField(blank=True, max_length=64)),
                ("request_id", models.CharField(blank=True, max_length=64)),
            ],
            options={
                "verbose_name_plural": "audit entries",
                "ordering": ["-pk"],
            },
        ),
        migrations.CreateModel(
            name="Connection",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="connections",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("name", models.CharField(max_length=64)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("openai_compatible", "OpenAI-compatible (chat completions)"),
                            ("openai", "OpenAI (responses)"),
                            ("anthropic", "Anthropic"),
                            ("gemini", "Google Gemini"),
                            ("ollama", "Ollama"),
                            ("http", "An HTTP API, for tools"),
                            ("mcp", "An MCP server over HTTP, for tools"),
                            ("mcp_stdio", "An MCP server of this machine, for tools"),
                        ],
                        default="openai_compatible",
                        max_length=17,
                    ),
                ),
                ("base_url", models.CharField(blank=True, max_length=500)),
                ("command", models.CharField(blank=True, max_length=64)),
                ("sealed_key", models.TextField(blank=True)),
                ("sealed_headers", models.TextField(blank=True)),
                ("header_names", models.JSONField(blank=True, default=list)),
                ("model", models.CharField(blank=True, max_length=200)),
                ("known_models", models.JSONField(blank=True, default=list)),
                ("connect", models.FloatField(blank=True, null=True)),
                ("first_byte", models.FloatField(blank=True, null=True)),
                ("between", models.FloatField(blank=True, null=True)),
                ("turn", models.FloatField(blank=True, null=True)),
                ("tries", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("price_in", models.FloatField(blank=True, null=True)),
                ("price_out", models.FloatField(blank=True, null=True)),
                ("version", models.PositiveIntegerField(default=1)),
                ("updated", models.DateTimeField(auto_now=True)),
            ],
            options={
                "ordering": ("name",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("owner", "name"), name="one_connection_per_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DocumentJob",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="document_job",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("locked_until", models.DateTimeField()),
            ],
        ),
        migrations.CreateModel(
            name="Invitation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                (
                    "role",
                    models.CharField(
                        choices=[("user", "User"), ("administrator", "Administrator")],
                        max_length=20,
                    ),
                ),
                ("email", models.EmailField(blank=True, max_length=254)),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="invitations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False),
                ),
                ("expires_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("accepted_at", models.DateTimeField(blank=True, null=True)),
                (
                    "accepted_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="accepted_invitations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ["-pk"],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("expires_at__gt", models.F("created_at"))),
                        name="invitation_expires_after_its_creation",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Job",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("kind", models.CharField(max_length=40)),
                ("title", models.CharField(max_length=200)),
                ("arguments", models.JSONField(blank=True, default=dict)),
                (
                    "asked_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="jobs",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("waiting", "Waiting"),
                            ("running", "Running"),
                            ("done", "Done"),
                            ("failed", "Failed"),
                            ("stopped", "Stopped"),
                        ],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("message", models.CharField(blank=True, max_length=500)),
                ("total", models.PositiveIntegerField()),
                ("done", models.PositiveIntegerField(default=0)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("started", models.DateTimeField(blank=True, null=True)),
                ("ended", models.DateTimeField(blank=True, null=True)),
                ("due", models.DateTimeField()),
            ],
            options={
                "ordering": ("-pk",),
                "indexes": [
                    models.Index(
                        condition=models.Q(("state__in", ("waiting", "running"))),
                        fields=["due"],
                        name="job_due",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="JobShard",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "job",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="shards",
                        to="designer.job",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("items", models.JSONField()),
                ("is_done", models.BooleanField(default=False)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("fence", models.PositiveIntegerField(default=0)),
                ("output", models.BinaryField(default=bytes)),
            ],
            options={
                "ordering": ("number",),
                "constraints": [
                    models.UniqueConstraint(fields=("job", "number"), name="one_shard_per_number")
                ],
            },
        ),
        migrations.CreateModel(
            name="OpenIdIdentity",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="openid_identities",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("issuer", models.CharField(max_length=255)),
                ("subject", models.CharField(max_length=255)),
                (
                    "created_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False),
                ),
            ],
            options={
                "verbose_name": "OpenID identity",
                "verbose_name_plural": "OpenID identities",
                "constraints": [
                    models.UniqueConstraint(
                        fields=("issuer", "subject"), name="openid_identity_of_one_account"
                    ),
                    models.UniqueConstraint(
                        fields=("user", "issuer"), name="openid_identity_once_per_provider"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="SignInCounter",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("key", models.CharField(max_length=64, unique=True)),
                ("count", models.PositiveIntegerField(default=0)),
                ("expires_at", models.DateTimeField(db_index=True)),
            ],
        ),
        migrations.CreateModel(
            name="SignInLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("digest", models.CharField(max_length=64, unique=True)),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="sign_in_links",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "created_at",
                    models.DateTimeField(default=django.utils.timezone.now, editable=False),
                ),
                ("expires_at", models.DateTimeField()),
                ("used_at", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("expires_at__gt", models.F("created_at"))),
                        name="sign_in_link_expires_after_its_creation",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Template",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="templates",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("description", models.TextField(blank=True)),
                ("definition", designer.models.ordered_json.OrderedJSONField()),
                ("stage_count", models.PositiveIntegerField(default=0)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("updated", models.DateTimeField(auto_now=True)),
            ],
            options={
                "ordering": ("name", "pk"),
                "constraints": [
                    models.UniqueConstraint(fields=("owner", "name"), name="one_template_per_name")
                ],
            },
        ),
        migrations.CreateModel(
            name="WorkerHeartbeat",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("name", models.CharField(max_length=120, unique=True)),
                ("started", models.DateTimeField(default=django.utils.timezone.now)),
                ("seen", models.DateTimeField(default=django.utils.timezone.now)),
                ("event_format", models.PositiveSmallIntegerField()),
                ("runs", models.PositiveIntegerField(default=0)),
                ("capacity", models.PositiveIntegerField()),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="Pipeline",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="pipelines",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("description", models.TextField(blank=True)),
                (
                    "topology",
                    models.CharField(
                        choices=[
                            ("pipeline", "A pipeline: agents hand over along the transitions"),
                            ("workflow", "A workflow: each stage's answer is the next one's input"),
                            ("team", "A team: the entry's agent delegates to the others"),
                            ("swarm", "A swarm: peers hand over to each other"),
                        ],
                        default="pipeline",
                        max_length=8,
                    ),
                ),
                ("supervision", models.JSONField(blank=True, null=True)),
                ("supervisor_x", models.FloatField(blank=True, null=True)),
                ("supervisor_y", models.FloatField(blank=True, null=True)),
                ("aliases", models.JSONField(blank=True, default=dict)),
                ("variables", models.JSONField(blank=True, default=dict)),
                (
                    "on_handoff",
                    models.CharField(
                        choices=[
                            ("continue", "The target answers at once"),
                            ("wait", "It answers the next message"),
                        ],
                        default="continue",
                        max_length=8,
                    ),
                ),
                ("handoff_tool_name", models.CharField(blank=True, max_length=64)),
                ("allow_human", models.BooleanField(default=True)),
                ("max_turns", models.PositiveIntegerField(default=24)),
                ("max_handoffs", models.PositiveIntegerField(default=8)),
                ("max_context_tokens", models.PositiveIntegerField(default=128000)),
                ("max_calls", models.PositiveIntegerField(default=200)),
                ("max_tokens", models.PositiveIntegerField(default=1000000)),
                ("max_cost", models.FloatField(blank=True, null=True)),
                ("max_seconds", models.FloatField(default=900.0)),
                (
                    "count_handoffs",
                    models.CharField(
                        choices=[
                            ("completed", "Completed handoffs"),
                            ("requested", "Requested handoffs"),
                        ],
                        default="completed",
                        max_length=9,
                    ),
                ),
                ("detect_cycles", models.BooleanField(blank=True, null=True)),
                ("unresolved", models.JSONField(blank=True, default=dict)),
                ("tags", models.JSONField(blank=True, default=list)),
                ("keep_days", models.PositiveIntegerField(blank=True, null=True)),
                ("version", models.PositiveIntegerField(default=0)),
                ("errors", models.PositiveIntegerField(default=0, editable=False)),
                ("warnings", models.PositiveIntegerField(default=0, editable=False)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("updated", models.DateTimeField(auto_now=True)),
            ],
            options={
                "ordering": ("-updated", "-pk"),
            },
        ),
        migrations.CreateModel(
            name="Agent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "pipeline",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="agents",
                        to="designer.pipeline",
                    ),
                ),
                ("key", models.CharField(max_length=64)),
                ("name", models.CharField(max_length=120)),
                ("instructions", models.TextField(blank=True)),
                ("language", models.CharField(blank=True, max_length=120)),
                ("provider", models.CharField(default="default", max_length=64)),
                ("model", models.CharField(blank=True, max_length=200)),
                ("temperature", models.FloatField(blank=True, null=True)),
                ("max_output_tokens", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "reasoning_effort",
                    models.CharField(
                        blank=True,
                        choices=[
                            ("minimal", "minimal"),
                            ("low", "low"),
                            ("medium", "medium"),
                            ("high", "high"),
                        ],
                        max_length=7,
                    ),
                ),
                (
                    "tool_choice",
                    models.CharField(
                        choices=[
                            ("auto", "It may call tools"),
                            ("required", "It has to call one"),
                            ("none", "It calls none"),
                        ],
                        default="auto",
                        max_length=8,
                    ),
                ),
                (
                    "response_schema",
                    designer.models.ordered_json.OrderedJSONField(blank=True, null=True),
                ),
                ("retries", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("retry_shown", models.BooleanField(default=False)),
                ("time_limit", models.FloatField(blank=True, null=True)),
                ("fallback", models.CharField(blank=True, max_length=64)),
                ("fallback_model", models.CharField(blank=True, max_length=200)),
                ("tools", models.JSONField(blank=True, default=list)),
                ("cues", designer.models.ordered_json.OrderedJSONField(blank=True, default=list)),
                ("hue", models.PositiveSmallIntegerField(blank=True, null=True)),
            ],
            options={
                "ordering": ("key",),
                "constraints": [
                    models.UniqueConstraint(fields=("pipeline", "key"), name="one_agent_per_key")
                ],
            },
        ),
        migrations.CreateModel(
            name="Checklist",
            fields=[
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="checklist",
                        serialize=False,
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("is_closed", models.BooleanField(default=False)),
                (
                    "exported_pipeline",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="designer.pipeline",
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="ComparedFile",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="compared_files",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "pipeline",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="compared_files",
                        to="designer.pipeline",
                    ),
                ),
                ("name", models.CharField(max_length=120)),
                ("definition", designer.models.ordered_json.OrderedJSONField()),
                ("created", models.DateTimeField(auto_now_add=True)),
            ],
            options={
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="Edit",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "pipeline",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="edits",
                        to="designer.pipeline",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="edits",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("label", models.CharField(max_length=200)),
                ("before", designer.models.ordered_json.OrderedJSONField()),
                ("after", designer.models.ordered_json.OrderedJSONField()),
                ("undone", models.BooleanField(default=False)),
                ("made", models.DateTimeField(default=django.utils.timezone.now)),
                ("version", models.PositiveIntegerField(default=0)),
            ],
            options={
                "ordering": ("-pk",),
                "indexes": [
                    models.Index(fields=["pipeline", "user", "undone", "-id"], name="edit_stack"),
                    models.Index(fields=["pipeline", "version"], name="edit_version"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Frame",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "pipeline",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="frames",
                        to="designer.pipeline",
                    ),
                ),
                ("key", models.CharField(max_length=64)),
                ("title", models.CharField(max_length=120)),
                ("hue", models.PositiveSmallIntegerField(blank=True, null=True)),
            ],
            options={
                "ordering": ("key",),
                "constraints": [
                    models.UniqueConstraint(fields=("pipeline", "key"), name="one_frame_per_key")
                ],
            },
        ),
        migrations.CreateModel(
            name="HistoryEntry",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "pipeline",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="history",
                        to="designer.pipeline",
                    ),
                ),
                ("since", models.PositiveIntegerField()),
                ("version", models.PositiveIntegerField()),
                ("label", models.CharField(max_length=200)),
                ("before", designer.models.ordered_json.OrderedJSONField()),
                (
                    "user",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("user_name", models.CharField(max_length=150)),
                ("made", models.DateTimeField()),
            ],
            options={
                "ordering": ("-version",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("pipeline", "version"), name="one_entry_per_edit"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Membership",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "pipeline",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to="designer.pipeline",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "role",
                    models.CharField(
                        choices=[("editor", "can edit"), ("viewer", "can view")],
                        default="editor",
                        max_length=6,
                    ),
                ),
            ],
            options={
                "ordering": ("user__username",),
                "constraints": [
                    models.UniqueConstraint(fields=("pipeline", "user"), name="one_role_per_person")
                ],
            },
        ),
        migrations.CreateModel(
            name="Note",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "pipeline",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="notes",
                        to="designer.pipeline",
                    ),
                ),
                ("key", models.CharField(max_length=64)),
                ("text", models.TextField(blank=True)),
                ("x", models.FloatField()),
                ("y", models.FloatField()),
                ("width", models.FloatField(blank=True, null=True)),
                ("hue", models.PositiveSmallIntegerField(blank=True, null=True)),
            ],
            options={
                "ordering": ("key",),
                "constraints": [
                    models.UniqueConstraint(fields=("pipeline", "key"), name="one_note_per_key")
                ],
            },
        ),
        migrations.CreateModel(
            name="Rule",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "pipeline",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rules",
                        to="designer.pipeline",
                    ),
                ),
                ("key", models.CharField(max_length=64)),
                (
                    "agent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="rules",
                        to="designer.agent",
                    ),
                ),
                ("unknown_agent", models.CharField(blank=True, max_length=64)),
                ("priority", models.IntegerField(default=0)),
                ("conditions", models.JSONField(blank=True, default=dict)),
            ],
            options={
                "ordering": ("priority", "key"),
                "constraints": [
                    models.UniqueConstraint(fields=("pipeline", "key"), name="one_rule_per_key")
                ],
            },
        ),
        migrations.CreateModel(
            name="Stage",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "pipeline",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="stages",
                        to="designer.pipeline",
                    ),
                ),
                ("phase", models.CharField(max_length=64)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("agent", "An agent"),
                            ("group", "A group of agents"),
                            ("human", "The human"),
                        ],
                        default="agent",
                        max_length=8,
                    ),
                ),
                (
                    "agent",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="stages",
                        to="designer.agent",
                    ),
                ),
                ("unknown_agent", models.CharField(blank=True, max_length=64)),
                ("group", models.JSONField(blank=True, null=True)),
                ("description", models.TextField(blank=True)),
                ("x", models.FloatField(blank=True, null=True)),
                ("y", models.FloatField(blank=True, null=True)),
                (
                    "frame",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="stages",
                        to="designer.frame",
                    ),
                ),
            ],
            options={
                "ordering": ("phase",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("pipeline", "phase"), name="one_stage_per_phase"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("kind", "agent"), ("agent", None), _connector="OR"),
                        name="only_an_agent_stage_has_an_agent",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            ("kind", "group"), ("group__isnull", True), _connector="OR"
                        ),
                        name="only_a_group_stage_has_a_group",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("x", None), ("y", None)),
                            models.Q(("x__isnull", False), ("y__isnull", False)),
                            _connector="OR",
                        ),
                        name="a_stage_is_placed_or_not",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Tool",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "pipeline",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tools",
                        to="designer.pipeline",
                    ),
                ),
                ("name", models.CharField(max_length=64)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("function", "A function"),
                            ("subtask", "Another pipeline"),
                            ("user_input", "A question to the user"),
                            ("http", "An HTTP request"),
                            ("mcp", "A tool of an MCP server"),
                        ],
                        default="function",
                        max_length=10,
                    ),
                ),
                ("description", models.CharField(blank=True, max_length=500)),
                (
                    "parameters",
                    designer.models.ordered_json.OrderedJSONField(blank=True, default=dict),
                ),
                ("pipeline_name", models.CharField(blank=True, max_length=120)),
                ("template_hints", models.JSONField(blank=True, default=list)),
                ("http", designer.models.ordered_json.OrderedJSONField(blank=True, null=True)),
                ("mcp", models.JSONField(blank=True, null=True)),
                (
                    "examples",
                    designer.models.ordered_json.OrderedJSONField(blank=True, default=list),
                ),
                ("stand_in", models.BooleanField(default=False)),
                ("approval", models.BooleanField(default=False)),
                ("idempotent", models.BooleanField(default=False)),
                ("time_limit", models.FloatField(blank=True, null=True)),
                ("max_answer", models.PositiveIntegerField(blank=True, null=True)),
            ],
            options={
                "ordering": ("name",),
                "constraints": [
                    models.UniqueConstraint(fields=("pipeline", "name"), name="one_tool_per_name")
                ],
            },
        ),
        migrations.CreateModel(
            name="Transition",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "pipeline",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="transitions",
                        to="designer.pipeline",
                    ),
                ),
                (
                    "source",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="transitions_out",
                        to="designer.stage",
                    ),
                ),
                (
                    "target",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="transitions_in",
                        to="designer.stage",
                    ),
                ),
                (
                    "kind",
                    models.CharField(
                        choices=[("next", "next"), ("return", "return")],
                        default="next",
                        max_length=8,
                    ),
                ),
                ("description", models.CharField(blank=True, max_length=500)),
                (
                    "input_schema",
                    designer.models.ordered_json.OrderedJSONField(blank=True, null=True),
                ),
                ("tool_name", models.CharField(blank=True, max_length=64)),
                ("input_filter", models.JSONField(blank=True, default=dict)),
            ],
            options={
                "ordering": ("source__phase", "kind", "target__phase"),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("source", "target"), name="one_transition_per_pair_of_stages"
                    ),
                    models.UniqueConstraint(
                        condition=models.Q(("kind", "next")),
                        fields=("source",),
                        name="one_next_per_stage",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Version",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "pipeline",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="versions",
                        to="designer.pipeline",
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("definition", designer.models.ordered_json.OrderedJSONField()),
                ("digest", models.CharField(max_length=64)),
                ("name", models.CharField(blank=True, max_length=120)),
                ("note", models.TextField(blank=True, max_length=2000)),
                (
                    "author",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="versions",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("author_name", models.CharField(max_length=150)),
                ("created", models.DateTimeField(auto_now_add=True)),
                (
                    "based_on",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="designer.version",
                    ),
                ),
                ("edit_count", models.PositiveIntegerField()),
            ],
            options={
                "ordering": ("-number",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("pipeline", "number"), name="one_version_per_number"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Conversation",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "pipeline",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="conversations",
                        to="designer.pipeline",
                    ),
                ),
                (
                    "started_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="conversations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("number", models.PositiveIntegerField()),
                ("name", models.CharField(blank=True, max_length=120)),
                ("session", models.CharField(blank=True, max_length=200)),
                (
                    "forked_from",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="forks",
                        to="designer.conversation",
                    ),
                ),
                ("forked_at", models.PositiveIntegerField(blank=True, null=True)),
                ("definition", designer.models.ordered_json.OrderedJSONField()),
                (
                    "subtask_definitions",
                    designer.models.ordered_json.OrderedJSONField(blank=True, default=list),
                ),
                ("pipeline_version", models.PositiveIntegerField()),
                (
                    "version",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="conversations",
                        to="designer.version",
                    ),
                ),
                ("edits_since", models.PositiveIntegerField(blank=True, null=True)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("event_format", models.PositiveSmallIntegerField(default=1)),
                ("last_seq", models.PositiveIntegerField(default=0)),
                ("run_id", models.CharField(blank=True, max_length=64)),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("ready_since", models.DateTimeField(blank=True, null=True)),
                ("fence", models.PositiveIntegerField(default=0)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("is_paused", models.BooleanField(default=False)),
                ("approvals", models.PositiveIntegerField(default=0)),
                ("break_points", models.JSONField(blank=True, default=dict)),
                ("is_logged", models.BooleanField(default=False)),
                ("waits_for_human", models.BooleanField(default=False)),
                (
                    "taken_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="taken_conversations",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "ordering": ("-pk",),
                "indexes": [
                    models.Index(
                        condition=models.Q(("waits_for_human", True)),
                        fields=["pipeline"],
                        name="conversation_inbox",
                    ),
                    models.Index(
                        condition=models.Q(("lease_until__isnull", False)),
                        fields=["lease_until"],
                        name="conversation_leases",
                    ),
                    models.Index(
                        condition=models.Q(("ready_since__isnull", False)),
                        fields=["started_by", "ready_since"],
                        name="conversation_ready_runs",
                    ),
                ],
                "constraints": [
                    models.UniqueConstraint(
                        fields=("pipeline", "number"), name="one_conversation_per_number"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Command",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="commands",
                        to="designer.conversation",
                    ),
                ),
                ("key", models.CharField(max_length=64)),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("say", "Say something as the customer"),
                            ("pause", "Pause at the next safe point"),
                            ("go_on", "Go on, or do one step"),
                            ("note", "A note to the agent"),
                            ("hand_over", "Hand over"),
                            ("take_over", "Take over as the human"),
                            ("reply", "Reply as the human"),
                            ("hand_back", "Hand back to an agent"),
                            ("end", "End it"),
                            ("approve", "Approve a call"),
                            ("change", "Change a call"),
                            ("refuse", "Refuse a call"),
                            ("feedback", "Feedback on an answer"),
                        ],
                        max_length=10,
                    ),
                ),
                ("body", models.JSONField(blank=True, default=dict)),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="commands",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("request_id", models.CharField(blank=True, max_length=64)),
                ("refusal", models.CharField(blank=True, max_length=500)),
            ],
            options={
                "ordering": ("pk",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("conversation", "key"), name="one_command_per_key"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ConversationSummary",
            fields=[
                (
                    "conversation",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="summary",
                        serialize=False,
                        to="designer.conversation",
                    ),
                ),
                (
                    "pipeline",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="summaries",
                        to="designer.pipeline",
                    ),
                ),
                (
                    "started_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("has_subtasks", models.BooleanField(default=False)),
                ("version", models.PositiveIntegerField()),
                ("version_label", models.CharField(blank=True, max_length=40)),
                (
                    "source",
                    models.CharField(
                        choices=[("rehearsal", "Rehearsal"), ("fork", "Fork")],
                        default="rehearsal",
                        max_length=12,
                    ),
                ),
                ("channel", models.CharField(blank=True, max_length=40)),
                ("created", models.DateTimeField()),
                ("last_at", models.DateTimeField()),
                ("seq", models.PositiveIntegerField(default=0)),
                ("is_outdated", models.BooleanField(default=False)),
                ("is_pinned", models.BooleanField(default=False)),
                ("outcome", models.CharField(default="new", max_length=24)),
                ("first_words", models.CharField(blank=True, max_length=160)),
                ("path", models.TextField(blank=True)),
                ("agents", models.TextField(blank=True)),
                ("handoffs", models.PositiveIntegerField(default=0)),
                ("rejections", models.PositiveIntegerField(default=0)),
                ("turns", models.PositiveIntegerField(default=0)),
                ("tokens", models.PositiveBigIntegerField(default=0)),
                ("cost", models.FloatField(default=0.0)),
                ("copied_tokens", models.PositiveBigIntegerField(default=0)),
                ("copied_cost", models.FloatField(default=0.0)),
                ("unpriced", models.PositiveIntegerField(default=0)),
                ("seconds", models.FloatField(default=0.0)),
                ("rejected", models.JSONField(blank=True, default=dict)),
                ("answer_times", models.JSONField(blank=True, default=dict)),
            ],
            options={
                "indexes": [
                    models.Index(
                        fields=["pipeline", "last_at", "conversation"], name="summary_by_last_at"
                    ),
                    models.Index(
                        fields=["pipeline", "first_words", "conversation"],
                        name="summary_by_first_words",
                    ),
                    models.Index(
                        fields=["pipeline", "path", "conversation"], name="summary_by_path"
                    ),
                    models.Index(
                        fields=["pipeline", "outcome", "conversation"], name="summary_by_outcome"
                    ),
                    models.Index(
                        fields=["pipeline", "version", "conversation"], name="summary_by_version"
                    ),
                    models.Index(
                        fields=["pipeline", "handoffs", "conversation"], name="summary_by_handoffs"
                    ),
                    models.Index(
                        fields=["pipeline", "rejections", "conversation"],
                        name="summary_by_rejections",
                    ),
                    models.Index(
                        fields=["pipeline", "turns", "conversation"], name="summary_by_turns"
                    ),
                    models.Index(
                        fields=["pipeline", "tokens", "conversation"], name="summary_by_tokens"
                    ),
                    models.Index(
                        fields=["pipeline", "cost", "conversation"], name="summary_by_cost"
                    ),
                    models.Index(
                        fields=["pipeline", "seconds", "conversation"], name="summary_by_seconds"
                    ),
                    models.Index(
                        fields=["pipeline", "source", "conversation"], name="summary_by_source"
                    ),
                    models.Index(
                        condition=models.Q(("is_outdated", True)),
                        fields=["conversation"],
                        name="summary_outdated",
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="ConversationTag",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "summary",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="tags",
                        to="designer.conversationsummary",
                    ),
                ),
                ("name", models.CharField(max_length=24)),
            ],
            options={
                "ordering": ("name",),
                "constraints": [
                    models.UniqueConstraint(fields=("name", "summary"), name="one_tag_per_name")
                ],
            },
        ),
        migrations.CreateModel(
            name="Exchange",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="exchanges",
                        to="designer.conversation",
                    ),
                ),
                ("session", models.CharField(max_length=300)),
                ("run", models.CharField(max_length=300)),
                ("turn", models.PositiveIntegerField()),
                ("body", models.JSONField()),
            ],
            options={
                "ordering": ("pk",),
                "indexes": [
                    models.Index(fields=["conversation", "run", "turn"], name="exchange_of_a_turn")
                ],
            },
        ),
        migrations.CreateModel(
            name="RecordedEvent",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="recorded_events",
                        to="designer.conversation",
                    ),
                ),
                ("seq", models.PositiveIntegerField()),
                ("type", models.CharField(max_length=40)),
                ("key", models.CharField(blank=True, max_length=200, null=True)),
                ("body", models.JSONField()),
                ("request_id", models.CharField(blank=True, max_length=64, null=True)),
            ],
            options={
                "ordering": ("seq",),
                "constraints": [
                    models.UniqueConstraint(
                        fields=("conversation", "seq"), name="one_event_per_seq"
                    ),
                    models.UniqueConstraint(
                        fields=("conversation", "key"), name="one_event_per_key"
                    ),
                ],
            },
        ),
        migrations.CreateModel(
            name="Release",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "pipeline",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="releases",
                        to="designer.pipeline",
                    ),
                ),
                ("name", models.CharField(default="live", max_length=40)),
                (
                    "version",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="releases",
                        to="designer.version",
                    ),
                ),
                (
                    "previous",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.RESTRICT,
                        related_name="previous_releases",
                        to="designer.version",
                    ),
                ),
                ("promoted", models.DateTimeField(auto_now=True)),
                (
                    "promoted_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(
                        fields=("pipeline", "name"), name="one_release_per_name"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="ShareLink",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="share_links",
                        to="designer.conversation",
                    ),
                ),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                (
                    "created_by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="share_links",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                ("may_chat", models.BooleanField(default=False)),
                ("created", models.DateTimeField(auto_now_add=True)),
                ("revoked", models.DateTimeField(blank=True, null=True)),
                ("expires", models.DateTimeField(blank=True, null=True)),
            ],
            options={
                "db_table": "designer_watchlink",
                "ordering": ("-pk",),
            },
        ),
        migrations.CreateModel(
            name="SpanExport",
            fields=[
                (
                    "conversation",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        primary_key=True,
                        related_name="span_export",
                        serialize=False,
                        to="designer.conversation",
                    ),
                ),
                ("seq", models.PositiveIntegerField(default=0)),
            ],
        ),
        migrations.CreateModel(
            name="SubtaskPipeline",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "conversation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="subtask_pipelines",
                        to="designer.conversation",
                    ),
                ),
                (
                    "pipeline",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="designer.pipeline",
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="pipeline",
            name="default_agent",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="designer.agent",
            ),
        ),
        migrations.AddField(
            model_name="pipeline",
            name="entry",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="designer.stage",
            ),
        ),
        migrations.AddField(
            model_name="pipeline",
            name="supervisor",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="designer.agent",
            ),
        ),
    ]
