"""Paths of the sign-in pages and of accounts."""

from django.urls import URLPattern, URLResolver, path

from designer.accounts import account_views, password_reset_views, views

urlpatterns: list[URLPattern | URLResolver] = [
    path("sign-in/", views.sign_in, name="sign_in"),
    path("sign-in/<str:token>/", views.sign_in_by_link, name="sign_in_by_link"),
    path("sign-out/", views.sign_out, name="sign_out"),
    path("password-reset/", password_reset_views.request_reset, name="password_reset"),
    path(
        "password-reset/<str:uidb64>/<str:token>/",
        password_reset_views.reset_password,
        name="password_reset_link",
    ),
    path("account/", account_views.account, name="account"),
]
