"""Healthy is a dashboard that can write to its database, and says so within five seconds."""

import os
import sys
import urllib.error
import urllib.request

url = f"http://127.0.0.1:{os.environ['PORT']}/healthz"
try:
    # No proxy from the environment: this is a question to the container itself.
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with opener.open(url, timeout=5) as answer:
        print(answer.read().decode())
except urllib.error.HTTPError as error:
    sys.exit(f"{url}: {error}: {error.read(1000).decode(errors='replace')}")
except (OSError, urllib.error.URLError) as error:
    sys.exit(f"{url}: {error}")
