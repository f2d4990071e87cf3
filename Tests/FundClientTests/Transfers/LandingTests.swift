import Foundation
import TestSupport
import Testing

@testable import FundClient

@Suite struct LandingTests {
    @Test(arguments: [
        ("report.pdf", 0, "report.pdf"), ("report.pdf", 1, "report(1).pdf"), ("Makefile", 2, "Makefile(2)"),
        (".profile", 1, ".profile(1)"), ("a.tar.gz", 3, "a.tar(3).gz"),
    ])
    func takenNamesAreNumbered(name: String, number: Int, expected: String) {
        #expect(NumberedName.name(name, number: number) == expected)
    }

    @Test func numberedNamesStayShortEnough() {
        let name = NumberedName.name(String(repeating: "ü", count: 125) + ".pdf", number: 12)
        #expect(name.utf8.count <= 255)
        #expect(name.hasSuffix("(12).pdf"))
    }

    private static func folder() throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/fund-landing-\(UUID())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    private static func write(_ text: String, _ path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    }

    /// Every moment at which a process can die between the name that is announced and the end.
    @Test func aDeathInBetweenTakesNoSecondName() throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (part, name) = (folder + "/.part", folder + "/name")
        let landing = Landing(part: part, destination: name, ifTaken: .number)
        // Announced, no more: not taken.
        try Self.write("bytes", part)
        #expect(try !landing.finishBefore(name))
        // Linked, the part is still there.
        #expect(link(part, name) == 0)
        #expect(try landing.finishBefore(name))
        #expect(TransferHarness.names(folder) == ["name"])
        // The part is gone, too.
        #expect(try landing.finishBefore(name))
        // Another's file took the name in between.
        try Self.write("bytes", part)
        #expect(try !landing.finishBefore(name))
        #expect(TransferHarness.names(folder) == [".part", "name"])
    }

    @Test func manyTakeOneName() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for number in 0..<20 { try Self.write("\(number)", "\(folder)/.part\(number)") }
        let names = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<20 {
                group.addTask {
                    try await Landing(
                        part: "\(folder)/.part\(number)", destination: folder + "/a.txt", ifTaken: .number
                    )
                    .take { _ in }
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(names.count == 20)
        let contents = Set(names.compactMap { TransferHarness.read($0).map { String(decoding: $0, as: UTF8.self) } })
        #expect(contents == Set((0..<20).map(String.init)))
    }
}
