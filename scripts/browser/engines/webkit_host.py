#!/usr/bin/python3
"""A program with a view of WebKitGTK, for WebKitWebDriver to start: MiniBrowser is never narrower than 447 pixels, keeps
no log of requests, and asks where a download goes. It runs in Debian's Python, which has the bindings.

    webkit_host.py --automation FOLDER LANGUAGE [--no-scripts]

FOLDER/events gets a line of JSON for each request, answer, download and page that came, FOLDER/downloads the files.
"""
import itertools
import json
import os
import sys

import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gtk, WebKit2  # noqa: E402

FOLDER, LANGUAGE = sys.argv[2:4]
DOWNLOADS = os.path.join(FOLDER, "downloads")
events = open(os.path.join(FOLDER, "events"), "a", buffering=1)
numbers, windows = itertools.count(), itertools.count()


def tell(kind, **fields):
    print(json.dumps({"kind": kind, **fields}), file=events)


def requested(view, resource, request):
    method = request.get_http_method()

    def answered(resource):
        response = resource.get_response()
        if response:
            tell("response", url=resource.get_uri(), method=method, status=response.get_status_code())

    tell("request", url=request.get_uri(), method=method)
    # A redirection is another request of the same resource.
    resource.connect("sent-request", lambda resource, request, redirected: redirected and tell(
        "request", url=request.get_uri(), method=request.get_http_method()))
    resource.connect("finished", answered)


def decide(view, decision, kind):
    """Downloads what is sent as an attachment, and what the view cannot show."""
    if kind != WebKit2.PolicyDecisionType.RESPONSE:
        return False
    headers = decision.get_response().get_http_headers()
    disposition = headers.get_one("Content-Disposition") if headers else None
    if (disposition or "").startswith("attachment") or not decision.is_mime_type_supported():
        decision.download()
        return True
    return False


def downloaded(context, download):
    path = os.path.join(DOWNLOADS, str(next(numbers)))

    def place(download, name):
        download.set_destination("file://" + path)
        return True

    download.connect("decide-destination", place)
    download.connect("finished", lambda download: tell("download", path=path))


def open_view(**options):
    view = WebKit2.WebView(is_controlled_by_automation=True, **options)
    settings = view.get_settings()
    settings.set_enable_javascript("--no-scripts" not in sys.argv)
    settings.set_enable_page_cache(False)  # a driver loses a page that comes back from there
    settings.set_enable_write_console_messages_to_stdout(True)
    view.connect("resource-load-started", requested)
    view.connect("decide-policy", decide)
    number = next(windows)
    view.connect("load-changed", lambda view, state: tell("page", window=number, state=state.value_nick))
    view.connect("create", lambda view, action: open_view(related_view=view))
    window = Gtk.Window(decorated=False)
    window.set_default_size(1024, 768)
    window.add(view)
    window.show_all()
    view.connect("close", lambda view: window.destroy())
    return view


def started(context, session):
    information = WebKit2.ApplicationInfo()
    information.set_name("MiniBrowser")  # for which the driver asks
    information.set_version(WebKit2.MAJOR_VERSION, WebKit2.MINOR_VERSION, WebKit2.MICRO_VERSION)
    session.set_application_info(information)
    session.connect("create-web-view", lambda session: open_view(web_context=context))


os.makedirs(DOWNLOADS)
# An ephemeral session writes no console messages.
manager = WebKit2.WebsiteDataManager(base_data_directory=f"{FOLDER}/data", base_cache_directory=f"{FOLDER}/cache")
context = WebKit2.WebContext.new_with_website_data_manager(manager)
context.set_preferred_languages([LANGUAGE])
context.set_automation_allowed(True)
context.connect("automation-started", started)
context.connect("download-started", downloaded)
Gtk.main()
