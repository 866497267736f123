"""What people look at in a browser: the reports that travel, the dashboard and its API.

The reports need only the core; the dashboard needs the extra ``[web]``.
"""
