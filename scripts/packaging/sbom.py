#!/usr/bin/env python3
"""Prints an SBOM of Debian packages (SPDX 2.3, JSON; https://spdx.github.io/spdx-spec/v2.3/):

    scripts/packaging/sbom.py [--image ARCHIVE STATUS] VERSION DEB…

With --image it is that of an image in ARCHIVE that has the packages, and those in STATUS, a file as dpkg's own.

Names the Swift packages of Package.resolved, the toolchain whose libraries are inside the programs, and the Debian
packages that these load, at the versions that are installed here or in the image. Licences are those of THIRD-PARTY.md.
Where FUNDMAIL_BINARY and FUND_BINARY, or the release build, have the list of their objects beside them, a program has
the packages that it is linked with; else all of Package.resolved. The document has the time of SOURCE_DATE_EPOCH.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import time
import uuid

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHECKOUTS = os.path.join(ROOT, ".build", "checkouts")
PROGRAMS = ("fundmail", "fund")
NOT_SPDX = re.compile(r"[^A-Za-z0-9.-]+")
# THIRD-PARTY.md writes licences as people do.
SPDX_LICENCES = {
    "Apache-2.0 (a)": "Apache-2.0 WITH Swift-exception", "Apache-2.0": "Apache-2.0", "MIT": "MIT",
    "LGPL-2.1-or-later": "LGPL-2.1-or-later", "Zlib": "Zlib", "BSD-2-Clause": "BSD-2-Clause",
    "BSD-3-Clause": "BSD-3-Clause", "curl (MIT-like)": "curl", "public domain": "blessing",
    "GPL-3.0-or-later with the GCC Runtime Library Exception": "GPL-3.0-or-later WITH GCC-exception-3.1",
}


def output(*words):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True, cwd=ROOT).stdout


def licences():
    """Licences by the names of Swift packages and of Debian packages, in lower case."""
    found = {}
    with open(os.path.join(ROOT, "THIRD-PARTY.md"), encoding="utf-8") as file:
        text = file.read()
    for line in text.split("\n"):
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 3 and cells[0] not in ("package", "library") and not cells[0].startswith("-"):
            licence = SPDX_LICENCES.get(cells[2], "NOASSERTION")
            for name in [*re.findall(r"`([^`]+)`", cells[1]), *re.findall(r"^\[([^\]]+)\]", cells[0])]:
                found[name.lower()] = licence
    # Sentences: "`fund` also links a, b and c (all Apache-2.0)."
    for names, licence in re.findall(r"also (?:links|fetches) ([^()]+) \(all ([^)]+)\)", text):
        for name in re.split(r",\s+|\s+and\s+", names):
            found[name.strip().lower()] = SPDX_LICENCES.get(licence, "NOASSERTION")
    return found


def modules_of(program):
    """The modules whose objects a program was linked from; nil when the list is not beside it."""
    binary = os.environ.get(f"{program.upper()}_BINARY") or os.path.join(ROOT, ".build", "release", program)
    path = os.path.join(os.path.dirname(os.path.realpath(binary)), f"{program}.product", "Objects.LinkFileList")
    if not os.path.exists(path):
        return None
    with open(path, encoding="utf-8") as file:
        return set(re.findall(r"/([^/\n]+)\.build/", file.read()))


def package_of_module():
    """The identity of a package, which is the name of its folder in .build/checkouts, by each module in it."""
    found = {}
    for package in sorted(os.listdir(CHECKOUTS)):
        for folder in ("", "Sources"):
            place = os.path.join(CHECKOUTS, package, folder)
            for name in os.listdir(place) if os.path.isdir(place) else []:
                found.setdefault(name, package.lower())
    return found


def element(name, version, licence, location, purl, **more):
    return {
        "SPDXID": f"SPDXRef-{NOT_SPDX.sub('-', purl.split(':', 1)[1])}", "name": name, "versionInfo": version,
        "downloadLocation": location, "filesAnalyzed": False, "licenseConcluded": "NOASSERTION",
        "licenseDeclared": licence, "copyrightText": "NOASSERTION",
        "externalRefs": [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}],
        **more,
    }


def swift_elements(known):
    """Elements of the packages in Package.resolved, by their identity."""
    with open(os.path.join(ROOT, "Package.resolved"), encoding="utf-8") as file:
        pins = json.load(file)["pins"]
    found = {}
    for pin in pins:
        address = pin["location"].removesuffix(".git")
        name, version = address.split("/")[-1], pin["state"]["version"]
        found[pin["identity"].lower()] = element(
            name, version, known.get(name.lower(), known.get(pin["identity"].lower(), "NOASSERTION")),
            f"git+{address}@{pin['state']['revision']}", f"pkg:swift/{address.split('://')[1]}@{version}")
    return found


def installed_here(name):
    """Architecture and version of a package; nothing for one that is not installed."""
    query = subprocess.run(
        ["dpkg-query", "-W", "-f", "${db:Status-Status} ${Architecture} ${Version}", name],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout.split()
    return query[1:] if query[:1] == ["installed"] else []


def installed_in(status):
    """Architectures and versions by the names of the packages in a file as /var/lib/dpkg/status is one."""
    with open(status, encoding="utf-8") as file:
        paragraphs = re.split(r"\n(?=Package: )", file.read())
    fields = [dict(re.findall(r"^(Package|Architecture|Version): (.*)$", text, re.MULTILINE)) for text in paragraphs]
    return {found["Package"]: [found["Architecture"], found["Version"]] for found in fields if len(found) == 3}


def debian_element(name, installed, known):
    """A package that is installed; nil for one that is not, such as the second of two that a package may need."""
    if not (found := installed(name)):
        return None
    architecture, version = found
    return element(name, version, known.get(name, "NOASSERTION"), "NOASSERTION",
                   f"pkg:deb/debian/{name}@{version}?arch={architecture}&distro=debian-12")


def file_fields(path):
    with open(path, "rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return {"packageFileName": os.path.basename(path), "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}


def own_element(path, field):
    name, version, architecture = field("Package"), field("Version"), field("Architecture")
    return element(
        name, version, "NONE", "NOASSERTION", f"pkg:deb/fundmail/{name}@{version}?arch={architecture}",
        **file_fields(path))


def main():
    words, archive, installed = sys.argv[1:], None, installed_here
    if words[:1] == ["--image"] and len(words) > 4:
        archive, contents, words = words[1], installed_in(words[2]), words[3:]
        installed = contents.get
    if len(words) < 2 or words[0].startswith("-"):
        sys.exit(__doc__)
    version, paths = words[0], sorted(words[1:])
    known, relations, elements = licences(), [], {}

    def relate(left, kind, right):
        elements.setdefault(right["SPDXID"], right)
        relations.append({
            "spdxElementId": left if isinstance(left, str) else left["SPDXID"], "relationshipType": kind,
            "relatedSpdxElement": right["SPDXID"]})

    swift, owners = swift_elements(known), package_of_module()
    release = re.search(r"Swift version (\S+)", output("swift", "--version")).group(1)
    toolchain = element("swift", release, "Apache-2.0 WITH Swift-exception", "https://www.swift.org/install/",
                        f"pkg:generic/swift@{release}")
    image = "SPDXRef-DOCUMENT"
    if archive:
        image = element(
            "fundmail-image", version, "NONE", "NOASSERTION", f"pkg:oci/fundmail@{version}", **file_fields(archive))
        relate("SPDXRef-DOCUMENT", "DESCRIBES", image)
    for path in paths:
        def field(name, path=path):
            return output("dpkg-deb", "--field", os.path.abspath(path), name).strip()
        own = own_element(path, field)
        relate(image, "CONTAINS" if archive else "DESCRIBES", own)
        if own["name"] not in PROGRAMS:
            continue
        modules = modules_of(own["name"])
        linked = swift if modules is None else {owners[name] for name in modules if name in owners}
        for identity in sorted(set(linked) & set(swift)):
            relate(own, "STATIC_LINK", swift[identity])
        relate(own, "STATIC_LINK", toolchain)
        parts = [part.strip() for part in re.split(r"[,|]", field("Depends"))]
        for name in sorted({re.split(r"[\s:(]", part)[0] for part in parts if part}):
            if needed := debian_element(name, installed, known):
                relate(own, "DYNAMIC_LINK" if "lib" in name else "DEPENDS_ON", needed)
    if archive:
        for name in sorted(set(contents) - set(PROGRAMS)):
            relate(image, "CONTAINS", debian_element(name, installed, known))
    content = json.dumps([list(elements.values()), relations], sort_keys=True)
    created = time.gmtime(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())))
    print(json.dumps({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"fundmail-{version}",
        "documentNamespace": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, content)}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", created),
            "creators": ["Tool: fundmail-scripts-packaging-sbom"]},
        "packages": list(elements.values()), "relationships": relations,
    }, indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
