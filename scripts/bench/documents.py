"""Files that people mail, made from a seed: PDF, photos, office documents, pages that were scanned."""
import os
import random

from harness import new_folder, run
from support.samples import docx as letter, picture_pdf, raw_pdf

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
    return raw_pdf([content.encode("latin-1") for content in objects])


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
    return letter(f"Letter {seed}", *lines(rng, paragraphs, 40))


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
    return picture_pdf(jpeg, width, height, b"DeviceGray" if bands == 1 else b"DeviceRGB", b"DCTDecode")
