import TestSupport
internal import Foundation
internal import Glibc
import FundCore
import Testing

@testable import FundStore

@Suite struct PackedFileTests {
    @Test(arguments: [0, 1, 200_000, 3_000_000]) func filesArePacked(bytes: Int) throws {
        let folder = try TestFile.makeFolder("packed")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let content = (0..<bytes).map { UInt8(truncatingIfNeeded: $0 / 3 * $0) }
        try TestFile.write(content, to: folder + "/plain")
        try PackedFile.pack(folder + "/plain", into: folder + "/packed")
        try PackedFile.unpack(folder + "/packed", into: folder + "/again")
        #expect(try TestFile.read(folder + "/again") == content)
        truncate(folder + "/packed", off_t(try TestFile.read(folder + "/packed").count - 1))
        #expect(throws: StoreError.self) { try PackedFile.unpack(folder + "/packed", into: folder + "/again") }
        #expect(DiskFile.size(of: folder + "/again") == nil)
    }
}
