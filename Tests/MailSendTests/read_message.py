"""Reads every message of a folder with Python's email package, and prints a line of JSON for each: what a person sees of
it, and the complaints of the reader. `read_message.py FOLDER`"""

import email
import email.header
import email.policy
import email.utils
import hashlib
import json
import os
import sys

folder = sys.argv[1]


def people_of(message, field):
    """The names and addresses of a field. The newer reader of Python 3.11 puts spaces between the encoded words of a
    name, so that the older one is asked."""
    people = email.utils.getaddresses([message[field]])
    return [[str(email.header.make_header(email.header.decode_header(name))), address] for name, address in people]


for name in sorted(os.listdir(folder)):
    with open(os.path.join(folder, name), "rb") as file:
        raw = file.read()
    message = email.message_from_bytes(raw, policy=email.policy.default.clone(raise_on_defect=False))
    body = message.get_body(preferencelist=("plain",))
    defects = [str(defect) for part in message.walk() for defect in part.defects]
    defects += [f"{key}: {defect}" for part in message.walk() for key, value in part.items() for defect in value.defects]
    older = email.message_from_bytes(raw)
    people = {field: people_of(older, field) for field in ("From", "Reply-To", "To", "Cc") if older[field]}
    print(
        json.dumps(
            {
                "name": name,
                "subject": message["Subject"] and str(message["Subject"]),
                "people": people,
                "date": message["Date"].datetime.isoformat(),
                "ids": [message[field] and message[field].split() for field in ("Message-ID", "In-Reply-To", "References")],
                "text": body.get_content().replace("\r\n", "\n") if body else None,
                "files": [
                    [
                        # get_filename() takes quotes and angle brackets off that are in the name itself.
                        part["Content-Disposition"].params.get("filename"),
                        part.get_content_type(),
                        hashlib.sha256(part.get_payload(decode=True)).hexdigest(),
                    ]
                    for part in message.iter_attachments()
                ],
                "longest": max(len(line) for line in raw.split(b"\r\n")),
                "defects": defects,
            }
        )
    )
