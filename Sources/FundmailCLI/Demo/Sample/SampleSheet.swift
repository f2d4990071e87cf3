import FundCore
import FundPreview

/// Office documents (ISO/IEC 29500-1) of the made-up office, as small as they may be.
enum SampleSheet {
    private static let spreadsheetType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    private static let textType = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    private static let officeDocument = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"

    /// A workbook with one sheet. Cells that read as numbers are numbers.
    static func workbook(_ name: String, _ rows: [[String]]) -> SampleMail.File {
        let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
        let cells = rows.map { row in "<row>\(row.map(cell).joined())</row>" }.joined()
        return file(
            name, spreadsheetType, main: "xl/workbook.xml", type: "\(spreadsheetType).main+xml",
            [
                (
                    "xl/workbook.xml",
                    "<workbook xmlns=\"\(main)\" xmlns:r=\"\(officeDocument)\"><sheets><sheet name=\"Values\" "
                        + "sheetId=\"1\" r:id=\"rId1\"/></sheets></workbook>"
                ),
                (
                    "xl/_rels/workbook.xml.rels",
                    relationship("\(officeDocument)/worksheet", target: "worksheets/sheet1.xml")
                ),
                (
                    "xl/worksheets/sheet1.xml",
                    "<worksheet xmlns=\"\(main)\"><sheetData>\(cells)</sheetData></worksheet>"
                ),
            ],
            others: ["/xl/worksheets/sheet1.xml": "\(spreadsheetType.dropLast(5))worksheet+xml"])
    }

    /// A letter of paragraphs.
    static func letter(_ name: String, _ paragraphs: [String]) -> SampleMail.File {
        let main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
        let body = paragraphs.map { "<w:p><w:r><w:t>\(escaped($0))</w:t></w:r></w:p>" }.joined()
        return file(
            name, textType, main: "word/document.xml", type: "\(textType).main+xml",
            [("word/document.xml", "<w:document xmlns:w=\"\(main)\"><w:body>\(body)</w:body></w:document>")])
    }

    private static func cell(_ text: String) -> String {
        Double(text) != nil
            ? "<c><v>\(text)</v></c>" : "<c t=\"inlineStr\"><is><t>\(escaped(text))</t></is></c>"
    }

    /// - Parameters:
    ///   - main: the part with which a reader begins, of content type `type`.
    ///   - others: content types of further parts.
    private static func file(
        _ name: String, _ contentType: String, main: String, type: String,
        _ parts: [(name: String, text: String)], others: [String: String] = [:]
    ) -> SampleMail.File {
        let packages = "http://schemas.openxmlformats.org/package/2006"
        let types = others.merging(["/\(main)": type]) { first, _ in first }.sorted { $0.key < $1.key }.map {
            "<Override PartName=\"\($0.key)\" ContentType=\"\($0.value)\"/>"
        }.joined()
        let beginning = [
            (
                "[Content_Types].xml",
                "<Types xmlns=\"\(packages)/content-types\"><Default Extension=\"rels\" ContentType="
                    + "\"application/vnd.openxmlformats-package.relationships+xml\"/>"
                    + "<Default Extension=\"xml\" ContentType=\"application/xml\"/>\(types)</Types>"
            ), ("_rels/.rels", relationship("\(officeDocument)/officeDocument", target: main)),
        ]
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n"
        let files = (beginning + parts).map { (name: $0.0, content: Array((head + $0.1).utf8)) }
        return SampleMail.File(name: name, contentType: contentType, content: StoredZip.of(files))
    }

    private static func relationship(_ type: String, target: String) -> String {
        "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship "
            + "Id=\"rId1\" Type=\"\(type)\" Target=\"\(target)\"/></Relationships>"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }
}
