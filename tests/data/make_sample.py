"""Writes the sample's office, PDF, EPUB, Outlook and zip files from the Markdown beside this file,
and draws its scans.

    python tests/data/make_sample.py [scans]

LibreOffice (`soffice`) has to be installed, but for the scans alone. The files are committed: run
it after an edit only.
"""

import io
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pypdfium2
import xlsxwriter
from markdown_it import MarkdownIt
from pptx import Presentation
from pptx.util import Cm

HERE = Path(__file__).parent
TEXTS = HERE / "sample"
SAMPLE = HERE.parents[1] / "rag_assets" / "sample"
sys.path[:0] = [str(HERE), str(HERE.parent / "chunker" / "parsing")]

import scans  # noqa: E402 - from the folders above
from flat_odt import flat_odt  # noqa: E402
from office_files import epub  # noqa: E402
from outlook_files import ADDRESS, BODY, SENDER, SENT, SUBJECT, TO, msg  # noqa: E402
from pdf_writer import Pdf  # noqa: E402
from xlsb_files import xlsb  # noqa: E402

_PDF = "pdf:writer_pdf_Export:"
TAGGED = _PDF + '{"UseTaggedPDF":{"type":"boolean","value":"true"}}'
UNTAGGED = _PDF + (
    '{"UseTaggedPDF":{"type":"boolean","value":"false"},'
    '"ExportBookmarks":{"type":"boolean","value":"false"}}'
)
DOCUMENTS = [  # text, its language, columns, LibreOffice's filter, file
    ("mentoring-guide", "en", 1, "docx", "acme/handbook/mentoring-guide.docx"),
    ("visitor-guide", "en", 1, "odt", "acme/handbook/visitor-guide.odt"),
    ("shift-agreement", "en", 1, "rtf", "acme/handbook/shift-agreement.rtf"),
    ("ap-200-datasheet", "en", 1, TAGGED, "acme/products/ap-200/datasheet.pdf"),
    ("einkaufsrichtlinie", "de", 1, "docx", "nordlicht/policies/einkaufsrichtlinie.docx"),
    ("brandschutzordnung", "de", 1, "odt", "nordlicht/policies/brandschutzordnung.odt"),
    ("mitteilungsblatt", "de", 2, UNTAGGED, "nordlicht/policies/mitteilungsblatt.pdf"),
]
_WHEN = (2026, 5, 4, 8, 0, 0)


def main() -> None:
    write("acme/products/support/invoice-2026-0417.png", scans.invoice())
    write("acme/handbook/safety/crane-3-notice.jpg", scans.whiteboard_photo())
    write("nordlicht/policies/aushang-leitwarte.tif", scans.newsletter_page())
    write("nordlicht/policies/hausanschluss.pdf", house_connection())
    if sys.argv[1:] == ["scans"]:
        return
    for text, language, columns, target, path in DOCUMENTS:
        source = flat_odt(_text(text), language=language, columns=columns)
        write(path, converted(source.encode(), ".fodt", target))
    curves, prices = performance_curves(), spare_part_prices()
    write("acme/products/ap-200/performance-curves.xlsx", curves)
    write("acme/products/ap-200/spare-part-prices.ods", converted(prices, ".xlsx", "ods"))
    write("acme/products/price-list-2025.xls", converted(price_list(), ".xlsx", "xls"))
    write("acme/products/stock-2026-05.xlsb", stock())
    write("acme/handbook/town-hall-2026.pptx", town_hall())
    write("acme/products/support/small-book-of-wells.epub", book_of_wells())
    write("acme/products/support/field-report-halden.msg", field_report())
    write("acme/products/ap-200/certificates.zip", certificates())


def write(path: str, data: bytes) -> None:
    (SAMPLE / path).write_bytes(data)
    print(f"{len(data):>7,} {path}")


def converted(data: bytes, suffix: str, target: str) -> bytes:
    """A document in another format, by LibreOffice."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, f"source{suffix}")
        source.write_bytes(data)
        profile = f"-env:UserInstallation=file://{folder}/profile"
        command = ["soffice", profile, "--headless", "--convert-to", target, "--outdir"]
        subprocess.run([*command, f"{folder}/out", str(source)], check=True, capture_output=True)
        (made,) = Path(folder, "out").iterdir()
        return made.read_bytes()


def performance_curves() -> bytes:
    flows = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    heads = {
        "AP-200/08": [58, 57, 55, 52, 49, 44, 37, 28],
        "AP-200/12": [87, 86, 83, 79, 73, 66, 55, 42],
        "AP-200/18": [130, 128, 124, 118, 110, 99, 83, 62],
    }
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        bold, day = book.add_format({"bold": True}), book.add_format({"num_format": "yyyy-mm-dd"})
        share = book.add_format({"num_format": "0%"})
        head = book.add_worksheet("Head")
        head.merge_range("A1:D1", "Head in metres at 50 Hz", bold)
        head.write_row("A3", ["Flow m³/h", *heads], bold)
        for row, values in enumerate(zip(flows, *heads.values(), strict=True), start=3):
            head.write_row(row, 0, values)
        tests = book.add_worksheet("Acceptance tests")
        tests.write_row("A1", ["Serial", "Model", "Tested", "Deviation of head"], bold)
        for row, (serial, model, date, deviation) in enumerate(
            [
                (418120, "AP-200/12", datetime(2026, 2, 9), -0.01),
                (418121, "AP-200/12", datetime(2026, 2, 9), 0.02),
                (418122, "AP-200/18", datetime(2026, 2, 10), 0.0),
            ],
            start=1,
        ):
            tests.write_row(row, 0, [serial, model])
            tests.write_datetime(row, 2, date, day)
            tests.write_number(row, 3, deviation, share)
        basis = book.add_worksheet("Basis")
        basis.write_row("A1", ["Density kg/m³", 998.2])
        basis.hide()
    return target.getvalue()


def spare_part_prices() -> bytes:
    return _sheet(
        "Prices 2026",
        ["Part", "Description", "Fits", "Price EUR"],
        [
            ("200-0410", "Impeller with key", "all models", 18.4),
            ("200-0420", "Diffuser", "all models", 21.9),
            ("200-0700", "Shaft 8 stages", "AP-200/08", 64.0),
            ("200-0710", "Shaft 12 stages", "AP-200/12", 78.5),
            ("200-0720", "Shaft 18 stages", "AP-200/18", 96.0),
            ("200-0900", "Seal kit", "all models", 33.2),
            ("200-1100", "Check valve 1 1/4 inch", "all models", 27.6),
        ],
    )


def price_list() -> bytes:
    return _sheet(
        "Pumps",
        ["Model", "Cable m", "Price EUR", "In stock"],
        [
            ("AP-200/08", 20, 689, "yes"),
            ("AP-200/12", 20, 798, "yes"),
            ("AP-200/18", 40, 1049, "yes"),
            ("AP-150/10", 20, 512, "until sold out"),
            ("PC-4 controller", 0, 355, "yes"),
        ],
    )


def stock() -> bytes:
    return xlsb(
        {
            "Pumps": [
                ["Model", "Hall", "Pieces"],
                ["AP-200/08", "2 north", 118.0],
                ["AP-200/12", "2 north", 74.0],
                ["AP-200/18", "2 south", 31.0],
            ],
            "Seals": [
                ["Part", "Shelf", "Pieces"],
                ["4711-20 shaft seal", "A-03", 240.0],
                ["4711-21 O-ring set", "A-04", 512.0],
            ],
        }
    )


def _sheet(name: str, header: list[str], rows: Iterable[tuple]) -> bytes:
    target = io.BytesIO()
    with xlsxwriter.Workbook(target) as book:
        sheet = book.add_worksheet(name)
        for number, row in enumerate([header, *rows]):
            sheet.write_row(number, 0, row)
    return target.getvalue()


def town_hall() -> bytes:
    deck = Presentation()
    deck.core_properties.title = "Town hall, spring 2026"
    first = deck.slides.add_slide(deck.slide_layouts[0])
    first.shapes.title.text = "Town hall, spring 2026"
    first.placeholders[1].text = "Acme Pumps, canteen, 7 May 2026"
    orders = deck.slides.add_slide(deck.slide_layouts[1])
    orders.shapes.title.text = "Orders and deliveries"
    frame = orders.placeholders[1].text_frame
    frame.text = "1,840 pumps were ordered in the first quarter"
    for text, level in [
        ("of which 410 are AP-200/18", 1),
        ("Delivery takes eleven days on average", 0),
        ("The goal is eight days by October", 1),
    ]:
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = text, level
    orders.notes_slide.notes_text_frame.text = "Thank the night shift: they caught up in March."
    numbers = deck.slides.add_slide(deck.slide_layouts[5])
    numbers.shapes.title.text = "Where we lose time"
    rows = [
        ("Step", "Days", "Plan"),
        ("Motors from supplier", "4.5", "3"),
        ("Test basin", "2", "1"),
    ]
    table = numbers.shapes.add_table(3, 3, Cm(2), Cm(5), Cm(20), Cm(4)).table
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
    target = io.BytesIO()
    deck.save(target)
    return target.getvalue()


def book_of_wells() -> bytes:
    chapters = _text("small-book-of-wells").split("\n# ")
    render = MarkdownIt("commonmark").enable("table").render
    pages = {
        f"chapter{number}.xhtml": render(f"# {chapter.removeprefix('# ')}")
        for number, chapter in enumerate(chapters, start=1)
    }
    return epub(pages, title="The small book of wells")


def field_report() -> bytes:
    body = (
        "Hello Mari,\r\n\r\nthe AP-200/18 of the waterworks in Halden (serial 418122) runs again. "
        "The check valve was stuck half open; sand had worn its seat. I replaced it with part "
        "200-1100 and rinsed the rising pipe.\r\n\r\n"
        "Measured afterwards: 5.1 m³/h at 6.2 bar, 5.4 A on all three phases, insulation 12 MΩ. "
        "Please order two more valves for the van.\r\n\r\nTor, field service\r\n"
    )
    return msg(
        {
            SUBJECT: "Field report: waterworks Halden",
            BODY: body,
            SENDER: "Tor Vik",
            ADDRESS: "tor@acme.example",
            TO: "Mari Moe",
            SENT: datetime(2026, 4, 22, 15, 40, tzinfo=UTC),
        }
    )


def house_connection() -> bytes:
    """A letter of one page, and a scanned form behind it."""
    letter = Pdf(info={"Title": "Antrag auf einen Hausanschluss"})
    page = letter.page()
    page.text(60, 90, "Antrag auf einen Hausanschluss", 18, "B")
    page.lines(
        60,
        130,
        [
            "Für den Anschluss an das Wärmenetz brauchen wir den ausgefüllten Antrag, einen",
            "Lageplan im Maßstab 1:500 und das Einverständnis des Eigentümers (Anlage 1).",
        ],
        11,
        15,
    )
    page.text(60, 190, "Ablauf", 14, "B")
    page.lines(
        60,
        215,
        [
            "Nach Eingang der Unterlagen prüfen wir innerhalb von zehn Werktagen, ob die",
            "Leistung der Übergabestation ausreicht. Danach erhalten Sie ein Angebot, das drei",
            "Monate gültig ist.",
        ],
        11,
        15,
    )
    whole = pypdfium2.PdfDocument(letter.data())
    whole.import_pages(pypdfium2.PdfDocument(scans.signed_form()))
    target = io.BytesIO()
    whole.save(target)
    return target.getvalue()


def certificates() -> bytes:
    declaration = flat_odt(_text("declaration"))
    tests = "Certificate;Laboratory;Valid until\nDrinking water, seals;Hydrolab Oslo;2028-06-30\n"
    entries = {
        "declaration-of-conformity.docx": converted(declaration.encode(), ".fodt", "docx"),
        "test-certificates.csv": tests.encode(),
    }
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in entries.items():
            file.writestr(zipfile.ZipInfo(name, _WHEN), data, zipfile.ZIP_DEFLATED)
    return target.getvalue()


def _text(name: str) -> str:
    return (TEXTS / f"{name}.md").read_text(encoding="utf-8")


if __name__ == "__main__":
    main()
