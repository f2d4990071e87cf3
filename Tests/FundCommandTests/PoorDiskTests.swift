import Foundation
import TestSupport
import Testing

/// Disks that know neither links nor exchanges of names nor rights, such as exFAT and mounts over FUSE.
@Suite(.startsPrograms, .serialized, .timeLimit(.minutes(10))) struct PoorDiskTests {
    private static let compiler = ["/usr/bin/cc", "/usr/bin/gcc", "/usr/bin/clang"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }

    /// Calls in place of the C library's, which answer as the system does on such a disk.
    private static func source(mayRename: Bool) -> String {
        """
        #define _GNU_SOURCE
        #include <errno.h>
        #include <stdio.h>
        #include <sys/stat.h>
        #include <sys/syscall.h>
        #include <unistd.h>
        static int refuse(int code) { errno = code; return -1; }
        int link(const char *from, const char *to) { return refuse(EPERM); }
        int linkat(int in, const char *from, int into, const char *to, int flags) { return refuse(EPERM); }
        int chmod(const char *path, mode_t mode) { return refuse(EPERM); }
        int futimens(int file, const struct timespec times[2]) { return refuse(EINVAL); }
        int renameat2(int in, const char *from, int into, const char *to, unsigned int flags) {
            if (flags > \(mayRename ? 1 : 0)) return refuse(EINVAL);
            return syscall(SYS_renameat2, in, from, into, to, flags);
        }
        """
    }

    private func names(_ folder: String) -> [String] {
        (FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []).filter { name in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: "\(folder)/\(name)", isDirectory: &isFolder)
            return !isFolder.boolValue
        }.sorted()
    }

    /// Without and with a rename that refuses a name that is taken.
    @Test(.enabled(if: compiler != nil), arguments: [false, true])
    func aNewVersionArrives(mayRename: Bool) async throws {
        let folder = try TestFile.makeFolder("fund-poor-disk")
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (source, library) = ("\(folder)/poor.c", "\(folder)/poor.so")
        try TestFile.write(Array(Self.source(mayRename: mayRename).utf8), to: source)
        let compiler = Process()
        compiler.executableURL = URL(fileURLWithPath: try #require(Self.compiler))
        compiler.arguments = ["-w", "-shared", "-fPIC", "-o", library, source]
        try compiler.run()
        compiler.waitUntilExit()
        try #require(compiler.terminationStatus == 0)

        let server = try await FundmailServer()
        let good = BuiltProgram.fund(in: folder)
        var poor = good
        poor.environment["LD_PRELOAD"] = library
        #expect(try await good.run(["login", server.url, FundmailServer.user]).isSuccess)
        func put(_ bytes: [UInt8]) async throws {
            try TestFile.write(bytes, to: "\(folder)/film.bin")
            let done = try await good.run(["put", "-q", "--replace", "film.bin", "Fund1"])
            #expect(done.isSuccess, "\(done)")
        }
        func sync() async throws {
            let done = try await poor.run(["sync", "-q", "--settle", "0", "funds"])
            #expect(done.isSuccess && done.errors.isEmpty, "\(done)")
        }
        let versions = (1...3).map { [UInt8](repeating: UInt8($0), count: 200_000) }
        for (number, version) in versions.enumerated() {
            try await put(version)
            // Files that were loaded are not loaded again, and nothing piles up.
            for _ in 0..<2 { try await sync() }
            #expect(try TestFile.read("\(folder)/funds/Fund1/film.bin") == version)
            #expect(names("\(folder)/funds/.fund/trash").count == number)
            #expect(names("\(folder)/funds/.fund/swap").isEmpty && names("\(folder)/funds/.fund/parts").isEmpty)
        }
        let got = try await poor.run(["get", "-q", "Fund1/film.bin", "--to", "got"])
        #expect(got.isSuccess, "\(got)")
        // Files that are moved and made here go there.
        try TestFile.write([1], to: "\(folder)/funds/Fund1/new.txt")
        try FileManager.default.moveItem(
            atPath: "\(folder)/funds/Fund1/film.bin", toPath: "\(folder)/funds/Fund1/moved.bin")
        try await sync()
        let list = try await good.run(["ls", "Fund1", "--json"])
        #expect(list.output.contains("moved.bin") && list.output.contains("new.txt"), "\(list)")
        #expect(!list.output.contains("film.bin"))
        try await server.kill()
    }
}
