"""`ragctl doctor`: what is installed, what is missing, and how to get it."""

import json
import os
import sys

import click

_MARKS = {"ok": ("ok", "green"), "optional": ("--", "yellow"), "broken": ("!!", "red")}


@click.command(
    short_help="Say what is installed, what is missing, and how to get it.",
    epilog="Example: ragctl doctor",
)
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line and finding.")
def doctor(as_json: bool) -> None:
    """Look at the installation, the OCR engines and languages, the vocabularies, the settings, the
    sources and the warehouse.

    ok: it works; --: it is missing, and only some things need it; !!: it is broken. Changes and
    fetches nothing. Exits with 1 if something is broken.
    """
    from rag_assets.doctor import examine

    broken = 0
    for finding in examine(os.environ):
        broken += finding.state == "broken"
        if as_json:
            click.echo(json.dumps(finding._asdict(), ensure_ascii=False))
        else:
            mark, color = _MARKS[finding.state]
            click.echo(f"{click.style(mark, fg=color)} {finding.what}: {finding.detail}")
    if broken:
        click.echo(f"{broken} to mend", err=True)
        sys.exit(1)
