import Foundation
import FundCore
import TestSupport
import Testing

@testable import FundmailCLI

/// The files of the made-up office are what their names say.
@Suite struct SampleFilesTests {
    @Test(arguments: [
        (1_797_292_800, "15 December 2026", "1 January 2027", "November 2026", "Q3 2026"),
        (1_798_761_600, "1 January 2027", "18 January 2027", "December 2026", "Q4 2026"),
        (1_806_537_600, "1 April 2027", "18 April 2027", "March 2027", "Q1 2027"),
    ])
    func datesFollowToday(_ now: Int64, _ today: String, _ later: String, _ month: String, _ quarter: String) {
        let dates = SampleDates(Timestamp(now))
        #expect(dates.day(0) == today && dates.day(17) == later)
        #expect(dates.lastMonth == month && dates.lastQuarter == quarter)
    }

    /// Each entry of the table leads to its object.
    @Test func aPDFKnowsItsObjects() throws {
        let document = SampleDocument("Title (one)", from: "Firm", note: "Jörg \\ 王芳").adding("Text.")
            .addingTable(["A", "B"], [["1", "2"]]).addingBars([("x", 2), ("y", 1)]).addingPage("Annex")
        let text = String(decoding: document.bytes, as: UTF8.self)
        #expect(text.utf8.count == document.bytes.count)
        let start = try #require(text.range(of: "startxref\n"))
        let place = try #require(Int(text[start.upperBound...].prefix { $0 != "\n" }))
        let table = text.utf8.dropFirst(place)
        let lines = String(decoding: table, as: UTF8.self).split(separator: "\n")
        #expect(lines[0] == "xref" && lines[1] == "0 9")
        for number in 1...8 {
            let offset = try #require(Int(lines[number + 2].prefix(10)))
            #expect(String(decoding: text.utf8.dropFirst(offset).prefix(7), as: UTF8.self) == "\(number) 0 obj")
        }
        #expect(text.contains(#"(Title \(one\)) Tj"#) && text.contains(#"(J\366rg \\ ??) Tj"#))
    }

    /// Tools of others read them all.
    @Test(.startsPrograms) func toolsReadThem() async throws {
        let folder = "/tmp/\(DiskDirectory.uniqueName(prefix: "sample"))"
        try TestFile.makeDirectory(folder)
        defer { try? DiskDirectory.removeTree(folder) }
        let sheet = SampleSheet.workbook("a.xlsx", [["A & B", "<"], ["1.5", "2"]])
        let letter = SampleSheet.letter("b.docx", ["Dear all", "A & B"])
        for file in [sheet, letter] {
            try Data(file.content).write(to: URL(fileURLWithPath: "\(folder)/\(file.name)"))
            try await offPool { _ = try ToolRun.output(["unzip", "-tqq", "\(folder)/\(file.name)"]) }
        }
        let picture = "\(folder)/c.png"
        try Data(SamplePicture.bytes).write(to: URL(fileURLWithPath: picture))
        let script = """
            import sys, zipfile, zlib, xml.dom.minidom as dom
            for name in sys.argv[1:3]:
                with zipfile.ZipFile(name) as file:
                    for entry in file.namelist(): dom.parseString(file.read(entry))
            data, at, packed = open(sys.argv[3], "rb").read(), 8, b""
            while at < len(data):
                size = int.from_bytes(data[at:at + 4], "big")
                kind, content = data[at + 4:at + 8], data[at + 8:at + 8 + size]
                assert zlib.crc32(kind + content) == int.from_bytes(data[at + 8 + size:at + 12 + size], "big")
                packed += content if kind == b"IDAT" else b""
                at += 12 + size
            print(len(zlib.decompress(packed)))
            """
        let said = try await offPool {
            try ToolRun.output(
                ["python3", "-c", script, "\(folder)/a.xlsx", "\(folder)/b.docx", picture])
        }
        #expect(said == "\(SamplePicture.height * (3 * SamplePicture.width + 1))\n")
    }
}
