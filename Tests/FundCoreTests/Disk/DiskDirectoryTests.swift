import Foundation
import Testing

@testable import FundCore

/// Folders as a whole.
struct DiskDirectoryTests {
    /// The folder to which a link leads stays.
    @Test func removesATreeAndFollowsNoLink() throws {
        let folder = "/tmp/\(DiskDirectory.uniqueName(prefix: "tree"))"
        let files = FileManager.default
        try files.createDirectory(atPath: "\(folder)/kept", withIntermediateDirectories: true)
        try files.createDirectory(atPath: "\(folder)/gone/a/b", withIntermediateDirectories: true)
        defer { try? files.removeItem(atPath: folder) }
        for path in ["kept/file", "gone/file", "gone/a/b/file"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(folder)/\(path)"))
        }
        for name in ["gone/link", "gone/a/link"] {
            try files.createSymbolicLink(atPath: "\(folder)/\(name)", withDestinationPath: "\(folder)/kept")
        }
        try DiskDirectory.removeTree("\(folder)/gone")
        #expect(try DiskDirectory.names(in: folder) == ["kept"])
        #expect(try DiskDirectory.names(in: "\(folder)/kept") == ["file"])
        try DiskDirectory.removeTree("\(folder)/gone")
        try DiskDirectory.removeTree("\(folder)/kept/file")
        #expect(try DiskDirectory.names(in: "\(folder)/kept").isEmpty)
    }
}
