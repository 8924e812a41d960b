"""supervised.py PROGRAM ARGUMENT...: runs a program the way some containers do, with a supervisor of system calls (here: of none). The
kernel gives no second program such a descriptor."""
import ctypes
import os
import struct
import sys

PR_SET_NO_NEW_PRIVS, SET_MODE_FILTER, NEW_LISTENER = 38, 1, 8
SYS_SECCOMP = {"x86_64": 317, "aarch64": 277}[os.uname().machine]
libc = ctypes.CDLL(None, use_errno=True)


class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p)]


allow = struct.pack("HBBI", 0x06, 0, 0, 0x7FFF0000)  # BPF_RET, SECCOMP_RET_ALLOW
libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
listener = libc.syscall(SYS_SECCOMP, SET_MODE_FILTER, NEW_LISTENER, ctypes.byref(Program(1, allow)))
if listener < 0:
    sys.exit("this process is supervised already: " + os.strerror(ctypes.get_errno()))
os.set_inheritable(listener, True)
os.execv(sys.argv[1], sys.argv[1:])
