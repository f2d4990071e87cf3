#!/usr/bin/env python3
"""Prints the copyright file of the Debian packages: what THIRD-PARTY.md says, and the notices and licences of the Swift
packages that SwiftPM fetches, as their sources in .build/checkouts have them.

    scripts/packaging/copyright.py
"""

import glob
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CHECKOUTS = os.path.join(ROOT, ".build", "checkouts")
HEAD = """Fundmail is by its authors, whose names are in the history of its sources. No licence was chosen yet; until its owner
chooses one, all rights are reserved.

What the programs fundmail and fund are linked with has the licences below. On Debian systems the text of the Apache
License 2.0 is in /usr/share/common-licenses/Apache-2.0, those of the GNU licences stand beside it, and the copyright file
of each library's package has the text of its licence.

The exception to the Apache License 2.0 for the runtime of Swift: As an exception, if you use this Software to compile your
source code and portions of this Software are embedded into the binary product as a result, you may redistribute such
product without providing attribution as would otherwise be required by Sections 4(a), 4(b) and 4(d) of the License.
"""
APACHE = re.compile(r"Apache License\s+Version 2\.0", re.IGNORECASE)


def texts(folder):
    """Notices, and licences but for the text that Debian has: path below the folder, and text."""
    for pattern in ("NOTICE*", "LICENSE*", "LICENCE*"):
        for path in sorted(glob.glob(os.path.join(folder, pattern))):
            with open(path, encoding="utf-8", errors="replace") as file:
                text = file.read().strip()
            if pattern.startswith("NOTICE") or not APACHE.search(text):
                yield os.path.basename(path), text


def main():
    if len(sys.argv) > 1:
        sys.exit(__doc__)
    with open(os.path.join(ROOT, "THIRD-PARTY.md"), encoding="utf-8") as file:
        third_party = file.read()
    # Tools of the tests are in no package.
    third_party = third_party.split("## Tools of the tests")[0].split("\n## ", 1)[1]
    print(f"{HEAD}\n## {third_party}")
    if not os.path.isdir(CHECKOUTS):
        sys.exit(f"copyright: {CHECKOUTS} is missing: swift package resolve")
    for name in sorted(os.listdir(CHECKOUTS)):
        for file, text in texts(os.path.join(CHECKOUTS, name)):
            print(f"{'-' * 78}\n{name}, {file}\n\n{text}\n")


if __name__ == "__main__":
    main()
