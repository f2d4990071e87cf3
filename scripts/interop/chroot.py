"""Debian systems in folders, so that mail servers whose packages exclude each other can all be installed: debootstrap
makes one for each release, and a copy of it gets the packages of a server. A running server changes nothing in its
chroot: each start puts an overlay on it, in namespaces that end with this program."""
import fcntl
import os
import shutil
import subprocess
import threading
import socket

from support.environment import new_folder
from support.processes import guarded


class Missing(Exception):
    """The server cannot be installed here; the message says what is missing."""


def mirror():
    """The Debian archive that apt on this machine uses."""
    asked = subprocess.run(
        ["apt-get", "indextargets", "--format", "$(REPO_URI) $(ORIGIN) $(COMPONENT)", "Created-By: Packages"],
        capture_output=True, text=True)
    for line in asked.stdout.splitlines():
        address, *origin = line.split()
        if origin == ["Debian", "main"] and "security" not in address:
            return address
    raise Missing("a Debian archive among apt's sources")


def tool(arguments, log):
    """Runs a command to its end, with its output in a file."""
    with open(log, "a") as file:
        done = subprocess.run(arguments, stdin=subprocess.DEVNULL, stdout=file, stderr=file)
    if done.returncode != 0:
        raise Missing(f"{arguments[0]}: exit {done.returncode}, see {log}")


def isolated(folder, command, network=True):
    """The words of a command line that runs a shell command in the chroot, in namespaces of its own for mounts,
    processes, the name of the machine and, without `network`, the network. All processes end with the command."""
    own = [] if network else ["--net"]
    return ["unshare", "--mount", "--pid", "--uts", *own, "--fork", "--kill-child", f"--mount-proc={folder}/proc",
            "chroot", folder, "/bin/sh", "-c", command]


def ready(chroots, name, release, packages):
    """The path of the chroot with these packages, which is made if it does not exist."""
    path = os.path.join(chroots, name)
    if os.geteuid() != 0:
        raise Missing("chroots need root")
    if not shutil.which("debootstrap", path="/usr/sbin:/usr/bin"):
        raise Missing("debootstrap (scripts/setup interop)")
    os.makedirs(chroots, exist_ok=True)
    with open(os.path.join(chroots, ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        base = os.path.join(chroots, "base-" + release)
        log = os.path.join(chroots, "log-" + name)
        if not os.path.exists(base):
            print(f"making a chroot of {release} …", flush=True)
            shutil.rmtree(base + ".part", ignore_errors=True)
            tool(["debootstrap", "--variant=minbase", release, base + ".part", mirror()], log)
            os.rename(base + ".part", base)
        if not os.path.exists(path):
            print(f"installing {' '.join(packages)} in a chroot …", flush=True)
            shutil.rmtree(path + ".part", ignore_errors=True)
            tool(["cp", "-a", "--reflink=auto", base, path + ".part"], log)
            # Keeps Debian's packages from starting their servers when they are installed (invoke-rc.d(8), policy-rc.d).
            policy = os.path.join(path + ".part", "usr/sbin/policy-rc.d")
            with open(policy, "w") as file:
                file.write("#!/bin/sh\nexit 101\n")
            os.chmod(policy, 0o755)
            shutil.copy("/etc/resolv.conf", os.path.join(path + ".part", "etc/resolv.conf"))
            install = "DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends"
            tool(isolated(path + ".part", f"apt-get update -qq && {install} {' '.join(packages)}"), log)
            os.rename(path + ".part", path)
    return path


class Syslog(threading.Thread):
    """Writes what servers send to /dev/log into a file."""

    def __init__(self, path, log):
        super().__init__(daemon=True)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(path)
        os.chmod(path, 0o666)
        self.log = log

    def run(self):
        with open(self.log, "ab", buffering=0) as file:
            while True:
                file.write(self.socket.recv(65536).rstrip(b"\n\0") + b"\n")


class Chroot:
    """A chroot under an overlay that takes what a server writes. Its folder `shared` is mounted inside as /shared."""

    def __init__(self, lower, name):
        self.folder = new_folder("i-" + name)
        for part in ("upper", "work", "root", "shared"):
            os.makedirs(os.path.join(self.folder, part))
        self.lower, self.shared = lower, os.path.join(self.folder, "shared")
        self.log = os.path.join(self.folder, "log")
        self.process = None

    def write(self, path, text, mode=0o644):
        """Writes a file of the server before it starts."""
        where = os.path.join(self.folder, "upper", path.lstrip("/"))
        os.makedirs(os.path.dirname(where), exist_ok=True)
        with open(where, "w") as file:
            file.write(text)
        os.chmod(where, mode)

    def start(self, command, network=True):
        """Runs a shell command that starts the servers. They run until `stop`, or until this program ends."""
        Syslog(os.path.join(self.shared, "syslog"), self.log).start()
        root = os.path.join(self.folder, "root")
        layers = f"lowerdir={self.lower},upperdir={self.folder}/upper,workdir={self.folder}/work"
        prepare = (f"mount -t overlay overlay -o {layers} {root} && mkdir -p {root}/shared"
                   f" && mount --bind {self.shared} {root}/shared && ln -sf /shared/syslog {root}/dev/log"
                   f" && mount -t tmpfs tmpfs {root}/run && mount --bind /dev/null {root}/etc/resolv.conf")
        inside = isolated(root, command + "\nwhile :; do sleep 3600; done", network)
        # The outer namespace holds the overlay, the inner one the server.
        words = ["unshare", "--mount", "sh", "-c", prepare + ' && exec "$@"', "start", *inside]
        file = open(self.log, "a")
        self.process = guarded(words, stdout=file, stderr=file)

    def stop(self):
        if self.process:
            self.process.stdin.close()
            self.process.wait()
