"""The door in front of Django: sockets, limits, and one line of log per request.

gunicorn keeps the processes; in each of them waitress takes requests in. It reads a request whole
before a thread works on it and buffers the answer, so a slow client costs a socket and no thread.
What waitress does not have is here: deadlines, a token before a body, limits per client.
"""
