"""The door in front of Django: sockets, limits, and one line of log per request.

gunicorn keeps the processes; in each of them waitress takes requests in. It reads a request whole
before a thread works on it and buffers the answer, so a slow client costs a socket and no thread.
What waitress does not have is here: deadlines, a token before a body, limits per client.

Granian 2.8.9, a server with deadlines of its own, was tried: of the 13 heads of no clear length in
``tests/test_bodies.py`` it takes six, and it waits for ever for the rest of a body.
"""
