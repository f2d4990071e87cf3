"""What the stories are about: small files of each kind that a page shows, names and texts that are hostile, and mail."""
import email.message
import email.utils
import io
import os
import shutil
import struct
import subprocess
import tempfile
import time
import wave
import zipfile
import zlib

MARKUP = '<img src=x onerror=alert(1)> & "q" {{csrf}}'
OVERRIDE = "invoice\u202efdp.exe"
# Just below what a name may have, in bytes of UTF-8, without a place to break a line.
LONG_NAME = "长" * 40 + "_" + "long" * 30 + ".txt"
LONG_SUBJECT = "a subject of five kilobytes " * 180
DAY = 86_400


def pdf(text="Capital call notice"):
    """One page of PDF 1.4 with a line of text."""
    return pages_pdf(text)


def pages_pdf(*texts):
    """PDF 1.4 with a page for each text."""
    kids = b" ".join(b"%d 0 R" % (3 + 2 * index) for index in range(len(texts)))
    objects = [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(texts))]
    for index, text in enumerate(texts):
        stream = f"BT /F1 24 Tf 72 720 Td ({text}) Tj ET".encode()
        objects += [
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents %d 0 R"
            b" /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
            % (4 + 2 * index),
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream)]
    return raw_pdf(objects)


def raw_pdf(objects):
    """PDF 1.4 of these objects, the first of which is its catalogue."""
    content, places = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return (content + b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(objects) + 1, table)
            + b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(content)))


def picture_pdf(picture, width, height, colours, encoding):
    """A PDF whose page is a picture, whose colour space and filter have these names in PDF."""
    draw = b"q 595 0 0 842 0 0 cm /I Do Q"
    return raw_pdf([
        b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(draw), draw),
        b"<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /%s /BitsPerComponent 8 "
        b"/Filter /%s /Length %d >>\nstream\n%s\nendstream" % (width, height, colours, encoding, len(picture), picture)])


def png(width=320, height=200):
    """A picture with a slope of colours."""
    rows = b"".join(
        b"\0" + bytes(value for x in range(width) for value in (11, 93 * y // height + 93, 87 + 140 * x // width))
        for y in range(height))

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def svg(colour, mark):
    """A drawing of one circle."""
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 120 90"><!-- {mark} --><rect width="120" height="90" fill="#eee"/>'
            f'<circle cx="60" cy="45" r="36" fill="{colour}"/></svg>').encode()


def archive(*files):
    """A zip file of pairs of name and content."""
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w") as zipped:
        for name, content in files:
            zipped.writestr(name, content)
    return whole.getvalue()


def docx(*paragraphs):
    """A letter of Office Open XML."""
    body = "".join(f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>" for text in paragraphs)
    package, document = "http://schemas.openxmlformats.org/package/2006", "http://schemas.openxmlformats.org/officeDocument/2006"
    return archive(
        ("[Content_Types].xml",
         f'<Types xmlns="{package}/content-types"><Default Extension="rels" '
         'ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" '
         'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'),
        ("_rels/.rels",
         f'<Relationships xmlns="{package}/relationships"><Relationship Id="r" Type="{document}/relationships/officeDocument" '
         'Target="word/document.xml"/></Relationships>'),
        ("word/document.xml",
         '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
         f"{body}</w:body></w:document>"))


def scan(*lines):
    """A PDF of one page that is a picture of text, as a scanner makes it. None without poppler."""
    if not shutil.which("pdftoppm"):
        return None
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page")
        with open(page + ".pdf", "wb") as file:
            file.write(pages_pdf(") Tj 0 -40 Td (".join(lines)))
        subprocess.run(["pdftoppm", "-r", "200", "-gray", "-singlefile", page + ".pdf", page], check=True)
        with open(page + ".pgm", "rb") as file:
            grey = file.read()
    width, height = map(int, grey.split(b"\n", 3)[1].split())
    pixels = zlib.compress(grey[-width * height:])
    return picture_pdf(pixels, width, height, b"DeviceGray", b"FlateDecode")


def wav(seconds=1):
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(1)
        sound.setframerate(8000)
        sound.writeframes(bytes(128 + (8 if at // 10 % 2 else -8) for at in range(8000 * seconds)))
    return file.getvalue()


def mail(sender, subject, text, *attachments, age=0):
    """A message as it comes over the network.

    :param attachments: pairs of name and content
    :param age: seconds since it was sent
    """
    message = email.message.EmailMessage()
    message["From"], message["To"] = sender, "funds@example.com"
    message["Subject"] = subject
    message["Date"] = email.utils.formatdate(time.time() - age)
    message["Message-ID"] = email.utils.make_msgid(domain="example.com")
    message.set_content(text)
    types = {"pdf": ("application", "pdf"), "png": ("image", "png"), "wav": ("audio", "wav"), "txt": ("text", "plain")}
    for name, content in attachments:
        major, minor = types.get(name.rsplit(".", 1)[-1], ("application", "octet-stream"))
        message.add_attachment(content, maintype=major, subtype=minor, filename=name)
    return bytes(message).replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")


def years_mail(sender):
    """What a person finds who has used the program for a while: pairs of fund and messages for it."""
    return {
        "Fund1": [
            mail(sender, "[Fund1] Capital call notice", "Dear all,\n\nthe notice is attached.\n",
                 ("notice.pdf", pdf()), age=DAY),
            mail(sender, f"[Fund1] {MARKUP}", f"<b>not bold</b> {OVERRIDE}\n", ("evil <script>.txt", b"text\n"),
                 age=2 * DAY),
            mail(sender, "[Fund1] Site visit", "The roof, and what was said on it.\n", ("roof.png", png()),
                 ("minutes.wav", wav()), ("minutes.txt", "Anwesend: Jörg, 王芳\n".encode()), age=9 * DAY)],
        "绿洲基金": [
            mail(sender, "[绿洲基金] 季度报告", "您好，附件为季度报告。\n",
                 ("季度报告 2026 Q3 a name that is long and has to wrap.docx", b"docx"), age=400 * DAY)],
    }
