"""Paths of the sign-in pages and of accounts."""

from django.urls import URLPattern, URLResolver, path

from designer.accounts import views
from designer.accounts.openid import views as openid_views
from designer.accounts.passwords import account_views, reset_views
from designer.accounts.people import invitation_views
from designer.accounts.people import views as people_views

urlpatterns: list[URLPattern | URLResolver] = [
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-in/<str:token>/", views.sign_in_by_link, name="sign_in_by_link"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("openid/sign-in/", openid_views.sign_in, name="openid_sign_in"),
    path("openid/callback/", openid_views.callback, name="openid_callback"),
    path("password-reset/", reset_views.request_reset, name="password_reset"),
    path(
        "password-reset/<str:uidb64>/<str:token>/",
        reset_views.reset_password,
        name="password_reset_link",
    ),
    path("invitation/<str:token>/", invitation_views.accept, name="accept_invitation"),
    path("people/", people_views.people, name="people"),
    path("people/invitations/", people_views.invite, name="invite"),
    path(
        "people/invitations/<int:pk>/revoke/",
        people_views.invitation_revoke,
        name="invitation_revoke",
    ),
    path("people/<int:pk>/deactivate/", people_views.person_deactivate, name="person_deactivate"),
    path("people/<int:pk>/activate/", people_views.person_activate, name="person_activate"),
    path("people/<int:pk>/role/", people_views.person_role, name="person_role"),
    path("people/<int:pk>/reset-link/", people_views.person_reset_link, name="person_reset_link"),
    path("account/", account_views.account, name="account"),
]
