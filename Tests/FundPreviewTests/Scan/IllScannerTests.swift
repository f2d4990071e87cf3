import FundCore
import TestSupport
import Testing

@testable import FundPreview

/// A failure of clamd is no verdict, and takes no longer than it may.
@Suite struct IllScannerTests {
    private static let temporaryFolder = "stream: Can't create temporary file ERROR\0"

    @Test(arguments: [
        temporaryFolder, "INSTREAM: Can't write to temporary file. ERROR\0", "fd[9]: Can't allocate memory ERROR\0",
        "COMMAND READ TIMED OUT ERROR\0", "", "fd[10]: O", "fd[10]: OK", "fd[10]: OK\nx: Eicar FOUND\0", "OK\0",
    ])
    func givesNoVerdict(_ answer: String) async throws {
        let clam = try ScriptedClam { _ in answer }
        guard case .unscanned(let problem) = await ClamScanner(socket: clam.socket).verdict(of: [1, 2, 3]) else {
            Issue.record("\(answer) is a verdict")
            return
        }
        #expect(!problem.isEmpty)
    }

    @Test func takesBytesWhereClamdMayNotReadTheFile() async throws {
        let clam = try ScriptedClam { $0 == "zFILDES" ? "fd[10]: Can't read file ERROR\0" : "stream: OK\0" }
        #expect(await ClamScanner(socket: clam.socket).verdict(of: [1, 2, 3]) == .clean)
        let limited = try ScriptedClam {
            $0 == "zFILDES" ? Self.temporaryFolder : "INSTREAM size limit exceeded. ERROR\0"
        }
        #expect(await ClamScanner(socket: limited.socket).verdict(of: [1, 2, 3]) == .limit)
    }

    /// It would take as long once more.
    @Test(arguments: ["Exceeded time limit", "Bad format or broken data", "Can't parse data"])
    func asksNotTwiceWhatWouldEndTheSameWay(_ words: String) async throws {
        let clam = try ScriptedClam { $0 == "zFILDES" ? "fd[10]: \(words) ERROR\0" : "stream: OK\0" }
        guard case .unscanned = await ClamScanner(socket: clam.socket).verdict(of: [1, 2, 3]) else {
            Issue.record("it was asked again")
            return
        }
    }

    @Test func namesHaveNoControlCharacters() {
        #expect(ClamScanner.verdict("fd[9]: A\u{1}\u{1b}[31m FOUND") == .infected(name: "A??[31m"))
    }

    /// One that never answers, and one that does not take the bytes, which are more than a socket holds.
    @Test(arguments: [nil, temporaryFolder])
    func endsInTime(_ answer: String?) async throws {
        let clam = try ScriptedClam { $0 == "zFILDES" ? answer : nil }
        let scanner = ClamScanner(socket: clam.socket, scanTimeout: .milliseconds(300))
        let start = ContinuousClock.now
        guard case .unscanned = await scanner.verdict(of: [UInt8](repeating: 1, count: 4 << 20)) else {
            Issue.record("it said nothing")
            return
        }
        #expect(.now - start < .seconds(20))
    }

    @Test func endsWhenItIsCancelled() async throws {
        let isAsked = Flag()
        let clam = try ScriptedClam { _ in
            isAsked.raise()
            return nil
        }
        let scanner = ClamScanner(socket: clam.socket)
        let start = ContinuousClock.now
        let scan = Task { await scanner.verdict(of: [1]) }
        try await eventually { isAsked.isRaised }
        scan.cancel()
        #expect(await scan.value == .unscanned(problem: "the scan was cancelled"))
        #expect(.now - start < .seconds(20))
    }
}
