"""Which view answers which path: a list for each module of views, joined at the end."""

from django.urls import URLPattern, URLResolver, include, path

from designer.views import (
    accounts,
    agui,
    clipboard,
    compare,
    connections,
    conversations,
    editor,
    events,
    explanations,
    forks,
    hands,
    history,
    inbox,
    inspector,
    layout,
    options,
    outline,
    paper,
    pipelines,
    preview,
    problems,
    rehearsals,
    rules,
    search,
    sharing,
    templates,
    tester,
    tool_import,
    traces,
    watch,
)

account_urls: list[URLPattern | URLResolver] = [
    path("sign-in/", accounts.sign_in, name="sign_in"),
    path("sign-in/<str:token>/", accounts.sign_in_by_link, name="sign_in_by_link"),
    path("sign-out/", accounts.sign_out, name="sign_out"),
]

# Answered by views.pipelines: the list, and what is done with a whole pipeline.
pipeline_urls: list[URLPattern | URLResolver] = [
    path("", pipelines.pipelines, name="pipelines"),
    path("pipelines/create/", pipelines.pipeline_create, name="pipeline_create"),
    path("pipelines/import/", pipelines.pipeline_import, name="pipeline_import"),
    path("pipelines/samples/", pipelines.samples_create, name="samples_create"),
    path("pipelines/<int:pk>/rename/", pipelines.pipeline_rename, name="pipeline_rename"),
    path("pipelines/<int:pk>/duplicate/", pipelines.pipeline_duplicate, name="pipeline_duplicate"),
    path("pipelines/<int:pk>/delete/", pipelines.pipeline_delete, name="pipeline_delete"),
    path("pipelines/<int:pk>/export/", pipelines.pipeline_export, name="pipeline_export"),
    path("schema/", pipelines.definition_schema, name="definition_schema"),
]

# Answered by views.templates.
template_urls: list[URLPattern | URLResolver] = [
    path("pipelines/<int:pk>/template/", templates.template_save, name="template_save"),
    path("templates/samples/", templates.sample_use, name="sample_use"),
    path("templates/<int:pk>/use/", templates.template_use, name="template_use"),
    path("templates/<int:pk>/rename/", templates.template_rename, name="template_rename"),
    path("templates/<int:pk>/delete/", templates.template_delete, name="template_delete"),
]

# Answered by views.editor, views.hands, views.inspector, views.layout and views.rules, all of it
# below "pipelines/<id>/".
gesture_urls: list[URLPattern | URLResolver] = [
    path("", editor.editor, name="editor"),
    path("inspect/", editor.inspect, name="inspect"),
    path("options/", options.options, name="options"),
    path("panel/", editor.show_panel, name="show_panel"),
    path("definition/", editor.show_definition, name="show_definition"),
    path("search/", search.search, name="search"),
    path("search/replace/", search.replace, name="replace"),
    path("share/", sharing.share, name="share"),
    path("unshare/", sharing.unshare, name="unshare"),
    path("leave/", sharing.leave, name="leave"),
    path("undo/", history.undo, name="undo"),
    path("undo/steps/", history.steps, name="steps"),
    path("redo/", history.redo, name="redo"),
    path("stages/move/", editor.move_stages, name="move_stages"),
    path("stages/add/", editor.add_stage, name="add_stage"),
    path("stages/create/", hands.create_stage, name="create_stage"),
    path("stages/tidy/", layout.tidy, name="tidy"),
    path("stages/splice/", hands.splice_stage, name="splice_stage"),
    path("stages/bypass/", hands.bypass_stages, name="bypass_stages"),
    path("stages/rename/", hands.rename_stage, name="rename_stage"),
    path("stages/serve/", hands.serve_stage, name="serve_stage"),
    path("stages/update/", inspector.update_stage, name="update_stage"),
    path("supervisor/move/", editor.move_supervisor, name="move_supervisor"),
    path("transitions/connect/", editor.connect, name="connect"),
    path("transitions/plug/", hands.move_plug, name="move_plug"),
    path("transitions/update/", inspector.update_transition, name="update_transition"),
    path("transitions/payload/", inspector.update_payload, name="update_payload"),
    path("preview/stage/", preview.preview_stage, name="preview_stage"),
    path("preview/agent/", preview.preview_agent, name="preview_agent"),
    path("preview/transition/", preview.preview_transition, name="preview_transition"),
    path("preview/payload/", preview.preview_payload, name="preview_payload"),
    path("parts/delete/", editor.delete_parts, name="delete_parts"),
    path("parts/copy/", clipboard.copy, name="copy_parts"),
    path("parts/cut/", clipboard.cut, name="cut_parts"),
    path("parts/paste/", clipboard.paste, name="paste_parts"),
    path("parts/duplicate/", clipboard.duplicate, name="duplicate_parts"),
    path("problems/fix/", problems.fix_problem, name="fix_problem"),
    path("notes/add/", paper.add_note, name="add_note"),
    path("notes/write/", paper.write_note, name="write_note"),
    path("notes/size/", paper.size_note, name="size_note"),
    path("notes/update/", paper.update_note, name="update_note"),
    path("frames/add/", paper.add_frame, name="add_frame"),
    path("frames/stages/", paper.put_in_frame, name="put_in_frame"),
    path("frames/rename/", paper.rename_frame, name="rename_frame"),
    path("frames/update/", paper.update_frame, name="update_frame"),
    path("stages/describe/", outline.describe_stage, name="describe_stage"),
    path("stages/place/", outline.place_stage, name="place_stage"),
    path("entry/", outline.make_entry, name="make_entry"),
    path("agents/add/", editor.add_agent, name="add_agent"),
    path("agents/update/", inspector.update_agent, name="update_agent"),
    path("agents/cues/", inspector.update_cues, name="update_cues"),
    path("agents/delete/", inspector.delete_agent, name="delete_agent"),
    path("settings/", inspector.update_pipeline, name="update_pipeline"),
    path("tools/add/", inspector.add_tool, name="add_tool"),
    path("tools/update/", inspector.update_tool, name="update_tool"),
    path("tools/examples/", inspector.update_examples, name="update_examples"),
    path("tools/delete/", inspector.delete_tool, name="delete_tool"),
    path("tools/import/", tool_import.tool_import, name="tool_import"),
    path("tools/document/", tool_import.tools_of_document, name="tools_of_document"),
    path("tools/server/", tool_import.tools_of_server, name="tools_of_server"),
    path("tools/take/", tool_import.tools_take, name="tools_take"),
    path("rules/edit/", rules.edit_rule, name="edit_rule"),
    path("rules/rows/", rules.rule_rows, name="rule_rows"),
    path("rules/add/", rules.add_rule, name="add_rule"),
    path("rules/update/", rules.update_rule, name="update_rule"),
    path("rules/delete/", rules.delete_rule, name="delete_rule"),
    path("rules/duplicate/", rules.duplicate_rule, name="duplicate_rule"),
    path("rules/move/", rules.move_rule, name="move_rule"),
    path("rules/check/", rules.check_expression, name="check_expression"),
    path("rules/tester/", tester.show_tester, name="show_tester"),
    path("rules/test/", tester.test_rules, name="test_rules"),
]
editor_urls: list[URLPattern | URLResolver] = [
    path("pipelines/<int:pk>/", include(gesture_urls)),
]

# Answered by views.conversations, and of its events by views.events.
conversation_urls: list[URLPattern | URLResolver] = [
    path("pipelines/<int:pk>/rehearse/", conversations.rehearse, name="rehearse"),
    path(
        "pipelines/<int:pk>/conversations/",
        conversations.conversation_create,
        name="conversation_create",
    ),
    path("conversations/<int:pk>/", conversations.conversation, name="conversation"),
    path("conversations/<int:pk>/events/", events.conversation_events, name="conversation_events"),
    path("conversations/<int:pk>/earlier/", events.conversation_earlier, name="earlier_chat"),
    path("conversations/<int:pk>/track/", events.conversation_track, name="conversation_track"),
    path("conversations/<int:pk>/timeline/", events.conversation_timeline, name="timeline"),
    path("conversations/<int:pk>/rename/", rehearsals.conversation_rename, name="rename_rehearsal"),
    path("conversations/<int:pk>/delete/", rehearsals.conversation_delete, name="delete_rehearsal"),
    path("conversations/<int:pk>/resend/", rehearsals.conversation_resend, name="resend"),
    path("conversations/<int:pk>/targets/", rehearsals.steering_targets, name="steering_targets"),
    path("conversations/<int:pk>/wire-log/", events.switch_wire_log, name="switch_wire_log"),
    path("conversations/<int:pk>/take/", inbox.conversation_take, name="take"),
    path("inbox/", inbox.inbox, name="inbox"),
    path("inbox/count/", inbox.inbox_count, name="inbox_count"),
    path("conversations/<int:pk>/contexts/", events.conversation_contexts, name="contexts"),
    path(
        "conversations/<int:pk>/events/<int:seq>/",
        events.conversation_event,
        name="conversation_event",
    ),
]

# Answered by views.compare, views.forks, views.traces and, of links, views.watch.
takeaway_urls: list[URLPattern | URLResolver] = [
    path("pipelines/<int:pk>/compare/", compare.compare_conversations, name="compare"),
    path("conversations/<int:pk>/fork/", forks.conversation_fork_now, name="fork_now"),
    path("conversations/<int:pk>/fork/<int:seq>/", forks.conversation_fork, name="fork"),
    path("conversations/<int:pk>/export/", traces.trace_export, name="trace_export"),
    path("conversations/<int:pk>/close/", traces.trace_close, name="trace_close"),
    path("conversations/<int:pk>/links/", watch.watch_links, name="watch_links"),
    path(
        "conversations/<int:pk>/links/<int:link>/revoke/", watch.watch_revoke, name="watch_revoke"
    ),
    path("traces/open/", traces.trace_open, name="trace_open"),
]

# Answered by views.watch, for whoever has a link.
watch_urls: list[URLPattern | URLResolver] = [
    path("", watch.watch, name="watch"),
    path("events/", watch.watch_events, name="watch_events"),
    path("events/<int:seq>/", watch.watch_event, name="watch_event"),
    path("earlier/", watch.watch_earlier, name="watch_earlier"),
    path("track/", watch.watch_track, name="watch_track"),
    path("timeline/", watch.watch_timeline, name="watch_timeline"),
    path("contexts/", watch.watch_contexts, name="watch_contexts"),
]

# Answered by views.agui: a conversation for other front ends.
stream_urls: list[URLPattern | URLResolver] = [
    path("conversations/<int:pk>/ag-ui/", agui.conversation_agui, name="conversation_agui"),
    path("watch/<str:token>/ag-ui/", agui.watch_agui, name="watch_agui"),
]

# Answered by views.connections.
connection_urls: list[URLPattern | URLResolver] = [
    path("connections/", connections.connections, name="connections"),
    path("connections/add/", connections.connection_add, name="connection_add"),
    path("connections/try/", connections.connection_try, name="new_connection_try"),
    path("connections/models/", connections.connection_models, name="new_connection_models"),
    path(
        "connections/environment/<slug:name>/try/",
        connections.environment_try,
        name="environment_try",
    ),
    path("connections/<int:pk>/", connections.connection, name="connection"),
    path("connections/<int:pk>/try/", connections.connection_try, name="connection_try"),
    path("connections/<int:pk>/models/", connections.connection_models, name="connection_models"),
    path("connections/<int:pk>/delete/", connections.connection_delete, name="connection_delete"),
]

# Answered by views.explanations.
help_urls: list[URLPattern | URLResolver] = [
    path("help/problems/", explanations.problems_help, name="problems_help"),
    path("help/problems/<slug:code>/", explanations.problem_help, name="problem_help"),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include(account_urls)),
    path("", include(pipeline_urls)),
    path("", include(template_urls)),
    path("", include(editor_urls)),
    path("", include(conversation_urls)),
    path("", include(takeaway_urls)),
    path("watch/<str:token>/", include(watch_urls)),
    path("", include(stream_urls)),
    path("", include(connection_urls)),
    path("", include(help_urls)),
]

handler400 = "designer.views.refusals.bad_request"
handler403 = "designer.views.refusals.forbidden"
