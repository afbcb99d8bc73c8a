"""Paths of rehearsals, the inbox, share links and AG-UI streams."""

from django.urls import URLPattern, URLResolver, include, path

from designer.rehearsal.agui import views as agui
from designer.rehearsal.views import (
    compare,
    conversations,
    events,
    forks,
    inbox,
    rehearsals,
    selections,
    share_links,
    variants,
)

share_link_urls: list[URLPattern | URLResolver] = [
    path("", share_links.watch, name="watch"),
    path("events/", share_links.watch_events, name="watch_events"),
    path("events/<int:seq>/", share_links.watch_event, name="watch_event"),
    path("earlier/", share_links.watch_earlier, name="watch_earlier"),
    path("track/", share_links.watch_track, name="watch_track"),
    path("sums/", share_links.watch_sums, name="watch_sums"),
    path("timeline/", share_links.watch_timeline, name="watch_timeline"),
    path("contexts/", share_links.watch_contexts, name="watch_contexts"),
    path("variants/", share_links.watch_variants, name="watch_variants"),
]

urlpatterns: list[URLPattern | URLResolver] = [
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
    path("conversations/<int:pk>/sums/", events.conversation_sums, name="conversation_sums"),
    path("conversations/<int:pk>/timeline/", events.conversation_timeline, name="timeline"),
    path("conversations/<int:pk>/rename/", rehearsals.conversation_rename, name="rename_rehearsal"),
    path("conversations/<int:pk>/delete/", rehearsals.conversation_delete, name="delete_rehearsal"),
    path("conversations/<int:pk>/resend/", rehearsals.conversation_resend, name="resend"),
    path("conversations/<int:pk>/targets/", rehearsals.steering_targets, name="steering_targets"),
    path("conversations/<int:pk>/wire-log/", events.switch_wire_log, name="switch_wire_log"),
    path("conversations/<int:pk>/take/", inbox.conversation_take, name="take"),
    path(
        "conversations/selection/compare/", selections.compare_selection, name="compare_selection"
    ),
    path("conversations/selection/export/", selections.export_selection, name="export_selection"),
    path("conversations/selection/delete/", selections.delete_selection, name="delete_selection"),
    path("inbox/", inbox.inbox, name="inbox"),
    path("inbox/count/", inbox.inbox_count, name="inbox_count"),
    path("conversations/<int:pk>/contexts/", events.conversation_contexts, name="contexts"),
    path("conversations/<int:pk>/variants/", variants.conversation_variants, name="variants"),
    path(
        "conversations/<int:pk>/events/<int:seq>/",
        events.conversation_event,
        name="conversation_event",
    ),
    path("pipelines/<int:pk>/compare/", compare.compare_conversations, name="compare"),
    path("conversations/<int:pk>/fork/", forks.conversation_fork_now, name="fork_now"),
    path("conversations/<int:pk>/fork/<int:seq>/", forks.conversation_fork, name="fork"),
    path("conversations/<int:pk>/links/", share_links.share_links, name="share_links"),
    path(
        "conversations/<int:pk>/links/<int:link>/revoke/",
        share_links.watch_revoke,
        name="watch_revoke",
    ),
    path("conversations/<int:pk>/ag-ui/", agui.conversation_agui, name="conversation_agui"),
    path("watch/<str:token>/ag-ui/", agui.watch_agui, name="watch_agui"),
    path("watch/<str:token>/", include(share_link_urls)),
]
