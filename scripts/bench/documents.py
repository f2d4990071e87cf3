"""Files that people mail, made from a seed: PDF, photos, office documents, pages that were scanned."""
import os
import random
import zipfile

from harness import new_folder, run

WORDS = ("fund capital call notice quarter net asset value statement partners custody wire transfer resolution meeting "
         "annual audited report distribution investor account balance signed agreement").split()


def lines(rng, count, words=11):
    return [" ".join(rng.choice(WORDS) for _ in range(words)) for _ in range(count)]


def pdf(seed, pages=3, rows=45):
    """A document with lines of text on each page."""
    rng = random.Random(seed)
    objects = ["<< /Type /Catalog /Pages 2 0 R >>", "", "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    kids = []
    for page in range(pages):
        text = "BT /F1 11 Tf 60 780 Td 15 TL " + " ".join(
            f"({line}) Tj T*" for line in [f"Page {page + 1} of {pages}, document {seed}", *lines(rng, rows)]) + " ET"
        kids.append(f"{len(objects) + 1} 0 R")
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {len(objects) + 2} 0 R "
                       "/Resources << /Font << /F1 3 0 R >> >> >>")
        objects.append(f"<< /Length {len(text)} >>\nstream\n{text}\nendstream")
    objects[1] = f"<< /Type /Pages /Count {pages} /Kids [{' '.join(kids)}] >>"
    out, places = "%PDF-1.4\n", []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{content}\nendobj\n"
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    out += (f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}trailer\n"
            f"<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n")
    return out.encode("latin-1")


def photo(width=4000, height=3000):
    """A JPEG of 12 megapixels with as much detail as a camera's."""
    folder = new_folder("photo")
    os.makedirs(folder)
    path = os.path.join(folder, "photo")
    run(["vips", "perlin", path + "-a.v", str(width), str(height), "--cell-size", "300"])
    run(["vips", "gaussnoise", path + "-b.v", str(width), str(height), "--sigma", "12", "--mean", "0"])
    run(["vips", "linear", path + "-a.v", path + "-c.v", "100", "128"])
    run(["vips", "add", path + "-c.v", path + "-b.v", path + "-d.v"])
    run(["vips", "cast", path + "-d.v", path + "-e.v", "uchar"])
    run(["vips", "bandjoin", f"{path}-e.v {path}-e.v {path}-e.v", path + ".jpg[Q=88]"])
    with open(path + ".jpg", "rb") as file:
        return file.read()


def with_comment(jpeg, number):
    """The same picture with other bytes: a comment after the first marker."""
    text = f"photo {number}".encode()
    return jpeg[:2] + b"\xff\xfe" + (len(text) + 2).to_bytes(2, "big") + text + jpeg[2:]


def docx(seed, paragraphs=12):
    """A letter."""
    rng = random.Random(seed)
    body = "".join(f"<w:p><w:r><w:t>{line}</w:t></w:r></w:p>" for line in [f"Letter {seed}", *lines(rng, paragraphs, 40)])
    parts = {
        "[Content_Types].xml":
            '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            '<Default Extension="xml" ContentType="application/xml"/><Override PartName="/word/document.xml" '
            'ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>',
        "_rels/.rels":
            '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r" '
            'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
            'Target="word/document.xml"/></Relationships>',
        "word/document.xml":
            '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
            f"{body}</w:body></w:document>",
    }
    folder = new_folder("docx")
    os.makedirs(folder)
    path = os.path.join(folder, "letter.docx")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, '<?xml version="1.0" encoding="UTF-8"?>' + content)
    with open(path, "rb") as file:
        return file.read()


def scan(seed):
    """A PDF of one page that is a picture of text."""
    folder = new_folder("scan")
    os.makedirs(folder)
    page = os.path.join(folder, "page")
    with open(page + ".pdf", "wb") as file:
        file.write(pdf(seed, pages=1, rows=30))
    run(["pdftoppm", "-r", "200", "-gray", "-jpeg", "-singlefile", page + ".pdf", page])
    with open(page + ".jpg", "rb") as file:
        jpeg = file.read()
    width, height, bands = (int(run(["vipsheader", "-f", what, page + ".jpg"])) for what in ("width", "height", "bands"))
    return picture_pdf(jpeg, width, height, b"DeviceGray" if bands == 1 else b"DeviceRGB")


def picture_pdf(jpeg, width, height, colours):
    """A PDF whose page is a JPEG."""
    out = bytearray(b"%PDF-1.4\n")
    places = []
    draw = b"q 595 0 0 842 0 0 cm /I Do Q"
    for content in [
            b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Count 1 /Kids [3 0 R] >>",
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Resources << /XObject << /I 5 0 R >> >> >>",
            b"<< /Length %d >>\nstream\n%s\nendstream" % (len(draw), draw),
            b"<< /Type /XObject /Subtype /Image /Width %d /Height %d /ColorSpace /%s /BitsPerComponent 8 "
            b"/Filter /DCTDecode /Length %d >>\nstream\n%s\nendstream" % (width, height, colours, len(jpeg), jpeg)]:
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (len(places), content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(places) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(places) + 1, start)
    return bytes(out)
