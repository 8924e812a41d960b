"""State that an attack must not change: files, processes, kernel objects and a terminal."""
import array
import ctypes
import fcntl
import os
import pathlib
import pty
import re
import signal
import struct
import termios
import threading

libc = ctypes.CDLL(None, use_errno=True)
SYS_IOPRIO_GET = {"x86_64": 252, "aarch64": 31}[os.uname().machine]
FS_IOC_GETFLAGS = 0x80086601


def where_there_is(read, *arguments):
    """None where the machine does not show it, to this user or at all."""
    try:
        return read(*arguments)
    except OSError:
        return None


def inode_flags(path):
    """Those of chattr(1)."""
    flags = array.array("l", [0])
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        fcntl.ioctl(fd, FS_IOC_GETFLAGS, flags)
    finally:
        os.close(fd)
    return flags[0]


def extended_attributes(path):
    return {name: os.getxattr(path, name) for name in os.listxattr(path)}


def files(*folders):
    """Content, mode, owner, times, links, attributes and flags of everything in them, by path."""
    found = {}
    for top in folders:
        for folder, _, names in os.walk(top):
            for path in [folder] + [os.path.join(folder, n) for n in names]:
                state = os.lstat(path)
                content = pathlib.Path(path).read_bytes() if os.path.isfile(path) else None
                # Of a folder with a listening socket in it, everything but when it was last read.
                found[path] = (state.st_mode, state.st_uid, state.st_gid, state.st_nlink, state.st_mtime_ns, content,
                               where_there_is(extended_attributes, path), where_there_is(inode_flags, path)
                               if os.path.isfile(path) else None)
    return found


def process(pid):
    """The properties other processes could change, from /proc and the scheduler."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    told = dict(re.findall(r"^(\w+):[ \t]*(.*)$", status, re.M))
    kept = ("Uid", "Gid", "Groups", "CapPrm", "TracerPid", "NSpgid", "NSsid", "Cpus_allowed_list", "Mems_allowed_list", "NoNewPrivs")
    of_children = 1 << signal.SIGCHLD - 1  # varies by itself
    return {**{name: told[name] for name in kept},
            "pending": (int(told["SigPnd"], 16) | int(told["ShdPnd"], 16)) & ~of_children,
            "nice": os.getpriority(os.PRIO_PROCESS, pid),
            "affinity": os.sched_getaffinity(pid),
            "class": os.sched_getscheduler(pid),
            "priority": os.sched_getparam(pid).sched_priority,
            "io": libc.syscall(SYS_IOPRIO_GET, 1, pid),
            "limits": where_there_is(pathlib.Path(f"/proc/{pid}/limits").read_text),
            "folder": where_there_is(os.readlink, f"/proc/{pid}/cwd"),
            "root": where_there_is(os.readlink, f"/proc/{pid}/root"),
            "oom": where_there_is(pathlib.Path(f"/proc/{pid}/oom_score_adj").read_text)}


class KernelObjects:
    """A shared segment, a message queue and a semaphore of System V, and a POSIX queue, of this user."""

    def __init__(self, name):
        self.name = name
        self.shm = libc.shmget(0, 4096, 0o1600)
        self.msg = libc.msgget(0, 0o1600)
        self.sem = libc.semget(0, 1, 0o1600)
        libc.shmat.restype = ctypes.c_void_p
        self.memory = libc.shmat(self.shm, None, 0)
        ctypes.memmove(self.memory, b"canary", 7)
        libc.msgsnd(self.msg, struct.pack("l6s", 1, b"canary"), 6, 0)
        self.queue = libc.mq_open(b"/" + name.encode(), os.O_RDWR | os.O_CREAT, 0o600, None)

    def state(self):
        queued = ctypes.create_string_buffer(256)
        counted = libc.msgctl(self.msg, 2, queued)  # IPC_STAT
        again = libc.mq_open(b"/" + self.name.encode(), os.O_RDWR)
        if again >= 0:
            os.close(again)
        attached = ctypes.create_string_buffer(256)
        libc.shmctl(self.shm, 2, attached)
        return {"memory": ctypes.string_at(self.memory, 4096), "attached": attached.raw[72:96], "messages": counted,
                "queued": queued.raw[48:96], "semaphore": libc.semctl(self.sem, 0, 12), "queue": again >= 0}

    def close(self):
        libc.shmdt(ctypes.c_void_p(self.memory))
        libc.shmctl(self.shm, 0, None)
        libc.msgctl(self.msg, 0, None)
        libc.semctl(self.sem, 0, 0)
        if self.queue >= 0:
            os.close(self.queue)
        libc.mq_unlink(b"/" + self.name.encode())


class Terminal:
    """A terminal to start a program at; what is written to it is read and thrown away."""

    def __init__(self):
        self.master, self.slave = pty.openpty()
        self.reader = threading.Thread(target=self._drain, daemon=True)
        self.reader.start()

    def _drain(self):
        while where_there_is(os.read, self.master, 4096):
            pass

    def state(self):
        waiting = array.array("i", [0])
        fcntl.ioctl(self.slave, termios.FIONREAD, waiting)
        return {"settings": termios.tcgetattr(self.slave), "typed": waiting[0], "size": os.get_terminal_size(self.slave),
                "flags": fcntl.fcntl(self.slave, fcntl.F_GETFL), "owner": fcntl.fcntl(self.slave, fcntl.F_GETOWN),
                "discipline": fcntl.ioctl(self.slave, 0x5424, b"\0\0\0\0"),  # TIOCGETD
                "mode": os.fstat(self.slave).st_mode, "user": os.fstat(self.slave).st_uid}

    def close(self):
        os.close(self.slave)
        self.reader.join()
        os.close(self.master)
