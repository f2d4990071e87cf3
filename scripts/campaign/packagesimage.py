"""The part of the campaign over packages that runs the image of containers, by podman."""
import json
import os
import subprocess
import time

from support.environment import REPOSITORY, run
from support.processes import wait_until

MAX_IMAGE_BYTES = 200_000_000
STOP_SECONDS = 30
# Options of podman for machines whose cgroups and limits are not the usual ones; none of them concerns the image.
PODMAN = ["podman", "--runtime", "runc"]
LIMITS = ["--ulimit", "nofile=1024:1024", "--ulimit", "nproc=4096:4096"]
NAME, VOLUME = "fundmail-campaign", "fundmail-campaign"


def podman(*words):
    return run([*PODMAN, *words])


def logs():
    result = subprocess.run(
        [*PODMAN, "logs", NAME], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    return result.stdout


def answer(url, *options):
    """The status of a request; 0 for none."""
    result = subprocess.run(
        ["curl", "--silent", "--insecure", "--output", "/dev/null", "--write-out", "%{http_code}", "--max-time", "5",
         *options, url], stdout=subprocess.PIPE, text=True, check=False)
    return int(result.stdout or 0)


def remove():
    for words in (["rm", "--force", "--time", "1", NAME], ["volume", "rm", "--force", VOLUME]):
        subprocess.run([*PODMAN, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)


def start(*options):
    podman("run", "--detach", "--name", NAME, *LIMITS, "--volume", f"{VOLUME}:/var/lib/fundmail", "--read-only",
           "--cap-drop", "all", "--security-opt", "no-new-privileges", *options, "localhost/fundmail:latest")


def container(package, archive, require):
    """Builds the image of a package from a Debian that mmdebstrap made, and runs it as a person would."""
    podman("import", archive, "localhost/debian:12")
    environment = dict(os.environ, BUILDAH_ISOLATION="chroot", FUNDMAIL_PACKAGE=os.path.abspath(package))
    run(["scripts/container/build", "--base", "localhost/debian:12", "fundmail"], cwd=REPOSITORY, env=environment)
    [image] = json.loads(podman("image", "inspect", "localhost/fundmail:latest"))
    require(image["Size"] <= MAX_IMAGE_BYTES, f"the image has {image['Size'] / 1e6:.0f} MB")
    require(image["Config"]["User"] == "10001:10001", "its user is not root")

    remove()
    try:
        began = time.monotonic()
        start("--publish", "127.0.0.1::8080")
        wait_until(lambda: "type this code" in logs(), "no code for the set-up page in the log", 60)
        line = next(line for line in logs().splitlines() if "type this code" in line)
        require(True, f"after {time.monotonic() - began:.1f} s the log says:", line)
        port = podman("port", NAME, "8080/tcp").strip().rsplit(":", 1)[1]
        require(answer(f"https://127.0.0.1:{port}/setup") == 200,
                "the set-up page comes, over TLS, through the published port")
        require(answer(f"https://127.0.0.1:{port}/readyz") == 200, "the server is ready")
        podman("exec", NAME, "fundmail-ready")
        require(True, "the health check says so, too")
        processes = podman("exec", NAME, "busybox", "ps")
        require("/usr/bin/tini" in processes and "fundmail" in processes, "tini is process 1")
        began = time.monotonic()
        podman("stop", "--time", "90", NAME)
        status = podman("inspect", "--format", "{{.State.ExitCode}}", NAME).strip()
        seconds = time.monotonic() - began
        require(status == "0" and seconds < STOP_SECONDS and "ended by signal 15" in logs(),
                f"SIGTERM ends it in good order within {seconds:.1f} s, with status {status}")

        podman("rm", NAME)
        start("--publish", "127.0.0.1::8080")
        wait_until(lambda: "type this code" in logs(), "no code after the second start", 60)
        podman("exec", NAME, "fundmail", "--config", "fundmail.yaml", "verify")
        require(True, "a second container goes on with the volume")
    finally:
        remove()
