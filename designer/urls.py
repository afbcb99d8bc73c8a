"""Which view answers which path: a list for each module of views, joined at the end."""

from django.urls import URLPattern, URLResolver, include, path

from designer.views import accounts, conversations

account_urls: list[URLPattern | URLResolver] = [
    path("sign-in/", accounts.sign_in, name="sign_in"),
    path("sign-in/<str:token>/", accounts.sign_in_by_link, name="sign_in_by_link"),
    path("sign-out/", accounts.sign_out, name="sign_out"),
]

# Answered by views.pipelines: the list, and what is done with a whole pipeline.
pipeline_urls: list[URLPattern | URLResolver] = []

# Answered by views.editor, below "pipelines/<slug or id>/".
editor_urls: list[URLPattern | URLResolver] = []

# Answered by views.conversations.
conversation_urls: list[URLPattern | URLResolver] = [
    path("pipelines/<int:pk>/rehearse/", conversations.rehearse, name="rehearse"),
    path(
        "pipelines/<int:pk>/conversations/",
        conversations.conversation_create,
        name="conversation_create",
    ),
    path("conversations/<int:pk>/", conversations.conversation, name="conversation"),
    path(
        "conversations/<int:pk>/events/<int:seq>/",
        conversations.conversation_event,
        name="conversation_event",
    ),
]

urlpatterns: list[URLPattern | URLResolver] = [
    path("", include(account_urls)),
    path("", include(pipeline_urls)),
    path("", include(editor_urls)),
    path("", include(conversation_urls)),
]
