"""What the benchmarks share: corpora, a store with its accounts, a timed run, the size of a process."""
import json
import os
import platform
import shutil
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))

from support.environment import REPOSITORY, WORK, fundmail, new_folder, program, run, say  # noqa: E402, F401


def floor_program():
    """The path of the program of floor.c, which is built when its source has changed."""
    source, program = os.path.join(HERE, "floor.c"), os.path.join(WORK, "floor")
    os.makedirs(WORK, exist_ok=True)
    if not os.path.exists(program) or os.path.getmtime(program) < os.path.getmtime(source):
        flags = run(["pkg-config", "--cflags", "--libs", "gmime-3.0"]).split()
        run(["cc", "-O2", "-Wall", "-Wextra", "-o", program, source] + flags)
    return program


def corpus(kind, **options):
    """The path of a corpus that make-corpus writes once for these options."""
    name = "-".join([kind] + [f"{key}{value}" for key, value in sorted(options.items())])
    path = os.path.join(WORK, "corpus", name)
    if not os.path.exists(path):
        os.makedirs(os.path.dirname(path), exist_ok=True)
        partial = path + ".partial"
        shutil.rmtree(partial, ignore_errors=True)
        arguments = [word for key, value in options.items() for word in (f"--{key}", str(value))]
        say(run([sys.executable, os.path.join(HERE, "make-corpus"), kind, partial] + arguments).strip())
        os.rename(partial, path)
    return path


def warm(path):
    """Reads everything once, so that every program that is compared finds it in the page cache."""
    files = [path] if os.path.isfile(path) else [os.path.join(f, n) for f, _, names in os.walk(path) for n in names]
    for name in files:
        with open(name, "rb", buffering=0) as file:
            while file.read(1 << 20):
                pass


class Store:
    """A folder with configuration and store, in which all senders of the corpora are registered."""

    def __init__(self, program, name, limits=None):
        self.program = program
        self.folder = new_folder(name)
        run([program, "init", self.folder])
        self.configuration = os.path.join(self.folder, "fundmail.yaml")
        if limits:
            with open(self.configuration) as file:
                text = [line for line in file.read().splitlines() if not line.startswith("limits:")]
            with open(self.configuration, "w") as file:
                file.write("\n".join(text + ["limits: " + limits, ""]))
        seen = set()
        for line in run([sys.executable, os.path.join(HERE, "make-corpus"), "accounts"]).splitlines():
            user, fund = line.split("\t")
            if user not in seen:
                seen.add(user)
                run(self.command("user", "add", user))
            run(self.command("fund", "add", fund, "--owner", user))

    def command(self, *words):
        return [self.program, "--config", self.configuration, *words]

    def replay(self, path, *options, expect=None):
        """Replays, checks the summary, and gives it with `wall`: seconds by this script's clock, start to exit, and
        `cpu`: processor seconds of the program and its children, which other work on the machine touches less."""
        os.sync()  # what earlier runs left unwritten must not weigh on this one
        output = os.path.join(self.folder, "replay.jsonl")
        with open(output, "w") as file:
            cpu = ProcessorTime()
            start = time.monotonic()
            done = subprocess.run(self.command("replay", path, "--json", *options), stdout=file,
                                  stderr=subprocess.PIPE, text=True)
            wall = time.monotonic() - start
            seconds = cpu.seconds
        if done.returncode != 0:
            sys.exit(f"replay {path}: exit {done.returncode}\n{done.stderr[-4000:]}")
        with open(output) as file:
            summary = json.loads(file.readlines()[-1])["summary"]
        if expect is not None and (summary["filed"] != expect or summary["seen"] != expect):
            sys.exit(f"replay {path}: {expect} messages should have been filed, but: {summary}")
        summary["wall"] = wall
        summary["cpu"] = seconds
        summary["standard_error"] = done.stderr
        return summary


class ProcessorTime:
    """Processor seconds of the programs that were run and waited for since it was made, with their children."""

    def __init__(self):
        self.start = os.times()

    @property
    def seconds(self):
        now = os.times()
        return now.children_user + now.children_system - self.start.children_user - self.start.children_system


class PeakSizes(threading.Thread):
    """Peak resident size (VmHWM, kibibytes) of a process and of each of its children, by looking at /proc until it is
    stopped. The kernel keeps the peak, so only growth in the last 10 ms of a process can be missed."""

    def __init__(self, process):
        super().__init__(daemon=True)
        self.process, self.peaks, self.done = process, {}, threading.Event()

    def run(self):
        while not self.done.wait(0.01):
            self.look()

    def look(self):
        family = {self.process}
        for name in filter(str.isdigit, os.listdir("/proc")):
            try:
                with open(f"/proc/{name}/stat") as file:
                    parent = int(file.read().rsplit(")", 1)[1].split()[1])
            except (OSError, ValueError):
                continue
            if parent == self.process:
                family.add(int(name))
        for process in family:
            try:
                with open(f"/proc/{process}/status") as file:
                    for line in file:
                        if line.startswith("VmHWM:"):
                            size = int(line.split()[1])
                            self.peaks[process] = max(self.peaks.get(process, 0), size)
            except OSError:
                continue

    def stop(self):
        self.done.set()
        self.join()
        own = self.peaks.get(self.process, 0)
        return own, max((size for process, size in self.peaks.items() if process != self.process), default=0)


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    return values[middle] if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def machine():
    """One line that describes this machine and its load."""
    model = "?"
    with open("/proc/cpuinfo") as file:
        for line in file:
            if line.startswith("model name"):
                model = line.split(":", 1)[1].strip()
                break
    return f"{os.cpu_count()} cores, {model}, Linux {platform.release()}, load {os.getloadavg()[0]:.2f}"


def table(rows):
    """Columns, the first to the left and the others to the right."""
    widths = [max(len(str(row[i])) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        say("  ".join(str(cell).ljust(w) if i == 0 else str(cell).rjust(w)
                      for i, (cell, w) in enumerate(zip(row, widths))))


def verdict(checks):
    """Prints each `(what, value, bound, holds)` and gives the exit status: 1 when one does not hold."""
    for what, value, bound, holds in checks:
        say(f"{'ok  ' if holds else 'MISS'}  {what}: {value} ({bound})")
    return 0 if all(holds for *_, holds in checks) else 1
