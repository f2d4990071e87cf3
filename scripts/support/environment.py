"""Where a script works, which program it runs, and how it runs others: what all scripts share."""
import os
import subprocess
import sys
import time

REPOSITORY = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SCRIPTS = os.path.join(REPOSITORY, "scripts")
# On the file system of the build folder, not in /tmp, which may be in memory: durable writing would cost nothing there.
WORK = os.environ.get("FUNDMAIL_BENCH_DIR", os.path.join(REPOSITORY, ".build", "bench"))
# What a run wrote stays until `scripts/bench/clean`: ext4 does not give out a deleted inode again for minutes, and a
# run that follows a deletion spends half its time searching for others.
LEFT = os.path.join(WORK, "left")
CLEANED = os.path.join(WORK, "cleaned")
SECONDS_AFTER_CLEAN = 300


def say(*words):
    print(*words, flush=True)


def run(arguments, **options):
    """Runs to the end and gives standard output; stops the script, showing what was said, when it fails."""
    result = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    if result.returncode != 0:
        sys.exit(f"{' '.join(arguments)}: exit {result.returncode}\n{result.stdout[-2000:]}{result.stderr[-4000:]}")
    return result.stdout


def new_folder(name):
    """A new path for one store or index."""
    os.makedirs(LEFT, exist_ok=True)
    if os.path.exists(CLEANED) and time.time() - os.path.getmtime(CLEANED) < SECONDS_AFTER_CLEAN:
        say("warning: files were deleted here in the last five minutes; the figures are too low")
    return os.path.join(LEFT, f"{name}-{os.getpid()}-{time.monotonic_ns()}")


def program(name):
    """A product's release build, or the program named by FUNDMAIL_BINARY or FUND_BINARY."""
    named = os.environ.get(f"{name.upper()}_BINARY")
    if named:
        return os.path.abspath(named)
    say("building (release) …")
    run(["scripts/build", name], cwd=REPOSITORY)
    return os.path.join(REPOSITORY, ".build", "programs", name)


def fundmail():
    return program("fundmail")
