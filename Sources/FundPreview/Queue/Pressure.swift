internal import FundCore
internal import Glibc

/// How much of the time tasks of this machine wait for something (PSI,
/// https://docs.kernel.org/accounting/psi.html).
struct Pressure {
    enum Resource: String { case processor = "cpu", memory }

    /// Percent of the last 10 seconds in which some task waited; 0 where the kernel does not tell.
    static func percent(_ resource: Resource) -> Double { percent(text(of: resource)) }

    static func percent(_ text: String) -> Double { field("avg10=", of: text).flatMap(Double.init) ?? 0 }

    /// For how long some task has waited since the start of the machine.
    static func waited(for resource: Resource) -> Duration { waited(text(of: resource)) }

    static func waited(_ text: String) -> Duration {
        .microseconds(field("total=", of: text).flatMap { Int64($0) } ?? 0)
    }

    private static func text(of resource: Resource) -> String {
        let bytes = try? WholeFile.read("/proc/pressure/\(resource.rawValue)", maxBytes: 4096)
        return String(decoding: bytes ?? [], as: UTF8.self)
    }

    private static func field(_ name: String, of text: String) -> Substring? {
        let words = text.prefix { $0 != "\n" }.split(separator: " ")
        guard words.first == "some" else { return nil }
        return words.first { $0.hasPrefix(name) }?.dropFirst(name.count)
    }
}

/// The pressure since it was asked for last: the average of 10 seconds says nothing of a burst of mail, which is over
/// in two.
struct PressureMeter {
    /// The shortest time that is measured.
    static let shortest = Duration.milliseconds(100)

    private var last: (waited: Duration, at: ContinuousClock.Instant)?
    private var known = 0.0

    /// Percent; 0 at first.
    mutating func percent(_ waited: @autoclosure () -> Duration, at now: ContinuousClock.Instant = .now) -> Double {
        if let last, now - last.at < Self.shortest { return known }
        let waited = waited()
        if let last { known = (waited - last.waited) / (now - last.at) * 100 }
        last = (waited, now)
        return known
    }
}
