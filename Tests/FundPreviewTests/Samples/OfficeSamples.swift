import FundCore
import Foundation

/// Office documents of two pages, the pattern on the first and words on the second: of OpenDocument written by hand, of
/// the other formats by LibreOffice, from those.
enum OfficeSamples {
    static let words = "Kapitalabruf 基金"

    /// Made once in a run of the tests: some seconds.
    static let made: Result<[TrueType: [UInt8]], any Error> = Result { try make() }

    private static let further: [(TrueType, from: TrueType)] = [
        (.docx, .odt), (.doc, .odt), (.xlsx, .ods), (.xls, .ods), (.pptx, .odp), (.ppt, .odp),
    ]

    private static func make() throws -> [TrueType: [UInt8]] {
        let folder = try SampleFolder()
        let pgm = "\(folder.path)/pattern.pgm"
        try Data(BlockPattern.pgm()).write(to: URL(fileURLWithPath: pgm))
        let png = try Array(Data(contentsOf: URL(fileURLWithPath: folder.make("p.png", "vips", ["copy", pgm, "OUT"]))))
        var samples: [TrueType: [UInt8]] = [:]
        for (type, name, body) in bodies {
            let bytes = SampleZip.openDocument(name, body: body, picture: png)
            samples[type] = bytes
            try Data(bytes).write(to: URL(fileURLWithPath: "\(folder.path)/a.\(type.rawValue)"))
        }
        for (type, source) in further {
            let path = try folder.make(
                "a.\(type.rawValue)", "soffice",
                [
                    "-env:UserInstallation=file://\(folder.path)/profile", "--headless", "--convert-to", type.rawValue,
                    "a.\(source.rawValue)",
                ])
            samples[type] = try Array(Data(contentsOf: URL(fileURLWithPath: path)))
        }
        return samples
    }

    private static let bodies: [(TrueType, String, String)] = [
        (
            .odt, "text",
            "<office:text><text:p>\(frame("text:anchor-type=\"as-char\""))</text:p>"
                + "<text:p text:style-name=\"NextPage\">\(words)</text:p></office:text>"
        ),
        (
            .ods, "spreadsheet",
            "<office:spreadsheet>"
                + sheet("A", "<table:shapes>\(frame(corner))</table:shapes>", "<table:table-cell/>")
                + sheet(
                    "B", "",
                    "<table:table-cell office:value-type=\"string\"><text:p>\(words)</text:p></table:table-cell>")
                + "</office:spreadsheet>"
        ),
        (
            .odp, "presentation",
            "<office:presentation><draw:page draw:master-page-name=\"Slide\">\(frame(corner))</draw:page>"
                + "<draw:page draw:master-page-name=\"Slide\"><draw:frame \(corner) svg:width=\"15cm\""
                + " svg:height=\"3cm\"><draw:text-box><text:p>\(words)</text:p></draw:text-box></draw:frame>"
                + "</draw:page></office:presentation>"
        ),
    ]

    private static let corner = "svg:x=\"1cm\" svg:y=\"1cm\""

    private static func frame(_ place: String) -> String {
        "<draw:frame \(place) svg:width=\"9cm\" svg:height=\"8cm\"><draw:image xlink:href=\"Pictures/p.png\""
            + " xlink:type=\"simple\" xlink:show=\"embed\" xlink:actuate=\"onLoad\"/></draw:frame>"
    }

    private static func sheet(_ name: String, _ shapes: String, _ cell: String) -> String {
        "<table:table table:name=\"\(name)\">\(shapes)<table:table-column/><table:table-row>\(cell)</table:table-row>"
            + "</table:table>"
    }
}

extension SampleZip {
    private static let spaces =
        [
            ("office", "office"), ("text", "text"), ("draw", "drawing"), ("svg", "svg-compatible"), ("style", "style"),
            ("fo", "xsl-fo-compatible"), ("table", "table"),
        ].map { "xmlns:\($0)=\"urn:oasis:names:tc:opendocument:xmlns:\($1):1.0\"" }.joined(separator: " ")
        + " xmlns:xlink=\"http://www.w3.org/1999/xlink\" office:version=\"1.2\""

    /// A document with one picture, `Pictures/p.png`, and the styles `NextPage` of a paragraph and `Slide` of a page.
    ///
    /// - Parameter kind: the end of its media type.
    static func openDocument(_ kind: String, body: String, picture: [UInt8]) -> [UInt8] {
        let type = "application/vnd.oasis.opendocument.\(kind)"
        let content =
            "<?xml version=\"1.0\"?><office:document-content \(spaces)><office:automatic-styles>"
            + "<style:style style:name=\"NextPage\" style:family=\"paragraph\"><style:paragraph-properties"
            + " fo:break-before=\"page\"/></style:style></office:automatic-styles><office:body>\(body)</office:body>"
            + "</office:document-content>"
        let styles =
            "<?xml version=\"1.0\"?><office:document-styles \(spaces)><office:automatic-styles>"
            + "<style:page-layout style:name=\"L\"/></office:automatic-styles><office:master-styles>"
            + "<style:master-page style:name=\"Slide\" style:page-layout-name=\"L\"/></office:master-styles>"
            + "</office:document-styles>"
        let files = [("content.xml", "text/xml"), ("styles.xml", "text/xml"), ("Pictures/p.png", "image/png")]
        let entries = ([("/", type)] + files).map {
            "<manifest:file-entry manifest:full-path=\"\($0)\" manifest:media-type=\"\($1)\"/>"
        }.joined()
        let manifest =
            "<manifest:manifest xmlns:manifest=\"urn:oasis:names:tc:opendocument:xmlns:manifest:1.0\">\(entries)"
            + "</manifest:manifest>"
        return of(bytes: [
            ("mimetype", Array(type.utf8)), ("content.xml", Array(content.utf8)), ("styles.xml", Array(styles.utf8)),
            ("Pictures/p.png", picture), ("META-INF/manifest.xml", Array(manifest.utf8)),
        ])
    }
}
