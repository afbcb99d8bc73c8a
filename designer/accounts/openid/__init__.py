"""Sign-in by OpenID Connect: the authorization code flow of mozilla-django-oidc, checked strictly.

The library keeps state, nonce and PKCE verifier in the session and requests the token. This package
finds the addresses of the provider, checks the token completely, and decides who may come in.

The library was chosen over django-allauth because it does only this: it has no models, forms, mails
or sign-up of its own, which would be second ways into the accounts of this app.
"""
