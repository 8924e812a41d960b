"""Listeners, file watches and lists of processes that count real effects."""
import ctypes
import errno
import os
import pathlib
import select
import socket
import struct
import threading
import unittest


class Listener:
    """Counts connections and datagrams at a set of sockets."""

    def __init__(self, *sockets):
        self.sockets = sockets
        self.count = 0
        self.closing, self.close_now = os.pipe()
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while True:
            ready, _, _ = select.select([*self.sockets, self.closing], [], [])
            if self.closing in ready:
                return
            for s in ready:
                if s.type == socket.SOCK_STREAM:
                    s.accept()[0].close()
                else:
                    s.recv(4096)
                self.count += 1

    def close(self):
        """Counts what is still queued, then stops."""
        while True:
            ready, _, _ = select.select(self.sockets, [], [], 0)
            if not ready:
                break
            self.thread.join(0.01)
        os.write(self.close_now, b"x")
        self.thread.join()
        for s in self.sockets:
            s.close()
        os.close(self.closing)
        os.close(self.close_now)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Loopback(Listener):
    """TCP and UDP on one port of 127.0.0.1."""

    def __init__(self):
        tcp = socket.create_server(("127.0.0.1", 0))
        self.port = tcp.getsockname()[1]
        udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        udp.bind(("127.0.0.1", self.port))
        super().__init__(tcp, udp)


class UnixSocket(Listener):
    """A listening Unix stream socket; a path that begins with a NUL is an abstract name."""

    def __init__(self, path, kind=socket.SOCK_STREAM):
        s = socket.socket(socket.AF_UNIX, kind)
        s.bind(path)
        if kind == socket.SOCK_STREAM:
            s.listen()
        super().__init__(s)


IN_ACCESS, IN_MODIFY, IN_OPEN = 1, 2, 0x20
libc = ctypes.CDLL(None, use_errno=True)


class FileWatch:
    """Counts opens, reads and writes of files below a folder (not deeper), through inotify."""

    def __init__(self, folder):
        self.fd = libc.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self.fd < 0 or libc.inotify_add_watch(self.fd, os.fsencode(folder), IN_ACCESS | IN_MODIFY | IN_OPEN) < 0:
            raise OSError(ctypes.get_errno(), "inotify")

    def names(self):
        """The files touched since the last call."""
        found = set()
        while True:
            try:
                data = os.read(self.fd, 65536)
            except BlockingIOError:
                return found
            at = 0
            while at < len(data):
                _, mask, _, size = struct.unpack_from("iIII", data, at)
                name = data[at + 16: at + 16 + size].rstrip(b"\0").decode()
                if name and not mask & 0x40000000:  # a folder itself may be listed
                    found.add(name)
                at += 16 + size

    def close(self):
        os.close(self.fd)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


def children():
    """Every living process, zombies left out, by its parent."""
    found = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                fields = pathlib.Path("/proc", entry, "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                found.setdefault(int(fields[1]), []).append(int(entry))
    return found


def waits_for_a_call(pid):
    try:
        return pathlib.Path("/proc", str(pid), "comm").read_text() == "gdal-mcp-next\n"
    except OSError:
        return False


def family(pid):
    """Every living process below pid."""
    below, found, todo = children(), [], [pid]
    while todo:
        more = below.get(todo.pop(), [])
        found += more
        todo += more
    return found


def descendants(pid):
    """The same without those that were forked ahead of their call."""
    return [p for p in family(pid) if not waits_for_a_call(p)]


def processes_of_calls(host):
    """The processes below a host's zygotes: one for each call under way."""
    return [pid for zygote in children().get(host, []) for pid in descendants(zygote)]


def same_open_file(pid, fd, other_pid, other_fd):
    """Whether two descriptors have one open file description; kcmp(2) needs the right to trace both processes."""
    libc = ctypes.CDLL(None, use_errno=True)
    kcmp, of_files = 312, 0  # x86_64
    order = libc.syscall(kcmp, pid, other_pid, of_files, ctypes.c_ulong(fd), ctypes.c_ulong(other_fd))
    if order < 0 and ctypes.get_errno() == errno.EPERM:
        raise unittest.SkipTest("no right to compare the open files of two processes")
    return order == 0
