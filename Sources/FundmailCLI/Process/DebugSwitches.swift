import Glibc
import FundCore
import FundPreview
import FundServer
import Ingest
import NewsFetch
import Synchronization
import Terminal

/// Settings that tests make in the environment of a debug build. A release build knows none of them.
enum DebugSwitches {
    /// `FUNDMAIL_FAILPOINT=<point>[:n]` kills this process when the point is reached the n-th time.
    static func faults() throws -> FaultInjection {
        #if DEBUG
            guard let value = getenv("FUNDMAIL_FAILPOINT").map({ String(cString: $0) }), !value.isEmpty else {
                return .none
            }
            let words = value.split(separator: ":", maxSplits: 1)
            guard let name = words.first, let point = FaultPoint(rawValue: String(name)),
                let number = words.count == 2 ? Int(words[1]) : 1, number > 0
            else {
                let names = FaultPoint.allCases.map(\.rawValue).joined(separator: ", ")
                throw CommandError(.usage, "FUNDMAIL_FAILPOINT=\(value) is no fault point; there are: \(names).")
            }
            let counter = FaultCounter()
            return FaultInjection { reached in
                if reached == point, counter.next() == number { kill(getpid(), SIGKILL) }
            }
        #else
            return .none
        #endif
    }

    /// `FUNDMAIL_BATCH=n`: messages in a batch.
    static func batchLimits() -> BatchLimits {
        #if DEBUG
            if let value = getenv("FUNDMAIL_BATCH").flatMap({ Int(String(cString: $0)) }), value > 0 {
                var limits = BatchLimits()
                limits.maxMessages = value
                return limits
            }
        #endif
        return BatchLimits()
    }

    /// `FUNDMAIL_HASH_LOG_ROUNDS=n`: rounds of scrypt are 2^n. A debug build takes seconds for as many as are usual.
    static var passwordCost: ScryptParameters {
        var cost = ScryptParameters.standard
        #if DEBUG
            if let value = getenv("FUNDMAIL_HASH_LOG_ROUNDS").flatMap({ Int(String(cString: $0)) }),
                (1...cost.logRounds).contains(value)
            {
                cost.logRounds = value
            }
        #endif
        return cost
    }

    /// `FUNDMAIL_SANDBOX=landlock`: how converters are confined, see `Sandbox.Choice`.
    static var sandbox: Sandbox.Choice {
        #if DEBUG
            getenv("FUNDMAIL_SANDBOX").flatMap { Sandbox.Choice(rawValue: String(cString: $0)) } ?? .best
        #else
            .best
        #endif
    }

    /// `FUNDMAIL_PROCESSOR_PRESSURE=100`: what other work may take before previews in the background stop, in percent
    /// of the time (`PreviewSettings.maxProcessorPressure`). Tests keep a machine busy.
    static var maxProcessorPressure: Double? {
        #if DEBUG
            getenv("FUNDMAIL_PROCESSOR_PRESSURE").flatMap { Double(String(cString: $0)) }
        #else
            nil
        #endif
    }

    /// `FUNDMAIL_NEWS_LOCAL=1`: feeds are fetched from 127.73.0.1, too, where stories of the pages serve some.
    /// `FUNDMAIL_NEWS_CA=file`: by the certificates of this authority.
    static var newsReach: FetchReach {
        #if DEBUG
            guard getenv("FUNDMAIL_NEWS_LOCAL").map({ String(cString: $0) }) == "1" else { return .publicInternet }
            return .withStoryHost(caFile: getenv("FUNDMAIL_NEWS_CA").map { String(cString: $0) })
        #else
            return .publicInternet
        #endif
    }

    /// `FUNDMAIL_DRIVE_HOSTS=store.example=127.0.0.1:8443,…`: the addresses of hosts of drives, instead of those that
    /// the system finds.
    static var driveHosts: [String: String] {
        #if DEBUG
            let text = getenv("FUNDMAIL_DRIVE_HOSTS").map { String(cString: $0) } ?? ""
            let pairs = text.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
            return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], $0[1]) }) { first, _ in first }
        #else
            [:]
        #endif
    }

    /// `FUNDMAIL_DEMO_SECONDS=n`: for how long a demo stays as it is.
    static var demoSeconds: Int64? {
        #if DEBUG
            getenv("FUNDMAIL_DEMO_SECONDS").flatMap { Int64(String(cString: $0)) }
        #else
            nil
        #endif
    }

    /// `FUNDMAIL_POISON=1`: parse workers honour `X-Fundmail-Poison`.
    static var honoursPoison: Bool {
        #if DEBUG
            getenv("FUNDMAIL_POISON").map { String(cString: $0) } == "1"
        #else
            false
        #endif
    }
}

#if DEBUG
    private final class FaultCounter: Sendable {
        private let count = Atomic<Int>(0)
        func next() -> Int { count.add(1, ordering: .relaxed).newValue }
    }
#endif
