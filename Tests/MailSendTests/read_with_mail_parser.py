"""Reads every message of a folder with mail-parser (https://pypi.org/project/mail-parser/), and prints a line of JSON for
each, in the form of read_message.py. `read_with_mail_parser.py FOLDER`

It leaves the folds of a subject to its callers, decodes names of files twice, brings text to Unicode's form NFC and takes
blanks off the ends of header texts and names: who compares allows for that."""

import base64
import hashlib
import json
import os
import sys

import mailparser

folder = sys.argv[1]
FIELDS = {"From": "from_", "Reply-To": "reply_to", "To": "to", "Cc": "cc"}

for name in sorted(os.listdir(folder)):
    mail = mailparser.parse_from_file(os.path.join(folder, name))
    people = {field: getattr(mail, key) for field, key in FIELDS.items() if mail.message[field]}
    print(
        json.dumps(
            {
                "name": name,
                "subject": mail.subject.replace("\r\n", ""),
                "people": {field: [list(person) for person in found] for field, found in people.items()},
                "date": mail.date.isoformat() if mail.date else "",
                "ids": [value.split() if value else None for value in (mail.message_id, mail.in_reply_to, mail.references)],
                "text": "".join(mail.text_plain).replace("\r\n", "\n"),
                "files": [
                    [
                        file["filename"],
                        file["mail_content_type"],
                        hashlib.sha256(base64.b64decode(file["payload"])).hexdigest(),
                    ]
                    for file in mail.attachments
                ],
                "longest": 0,
                "defects": [str(defect) for defect in mail.defects] + [str(d) for d in mail.address_header_defects],
            }
        )
    )
