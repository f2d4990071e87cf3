internal import FundCore
internal import Synchronization

/// Whether clamd looks into archives. To do so it writes what is in them to its temporary folder; where that is missing
/// or full it says `OK` of malware in them, as of mails that carry it, and of some that is not packed at all.
package final class ScannerProbe: Sendable {
    /// A file that every scanner knows as malware (https://www.eicar.org/download-anti-malware-testfile/).
    package static let testFile = Array(
        [#"X5O!P%@AP[4\PZX54(P^)7CC)7}$"#, "EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"].joined().utf8)
    /// For administrators.
    private static let problem =
        "clamd finds the test file EICAR, but not in a zip file: is its TemporaryDirectory there, and not full?"

    /// How bytes get to the scanner.
    enum Way { case file, stream }

    private let hasFailed = Mutex(false)

    /// The last look found that it does not.
    var isBad: Bool { hasFailed.withLock { $0 } }

    /// Looks by `verdict`, a question to the scanner, and remembers what was found as `isBad`. Gives what is wrong; nil
    /// when nothing is, and for a scanner that does not know the test file.
    func look(_ verdict: (_ bytes: [UInt8], Way) async -> Verdict) async -> String? {
        // Another name each time: what it said of the same bytes before may be remembered.
        let archive = StoredZip.of(Self.testFile, named: "\(UInt64.random(in: 0 ... .max)).com")
        let problem: String? =
            switch await verdict(archive, .file) {
            case .infected: nil
            case .unscanned(let problem): problem
            case .clean, .limit, .encrypted:
                // It writes a stream to its temporary folder before it looks, and says when it cannot.
                switch await verdict(Self.testFile, .stream) {
                case .infected: Self.problem
                case .unscanned(let problem): problem
                case .clean, .limit, .encrypted: nil
                }
            }
        hasFailed.withLock { $0 = problem != nil }
        return problem
    }
}
