#!/usr/bin/env python3
"""Runs a program that can start no other:

    support/without_programs.py PROGRAM [ARGUMENT]…

The kernel refuses it and all of its threads to execute anything (seccomp(2)): starting a program fails with EACCES. So
run the tests without the mark `.startsPrograms`; one that needs it fails.
"""
import ctypes
import errno
import os
import platform
import struct
import sys

# The numbers of execve and execveat.
CALLS = {"x86_64": (59, 322), "aarch64": (221, 281)}
AT_EMPTY_PATH = 0x1000
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
ALLOW, REFUSE = 0x7FFF0000, 0x00050000 | errno.EACCES
# Berkeley packet filter: load a word of struct seccomp_data, jump if equal, jump if a bit is set, return.
LOAD, EQUAL, IS_SET, RETURN = 0x20, 0x15, 0x45, 0x06
NUMBER, FIFTH_ARGUMENT = 0, 48


def filter_of(execve, execveat):
    """Refuses both calls, but not execveat with an open file, as which this program itself starts the other."""
    steps = [
        (LOAD, 0, 0, NUMBER),
        (EQUAL, 4, 0, execve),
        (EQUAL, 0, 2, execveat),
        (LOAD, 0, 0, FIFTH_ARGUMENT),
        (IS_SET, 0, 1, AT_EMPTY_PATH),
        (RETURN, 0, 0, ALLOW),
        (RETURN, 0, 0, REFUSE),
    ]
    return b"".join(struct.pack("HBBI", *step) for step in steps), len(steps)


def refuse_programs():
    program, count = filter_of(*CALLS[platform.machine()])
    steps = ctypes.create_string_buffer(program, len(program))
    description = struct.pack("HxxxxxxP", count, ctypes.addressof(steps))
    libc = ctypes.CDLL(None, use_errno=True)
    for words in [(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, description, 0, 0)]:
        if libc.prctl(*words) != 0:
            sys.exit(f"without_programs: prctl: {os.strerror(ctypes.get_errno())}")


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    file = os.open(sys.argv[1], os.O_RDONLY)
    refuse_programs()
    os.execve(file, sys.argv[1:], os.environ)


if __name__ == "__main__":
    main()
