"""Tables, pages, spool, upload, and the dashboard's server."""
