internal import FundCore
internal import Glibc

/// How much of the time tasks of this machine wait for something (PSI,
/// https://docs.kernel.org/accounting/psi.html).
struct Pressure {
    enum Resource: String { case processor = "cpu", memory }

    /// Percent of the last 10 seconds in which some task waited; 0 where the kernel does not tell.
    static func percent(_ resource: Resource) -> Double {
        guard let bytes = try? WholeFile.read("/proc/pressure/\(resource.rawValue)", maxBytes: 4096) else { return 0 }
        return percent(String(decoding: bytes, as: UTF8.self))
    }

    static func percent(_ text: String) -> Double {
        let words = text.prefix { $0 != "\n" }.split(separator: " ")
        guard words.first == "some", let word = words.first(where: { $0.hasPrefix("avg10=") }) else { return 0 }
        return Double(word.dropFirst("avg10=".count)) ?? 0
    }
}
