import ChildProcesses
import Foundation
import FundCore
import TestSupport
import Testing

@testable import FundPreview

/// A real clamd(8) with one signature of our own: that of the test file EICAR.
@Suite(.startsPrograms, .enabled(if: ClamServer.isInstalled)) struct ClamScannerTests {
    /// In two parts, so that no scanner finds it in this file.
    private static let eicar = Array(
        (#"X5O!P%@AP[4\PZX54(P^)7CC)7}$"# + "EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*").utf8)

    @Test func findsMalwareAlsoInArchives() async throws {
        let server = try await ClamServer()
        let scanner = ClamScanner(socket: server.socket)
        #expect(await scanner.verdict(of: Self.eicar) == .infected(name: "Fundmail.Test.Eicar.UNOFFICIAL"))
        #expect(await scanner.verdict(of: Array("harmless".utf8)) == .clean)
        let zip = SampleZip.of([
            (name: "readme.txt", content: "read me"),
            (name: "bad.com", content: String(decoding: Self.eicar, as: UTF8.self)),
        ])
        #expect(await scanner.verdict(of: zip) == .infected(name: "Fundmail.Test.Eicar.UNOFFICIAL"))
        let mail =
            "Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n"
            + Data(Self.eicar).base64EncodedString() + "\r\n"
        let whole = Array(
            ("From: a@example.com\r\nTo: b@example.com\r\nSubject: x\r\nMIME-Version: 1.0\r\n" + mail).utf8)
        #expect(await scanner.verdict(of: whole) == .infected(name: "Fundmail.Test.Eicar.UNOFFICIAL"))
        #expect(await scanner.signatures()?.text.hasPrefix("ClamAV") ?? false)
    }

    /// In a 7z, in a zip within one, and in a zip that is attached to a mail.
    @Test func findsMalwareInArchivesOfAllKinds() async throws {
        let server = try await ClamServer()
        let scanner = ClamScanner(socket: server.socket)
        let folder = try SampleFolder()
        try Data(Self.eicar).write(to: URL(fileURLWithPath: "\(folder.path)/bad.com"))
        let zip = SampleZip.of(bytes: [("bad.com", Self.eicar)])
        try Data(zip).write(to: URL(fileURLWithPath: "\(folder.path)/inner.zip"))
        let found = Verdict.infected(name: "Fundmail.Test.Eicar.UNOFFICIAL")
        for (name, content) in [
            ("a.7z", "bad.com"), ("b.7z", "inner.zip"), ("c.tar", "inner.zip"), ("d.zip", "bad.com"),
        ] {
            let path = try folder.make(name, "bsdtar", ["-a", "-cf", "OUT", content])
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
            #expect(await scanner.verdict(of: bytes) == found, "\(name)")
        }
        let mail =
            "From: a@example.com\r\nTo: b@example.com\r\nSubject: x\r\nMIME-Version: 1.0\r\n"
            + "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/plain\r\n\r\nHello\r\n--b\r\n"
            + "Content-Type: application/zip; name=\"a.zip\"\r\nContent-Transfer-Encoding: base64\r\n\r\n"
            + Data(zip).base64EncodedString(options: .lineLength76Characters) + "\r\n--b--\r\n"
        #expect(await scanner.verdict(of: Array(mail.utf8)) == found)
    }

    @Test func saysWhatItDidNotLookInto() async throws {
        let server = try await ClamServer(settings: ["MaxFileSize 1M", "MaxScanSize 1M"])
        let large = [UInt8](repeating: 0x41, count: 3 << 20)
        #expect(await ClamScanner(socket: server.socket).verdict(of: large) == .limit)
    }

    @Test func noScannerNoVerdict() async throws {
        let scanner = ClamScanner(socket: "/nonexistent/clamd.sock")
        guard case .unscanned = await scanner.verdict(of: Self.eicar) else {
            Issue.record("there is no scanner")
            return
        }
        #expect(await scanner.signatures() == nil)
    }

    @Test(arguments: [
        ("fd[10]: OK", Verdict.clean), ("stream: Win.Test.EICAR_HDB-1 FOUND", .infected(name: "Win.Test.EICAR_HDB-1")),
        ("fd[9]: Heuristics.Limits.Exceeded.MaxFileSize FOUND", .limit),
        ("fd[9]: Heuristics.Encrypted.Zip FOUND", .encrypted),
        ("INSTREAM size limit exceeded. ERROR", .limit), ("fd[9]: Exceeded max scan size ERROR", .limit),
        (
            "fd[9]: Can't open file or directory ERROR",
            .unscanned(problem: "clamd said: fd[9]: Can't open file or directory ERROR")
        ),
        ("", .unscanned(problem: "clamd said: ")),
    ])
    func readsAnswers(_ answer: String, _ verdict: Verdict) { #expect(ClamScanner.verdict(answer) == verdict) }

    /// It may have been the load of the machine, and bytes that clamd calls broken may be malware all the same.
    @Test(arguments: [
        "fd[9]: Exceeded time limit ERROR", "fd[9]: CL_ETIMEOUT: Time limit reached ERROR",
        "fd[9]: Bad format or broken data ERROR", "fd[9]: Can't parse data ERROR",
        "fd[9]: Heuristics.Limits.Exceeded.MaxScanTime FOUND",
    ])
    func aScanThatEndedEarlyIsNone(_ answer: String) {
        #expect(ClamScanner.verdict(answer) == .unscanned(problem: "clamd said: \(answer)"))
    }

    /// Then it says `OK` of what it cannot unpack.
    @Test func believesNoScannerWithoutATemporaryFolder() async throws {
        let folder = "/tmp/\(DiskDirectory.uniqueName(prefix: "clamtemporary"))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let server = try await ClamServer(settings: ["TemporaryDirectory \(folder)"])
        let scanner = ClamScanner(socket: server.socket, reloadTime: .milliseconds(200))
        #expect(await scanner.verdict(of: Array("first".utf8)) == .clean)
        try FileManager.default.removeItem(atPath: folder)
        guard case .unscanned = await scanner.verdict(of: Array("second".utf8)) else {
            Issue.record("it was believed")
            return
        }
        #expect(await scanner.signatures() == nil)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try await wait(for: scanner)
        #expect(await scanner.verdict(of: Array("second".utf8)) == .clean)
    }

    /// It calls a mail that carries malware clean then, and remembers that.
    @Test(.enabled(if: SmallDisk.isPossible)) func forgetsWhatItSaidWhileItsDiskWasFull() async throws {
        let disk = try SmallDisk(bytes: 2 << 20)
        defer { disk.unmount() }
        let server = try await ClamServer(settings: ["TemporaryDirectory \(disk.path)"])
        let scanner = ClamScanner(socket: server.socket, reloadTime: .milliseconds(200))
        let mail = Array(
            ("From: a@example.com\r\nTo: b@example.com\r\nSubject: x\r\nMIME-Version: 1.0\r\n"
                + "Content-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n"
                + Data(Self.eicar).base64EncodedString() + "\r\n").utf8)
        try disk.fill()
        guard case .unscanned = await scanner.verdict(of: mail) else {
            Issue.record("it was believed")
            return
        }
        disk.unfill()
        #expect(await scanner.verdict(of: mail) != .clean)
        try await wait(for: scanner)
        #expect(await scanner.verdict(of: mail) == .infected(name: "Fundmail.Test.Eicar.UNOFFICIAL"))
    }

    private func wait(for scanner: ClamScanner) async throws {
        #expect(try await becomesTrue { await scanner.signatures() != nil })
    }

    @Test func saysWhenItHadNoTime() async throws {
        let server = try await ClamServer(settings: ["MaxScanTime 1"])
        let large = [UInt8](repeating: 0x41, count: 16 << 20)
        guard case .unscanned(let problem) = await ClamScanner(socket: server.socket).verdict(of: large) else {
            Issue.record("it said nothing")
            return
        }
        #expect(problem.contains("MaxScanTime"))
    }

    @Test func readsVersions() {
        #expect(ClamScanner.signatures("ClamAV 1.4.6/27800/Wed Nov 25 09:00:00 2026")?.version == 27800)
        #expect(ClamScanner.signatures("ClamAV 1.4.6")?.version == 0)
        #expect(ClamScanner.signatures("UNKNOWN COMMAND") == nil)
    }
}

/// clamd in a folder of its own, until it goes.
final class ClamServer: Sendable {
    private static let program = "/usr/sbin/clamd"
    static var isInstalled: Bool { access(program, X_OK) == 0 }

    let socket: String
    private let folder: String
    private let process: Process

    init(settings: [String] = []) async throws {
        folder = "/tmp/\(DiskDirectory.uniqueName(prefix: "clamd"))"
        socket = folder + "/socket"
        try FileManager.default.createDirectory(atPath: folder + "/db", withIntermediateDirectories: true)
        let digest = "275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f"
        try "\(digest):68:Fundmail.Test.Eicar\n".write(
            toFile: folder + "/db/test.hsb", atomically: true, encoding: .utf8)
        let lines = [
            "LocalSocket \(socket)", "DatabaseDirectory \(folder)/db", "Foreground yes", "AlertExceedsMax yes",
            "AlertEncrypted yes",
        ]
        let configuration = folder + "/clamd.conf"
        try ((lines + settings).joined(separator: "\n") + "\n").write(
            toFile: configuration, atomically: true, encoding: .utf8)
        process = Process()
        process.executableURL = URL(fileURLWithPath: Self.program)
        process.arguments = ["--config-file", configuration]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        // The socket is there a moment before clamd listens at it.
        try await eventually { [socket] in await ClamScanner(socket: socket).signatures() != nil }
    }

    deinit {
        process.terminate()
        try? FileManager.default.removeItem(atPath: folder)
    }
}
