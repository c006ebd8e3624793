"""Signals that end a command as Ctrl-C does: what it has begun is cleaned up."""

import contextlib
import os
import select
import signal
import sys
import threading

import click

_received = []  # the signals of the command that runs, first to last


@contextlib.contextmanager
def as_interrupts():
    """Let SIGTERM and SIGHUP raise KeyboardInterrupt, as SIGINT does; note all three.

    The second SIGTERM or SIGHUP ends the process at once. A signal that is ignored, as
    by nohup, or that has another handler is left alone.
    """

    def interrupt(number, _):
        _received.append(number)
        if usual[number] is signal.SIG_DFL:
            signal.signal(number, signal.SIG_DFL)
        raise KeyboardInterrupt

    _received.clear()
    usual = {}
    if threading.current_thread() is threading.main_thread():
        names = "SIGINT", "SIGTERM", "SIGHUP"  # Windows has no SIGHUP
        numbers = [getattr(signal, name) for name in names if hasattr(signal, name)]
        usual = {number: signal.getsignal(number) for number in numbers}
    ending = signal.SIG_DFL, signal.default_int_handler
    usual = {number: own for number, own in usual.items() if own in ending}
    for number in usual:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number, own in usual.items():
            signal.signal(number, own)
        _received.clear()


def raise_if_received():
    """Raise KeyboardInterrupt after a signal: something may have caught the first one.

    Python drops it, for example, if it comes in a callback from compiled code.
    """
    if _received:
        raise KeyboardInterrupt


@contextlib.contextmanager
def restoring_interrupts():
    """Raise KeyboardInterrupt instead of any error that comes after a signal.

    Other code may turn the interrupt into an error of its own: the parser of pandas
    reports that it cannot read the file, and Python 3.11 raises a RuntimeError if a
    class is being made, as in an import.
    """
    try:
        yield
    except Exception:
        if _received:
            raise KeyboardInterrupt from None
        raise


def exit_interrupted(message):
    """Print a line and exit with the code that shells give to the signal."""
    number = _received[0] if _received else signal.SIGINT
    with contextlib.suppress(OSError):  # the terminal may be gone
        click.echo(message, err=True)
    sys.exit(128 + number)


def exit_if_unread():
    """Exit with the code of shells for SIGPIPE if what reads the output has ended.

    A broken pipe may also be that of a socket or a process: then nothing happens here.
    """
    unread = [stream for stream in (sys.stdout, sys.stderr) if _is_unread(stream)]
    if not unread:
        return
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in unread:  # Python flushes it at its end, which would print a traceback
        with contextlib.suppress(OSError):  # a stream without a file
            os.dup2(null, stream.fileno())
    sys.exit(141)  # 128 + SIGPIPE


def _is_unread(stream):
    """Whether the other end of a pipe is closed."""
    try:
        stream.flush()  # raises only if an earlier write has left something
        if hasattr(select, "poll"):  # Windows has none
            pipe = select.poll()
            pipe.register(stream.fileno(), 0)
            return any(e & (select.POLLERR | select.POLLHUP) for _, e in pipe.poll(0))
    except BrokenPipeError:
        return True
    except (AttributeError, OSError, ValueError):  # not open, or not a file
        pass
    return False
