internal import Foundation
internal import FundCore
internal import Synchronization

/// Whether clamd looks into archives. To do so it writes what is in them to its temporary folder; where that is missing
/// or full it says `OK` of malware in them, as of mails that carry it, and of some that is not packed at all. Unless
/// `DisableCache` is set it remembers that `OK` for those bytes until it loads its signatures anew.
package final class ScannerProbe: Sendable {
    /// A file that every scanner knows as malware (https://www.eicar.org/download-anti-malware-testfile/).
    package static let testFile = Array(
        [#"X5O!P%@AP[4\PZX54(P^)7CC)7}$"#, "EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"].joined().utf8)
    /// For administrators.
    private static let problem =
        "clamd finds the test file EICAR, but not in a zip file: is its TemporaryDirectory there, and not full?"
    private static let doubtProblem =
        "clamd could not look into archives a while ago, and loads its signatures anew so that it forgets what it said"

    /// How bytes get to the scanner.
    enum Way { case file, stream }

    /// A doubt about a scanner: an answer that it gave while it failed may be remembered.
    private struct Doubt {
        /// A mail with the test file, at which it looked while it failed.
        let mail: [UInt8]
        /// When it was told last to load its signatures anew; nil while it fails.
        var reloadedAt: ContinuousClock.Instant?
    }

    private let doubt = Mutex<Doubt?>(nil)
    private let reloadTime: Duration

    /// - Parameter reloadTime: in which it certainly has loaded its signatures.
    init(reloadTime: Duration) { self.reloadTime = reloadTime }

    /// True while its answers do not count.
    var isBad: Bool { doubt.withLock { $0 != nil } }

    /// Looks by `verdict`, a question to the scanner, and remembers what was found as `isBad`. Gives what is wrong; nil
    /// when nothing is, and for a scanner that does not know the test file.
    ///
    /// - Parameter reload: has it load its signatures anew, and does not wait for that.
    func look(_ verdict: (_ bytes: [UInt8], Way) async -> Verdict, reload: () async -> Void) async -> String? {
        // Another name each time: what it said of the same bytes before may be remembered.
        let archive = StoredZip.of(Self.testFile, named: "\(UInt64.random(in: 0 ... .max)).com")
        var knowsTestFile = false
        let problem: String?
        switch await verdict(archive, .file) {
        case .infected: (knowsTestFile, problem) = (true, nil)
        case .unscanned(let text): problem = text
        case .clean, .limit, .encrypted:
            // It writes a stream to its temporary folder before it looks, and says when it cannot.
            switch await verdict(Self.testFile, .stream) {
            case .infected: problem = Self.problem
            case .unscanned(let text): problem = text
            case .clean, .limit, .encrypted: problem = nil
            }
        }
        guard let problem else { return await settle(verdict, reload, knowsTestFile: knowsTestFile) }
        let mail = doubt.withLock { doubt in
            doubt = Doubt(mail: doubt?.mail ?? Self.mail())
            return doubt?.mail ?? []
        }
        // So that it is remembered as the others are.
        _ = await verdict(mail, .file)
        return problem
    }

    /// After it has failed: nil once it has loaded its signatures anew.
    private func settle(
        _ verdict: ([UInt8], Way) async -> Verdict, _ reload: () async -> Void, knowsTestFile: Bool
    ) async -> String? {
        guard let known = doubt.withLock({ $0 }) else { return nil }
        if let reloadedAt = known.reloadedAt {
            guard .now - reloadedAt >= reloadTime else { return Self.doubtProblem }
            var hasForgotten = !knowsTestFile
            if case .infected = await verdict(known.mail, .file) { hasForgotten = true }
            if hasForgotten {
                doubt.withLock { $0 = nil }
                return nil
            }
        }
        doubt.withLock { $0?.reloadedAt = .now }
        await reload()
        return Self.doubtProblem
    }

    private static func mail() -> [UInt8] {
        let head =
            "From: a@example.com\r\nTo: b@example.com\r\nSubject: \(UInt64.random(in: 0 ... .max))\r\n"
            + "MIME-Version: 1.0\r\nContent-Type: application/octet-stream\r\nContent-Transfer-Encoding: base64\r\n\r\n"
        return Array((head + Data(testFile).base64EncodedString() + "\r\n").utf8)
    }
}
