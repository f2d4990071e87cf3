import Glibc
import TestSupport
import Testing

@testable import FundCore

@Suite struct NamelessFileTests {
    private typealias Opener = @Sendable (String) throws(SpoolError) -> Int32

    private static let ways: [Opener] = [
        { (folder) throws(SpoolError) in try NamelessFile.open(in: folder) },
        { (folder) throws(SpoolError) in try NamelessFile.openWithName(in: folder) },
    ]

    @Test(arguments: [0, 1]) func noFolderNamesIt(_ way: Int) throws {
        let folder = try TestFile.makeFolder("nameless")
        defer { rmdir(folder) }
        let descriptor = try Self.ways[way](folder)
        defer { close(descriptor) }
        #expect(TestFile.names(in: folder) == [])
        var status = stat()
        #expect(fstat(descriptor, &status) == 0 && status.st_nlink == 0)
        #expect(status.st_mode & 0o777 == 0o600)
        #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
        var written: [UInt8] = [1, 2, 3]
        #expect(pwrite(descriptor, written, 3, 0) == 3)
        #expect(pread(descriptor, &written, 3, 0) == 3 && written == [1, 2, 3])
    }

    @Test(arguments: [0, 1]) func saysWhichFolderIsMissing(_ way: Int) {
        #expect {
            _ = try Self.ways[way]("/nowhere/at-all")
        } throws: {
            guard let error = $0 as? SpoolError else { return false }
            return error.code == ENOENT && error.path.hasPrefix("/nowhere/at-all")
        }
    }
}
