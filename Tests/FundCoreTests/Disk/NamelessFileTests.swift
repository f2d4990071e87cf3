import Glibc
import TestSupport
import Testing

@testable import FundCore

@Suite struct NamelessFileTests {
    private func open(in folder: String, isNamed: Bool) throws -> Int32 {
        try isNamed ? NamelessFile.openWithName(in: folder) : NamelessFile.open(in: folder)
    }

    @Test(arguments: [false, true]) func noFolderNamesIt(isNamed: Bool) throws {
        let folder = try TestFile.makeFolder("nameless")
        defer { rmdir(folder) }
        let descriptor = try open(in: folder, isNamed: isNamed)
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

    @Test(arguments: [false, true]) func saysWhichFolderIsMissing(isNamed: Bool) {
        #expect {
            _ = try open(in: "/nowhere/at-all", isNamed: isNamed)
        } throws: {
            guard let error = $0 as? DiskError else { return false }
            return error.code == ENOENT && error.path.hasPrefix("/nowhere/at-all")
        }
    }
}
