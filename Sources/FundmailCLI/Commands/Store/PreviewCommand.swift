import ArgumentParser
import FundCore
import FundStore
import Ingest
import Terminal

/// `preview`: pictures and text of files.
struct PreviewCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "preview", abstract: "Previews of files: their state, and how to make them again.",
        discussion: """
            `fundmail serve` makes previews beside its other work, and these commands work while it runs. `fundmail \
            doctor` says which kinds of file this machine can show.

            Examples:
              fundmail preview status
              fundmail preview retry --reason no_tool
              fundmail preview clear
            """,
        subcommands: [Status.self, Retry.self, Clear.self])

    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Show how many previews are ready, failed or waiting.")

        @Flag(help: "Print one JSON object.") var json = false
        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let status = try await Workspace(globals).openStore(.readOnly).previews.status()
            if json { return try Console.write(PreviewCommand.line(status)) }
            try Console.write(PreviewCommand.text(status))
        }
    }

    struct Retry: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "retry", abstract: "Let failed previews be made again when they are asked for.",
            discussion: """
                Useful after a tool was installed or updated. Reasons: \
                \(RenditionFailure.allCases.map(\.rawValue).joined(separator: ", ")).
                """)

        @Option(help: ArgumentHelp("Only previews that failed for this reason; may be repeated.", valueName: "reason"))
        var reason: [String] = []
        @OptionGroup var globals: GlobalOptions

        func validate() throws {
            for word in reason where RenditionFailure(rawValue: word) == nil {
                let words = RenditionFailure.allCases.map(\.rawValue)
                let near = NearestName.of(word, among: words).map { " Did you mean \($0)?" } ?? ""
                throw ValidationError("\(word) is no reason; there are: \(words.joined(separator: ", ")).\(near)")
            }
        }

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let reasons = reason.isEmpty ? nil : Set(reason.compactMap(RenditionFailure.init(rawValue:)))
            let count = try await store.previews.forgetFailures(reasons)
            try store.close()
            try Console.line(
                count == 0
                    ? "Nothing failed\(reason.isEmpty ? "" : " for this reason")."
                    : "\(count) that failed will be tried again when somebody looks at the files.")
        }
    }

    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear", abstract: "Remove all previews; they are made again.",
            discussion: "Frees its room on the disk. Files and mail stay as they are.")

        @OptionGroup var globals: GlobalOptions

        func run() async throws {
            let store = try Workspace(globals).openStore()
            let bytes = try await store.previews.status().bytes
            try await store.previews.removeAll()
            try store.close()
            try Console.line("Removed all previews; \(Quantity.display(bytes: bytes)) are free again.")
        }
    }

    private static func text(_ status: PreviewStatus) -> String {
        var rows: [[String]] = []
        for kind in RenditionKind.allCases {
            guard let amount = status.ready[kind] else { continue }
            rows.append(["ready", kind.rawValue, "\(amount.count)", Quantity.display(bytes: amount.bytes)])
        }
        for (failure, count) in status.failures.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            rows.append(["failed", failure.rawValue, "\(count)", ""])
        }
        for priority in PreviewOrder.Priority.allCases {
            guard let count = status.waiting[priority] else { continue }
            rows.append(["waiting", "\(priority)", "\(count)", ""])
        }
        guard !rows.isEmpty else { return "There are no previews yet; `fundmail serve` makes them.\n" }
        let table = Table(["STATE", "WHAT", "COUNT", "SIZE"], rows).rendered(width: Console.outputWidth) + "\n"
        guard let oldest = status.oldestWaitingAt else { return table }
        return table + "The oldest waits since \(Clock.local(oldest)).\n"
    }

    private static func line(_ status: PreviewStatus) -> [UInt8] {
        JSONWriter.lines([status]) { line, status in
            line.field("bytes", status.bytes)
            line.key("ready")
            line.object { object in
                for kind in RenditionKind.allCases {
                    object.key(kind.rawValue)
                    object.value(status.ready[kind]?.count ?? 0)
                }
            }
            line.key("failed")
            line.object { object in
                for failure in RenditionFailure.allCases {
                    object.key(failure.rawValue)
                    object.value(status.failures[failure] ?? 0)
                }
            }
            line.key("waiting")
            line.object { object in
                for priority in PreviewOrder.Priority.allCases {
                    object.key("\(priority)")
                    object.value(status.waiting[priority] ?? 0)
                }
            }
            line.field("oldest_waiting_at", status.oldestWaitingAt.map(Clock.timestamp))
        }
    }
}
