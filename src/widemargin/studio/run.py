"""Start the page, wait until the person is done, and return what was labeled."""

import getpass
import importlib.util
import ipaddress
import socket

from widemargin.checks import name_package

NEEDED = {  # module: package
    "PIL": "pillow",
    "starlette": "starlette",
    "uvicorn": "uvicorn",
    "websockets": "websockets",
}


def check_installed():
    """Raise ImportError if packages of the page are missing; it names the way out."""
    missing = [
        package
        for module, package in NEEDED.items()
        if importlib.util.find_spec(module) is None
    ]
    if missing:
        raise ImportError(name_package("The labeling page", " ".join(missing), "label"))


def check_host(host, *, is_public, password):
    """Raise ValueError for a host that others can reach, unless that is wished for."""
    from widemargin.studio.server import LOCAL

    if host in LOCAL:
        return
    if not is_public or not password:
        raise ValueError(
            f"--host {host} lets other computers open the page without encryption; "
            "leave it out, or add --unsafe-public and set a password in the "
            "environment variable WIDEMARGIN_PASSWORD."
        )
    try:
        is_any = ipaddress.ip_address(host).is_unspecified
    except ValueError:
        is_any = False
    if is_any:
        raise ValueError(
            f"--host must be the address by which browsers open the page, got {host}, "
            "which stands for all addresses; choose one of them."
        )


def user_name():
    """Name of the person at this computer."""
    try:
        return getpass.getuser()
    except (KeyError, OSError, ImportError):  # no name for the number of the user
        return "me"


def open_page(source, store, *, name=None, arranges=True, **options):
    """A running `PageServer` of a source, with labels in a file."""
    from widemargin.studio.server import PageServer
    from widemargin.studio.session import Session
    from widemargin.studio.store import Store

    opened = Store(store)
    try:
        session = Session(source, opened, name or user_name())
        other = opened.fact("page")
        server = PageServer(session, **options)
    except BaseException:
        opened.close()
        raise
    if other is not None and _answers(*other):
        server.note = (
            f"Note: another program shows a page for the labels in {store}, at port "
            f"{other[1]}. Both can be used; each shows the labels of the other."
        )
    opened.note(page=server.address)
    session.start(arranges=arranges)
    return server.start()


def _answers(host, port):
    """Whether a program listens at a port."""
    try:
        with socket.create_connection((host, port), timeout=1):
            return True
    except OSError:
        return False


def serve(server, say, *, open_browser=True):
    """Say where the page is, and wait until the person is done or interrupts."""
    import webbrowser

    url = server.url
    if server.note:
        say(server.note)
    say(f"The page is at {url}")
    say("The link works once. Press Ctrl-C here, or Done on the page, to stop.")
    try:
        if open_browser:
            webbrowser.open(url)
        server.wait()
    except KeyboardInterrupt:
        pass


def label_rows(X, y, given, *, store, name, port, open_browser):
    """The work of `widemargin.label`."""
    from widemargin.studio.sources import from_arrays

    source = from_arrays(X, y, **given)
    store = store or f"labels-{source.hash[:8]}.sqlite"
    server = open_page(source, store, name=name, port=port)
    try:
        print(f"Labels are stored in {store}.")
        if server.session.taken:
            print(server.session.taken)
        serve(server, print, open_browser=open_browser)
        n_labels = len(server.session.state.labels)
        print(_last_line(n_labels, store))
        return server.session.as_targets()
    finally:
        server.stop()


def _last_line(n_labels, store):
    noun = "label" if n_labels == 1 else "labels"
    return f"{n_labels:,} {noun} in {store}; call label on the same rows to continue."
