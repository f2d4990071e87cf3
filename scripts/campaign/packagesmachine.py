"""The part of the campaign over packages that needs a whole machine: systemd, AppArmor, a kernel of Debian. Its script for
the guest is packagesguest; the guest has no network, so what the package needs is in its disk."""
import base64
import os
import shutil
import subprocess

from support.environment import REPOSITORY, run, say
from support.samples import pages_pdf, png

# The program needs the libraries, previews of PDF the last three, the campaign the rest.
INCLUDED = (
    "apparmor,ca-certificates,curl,dbus,initramfs-tools,libcurl4,libgmime-3.0-0,libqrencode4,libsqlite3-0,libxxhash0,"
    "libzstd1,linux-image-cloud-amd64,openssl,sqlite3,systemd,systemd-sysv,bubblewrap,poppler-utils,webp")
MACHINE_SECONDS = 600
UNIT = """[Unit]
Description=Campaign over packages
[Service]
Type=exec
ExecStart=/packages/guest
[Install]
WantedBy=multi-user.target
"""
LETTER = """From: Ann Archer <ann@example.com>
To: funds@corp.example
Subject: [Fund1] Two files
Date: Mon, 30 Nov 2026 09:00:00 +0000
Message-ID: <campaign@example.com>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain

Two files.
--b
Content-Type: application/pdf
Content-Disposition: attachment; filename=report.pdf
Content-Transfer-Encoding: base64

{pdf}
--b
Content-Type: image/png
Content-Disposition: attachment; filename=photo.png
Content-Transfer-Encoding: base64

{png}
--b--
"""


def archive_of_machine(kept):
    """A Debian 12 with a kernel, systemd, AppArmor and what the package needs, which mmdebstrap makes once."""
    path = f"{kept}/debian-12-machine.tar"
    if not os.path.exists(path):
        say("mmdebstrap: a Debian 12 with a kernel and systemd")
        run(["mmdebstrap", "--quiet", "--variant=minbase", f"--include={INCLUDED}", "bookworm", f"{path}.new"])
        os.rename(f"{path}.new", path)
    return path


def letter():
    pdf, picture = pages_pdf("Page 1", "Page 2"), png(300, 200)
    return LETTER.format(pdf=base64.encodebytes(pdf).decode(), png=base64.encodebytes(picture).decode())


def machine(folder, kept, first, later, require):
    """Installs, upgrades and removes the package in a virtual machine, whose findings come over a serial line."""
    disk = f"{folder}/machine"
    os.makedirs(disk)
    run(["tar", "--extract", "--file", archive_of_machine(kept), "--directory", disk])
    os.makedirs(f"{disk}/packages")
    shutil.copy(first, f"{disk}/packages/first.deb")
    shutil.copy(later, f"{disk}/packages/later.deb")
    shutil.copy(os.path.join(REPOSITORY, "scripts/campaign/packagesguest"), f"{disk}/packages/guest")
    with open(f"{disk}/packages/letter.eml", "w", encoding="utf-8") as file:
        file.write(letter())
    units = f"{disk}/etc/systemd/system"
    with open(f"{units}/campaign.service", "w", encoding="utf-8") as file:
        file.write(UNIT)
    os.makedirs(f"{units}/multi-user.target.wants", exist_ok=True)
    os.symlink("/etc/systemd/system/campaign.service", f"{units}/multi-user.target.wants/campaign.service")
    [kernel] = [name for name in os.listdir(f"{disk}/boot") if name.startswith("vmlinuz-")]
    initial = kernel.replace("vmlinuz", "initrd.img")
    for name in (kernel, initial):
        shutil.copy(f"{disk}/boot/{name}", folder)
    run(["mke2fs", "-q", "-t", "ext4", "-d", disk, f"{folder}/disk.img", "4G"])
    shutil.rmtree(disk)

    accelerated = ["-enable-kvm", "-cpu", "host"] if os.access("/dev/kvm", os.W_OK) else ["-cpu", "max"]
    console, said = f"{folder}/console.log", f"{folder}/said.log"
    say("a machine starts" if len(accelerated) == 3 else "a machine starts; without /dev/kvm it takes its time")
    command = [
        "qemu-system-x86_64", *accelerated, "-m", "2048", "-smp", "2", "-display", "none", "-nic", "none", "-no-reboot",
        "-kernel", f"{folder}/{kernel}", "-initrd", f"{folder}/{initial}",
        "-append", "root=/dev/vda rw console=ttyS0 apparmor=1 security=apparmor quiet",
        "-drive", f"file={folder}/disk.img,format=raw,if=virtio,cache=unsafe",
        "-serial", f"file:{console}", "-serial", f"file:{said}",
    ]
    try:
        subprocess.run(command, timeout=MACHINE_SECONDS, check=True)
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        say(f"the machine: {error}")
    with open(said, encoding="utf-8", errors="replace") as file:
        lines = file.read().splitlines()
    if not lines or lines[-1] != "done":
        with open(console, encoding="utf-8", errors="replace") as file:
            say(file.read()[-4000:])
        say("\n".join(lines[-80:]))
    require(bool(lines) and lines[-1] == "done", "the machine came to its end")
    for line in lines[:-1]:
        if line.startswith("ok "):
            require(True, line[3:])
        elif line.startswith("FAILED "):
            say("\n".join(lines))
            require(False, line[7:])
