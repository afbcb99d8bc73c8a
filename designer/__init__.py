"""Django project and app of Baton: drawing, rehearsing and exporting pipelines."""
