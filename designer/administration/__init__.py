"""Django's admin at /admin/: all rows to look at, and the names and addresses of users."""

from designer.administration.rows import register_rows
from designer.administration.site import admin_site
from designer.administration.users import register_users

register_users(admin_site)
register_rows(admin_site)

__all__ = ["admin_site"]
