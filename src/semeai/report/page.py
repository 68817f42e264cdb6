"""The report as one file: the page of the dashboard with its data inside. It needs no server and no network."""

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

STYLES = ("uplot.min.css", "style.css")
SCRIPTS = ("uplot.min.js", "dom.js", "charts.js", "board.js", "views.js")
"""Scripts of the dashboard and of the report, in the order in which they need each other."""


def static_text(name: str) -> str:
    """Return a file that comes with this package."""
    return (files("semeai.report") / "static" / name).read_text(encoding="utf-8")


def inline_json(data: Any) -> str:
    """Return JSON that can stand inside a page: no text in it can end its element."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def report_page(data: Any, title: str, scripts: Sequence[str] = (*SCRIPTS, "report.js")) -> str:
    """Return the page. Its content policy allows exactly its own scripts, and no request at all."""
    styles = "\n".join(static_text(name) for name in STYLES)
    parts = [static_text(name) for name in scripts]
    hashes = " ".join(f"'sha256-{_digest(part)}'" for part in parts)
    policy = f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'"
    inlined = "\n".join(f"<script>{part}</script>" for part in parts)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="semeai">
<title>{html.escape(title)}</title>
<link rel="icon" href="data:,">
<style>
{styles}
</style>
</head>
<body>
<main id="page"></main>
<noscript><p>This report draws its figures with JavaScript, which is turned off here.
<code>semeai report --markdown</code> writes the same results as plain text.</p></noscript>
<script type="application/json" id="data">{inline_json(data)}</script>
{inlined}
</body>
</html>
"""


def _digest(script: str) -> str:
    """Return the hash by which a content policy knows a script. Browsers read line ends as \\n."""
    return base64.b64encode(hashlib.sha256(script.replace("\r\n", "\n").encode()).digest()).decode()
