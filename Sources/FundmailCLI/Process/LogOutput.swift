import Glibc
import FundCore
import Logging
import Synchronization
import Terminal

/// Log lines on standard error, as text or as JSON.
struct LogOutput: LogHandler {
    private static let isStarted = Atomic<Bool>(false)

    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    let label: String
    let format: LogFormat

    /// Every command calls it with its options; the first call counts.
    static func start(_ options: GlobalOptions) {
        guard !isStarted.exchange(true, ordering: .relaxed) else { return }
        let level = Logger.Level(rawValue: options.logLevel.rawValue) ?? .notice
        let format = options.logFormat
        LoggingSystem.bootstrap { LogOutput(logLevel: level, label: $0, format: format) }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let metadata = metadata.merging(event.metadata ?? [:]) { $1 }.sorted { $0.key < $1.key }
        let time = Clock.timestamp(Timestamp.now)
        guard format == .json else {
            let pairs = metadata.map { " \($0)=\($1)" }.joined()
            Console.error("\(time) \(event.level) \(TerminalText.clean("\(event.message)\(pairs)"))\n")
            return
        }
        let bytes = JSONWriter.line { line in
            line.field("time", time)
            line.field("level", event.level.rawValue)
            line.field("label", label)
            line.field("message", "\(event.message)")
            for (key, value) in metadata {
                line.key(key)
                line.value("\(value)")
            }
        }
        Console.error(String(decoding: bytes, as: UTF8.self))
    }
}
