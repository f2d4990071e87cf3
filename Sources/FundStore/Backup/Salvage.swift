import FundCore

/// What a salvage wrote.
package struct SalvageReport: Sendable, Hashable {
    package var messages = 0
    package var files = 0
    /// Records that nothing needed any more when the log was last written to.
    package var dead = 0
    /// What could not be read, one sentence each.
    package var damages: [String] = []
}

/// Writes every message and file of a log into a directory, without any database.
package enum Salvage {
    /// `log` may be the store that it is in. Messages go to `mail/` as `.eml`, files to `files/`. What stands there
    /// already is left. Throws `StoreError` when the log cannot be read at all or the directory cannot be written;
    /// damage is reported, and what is whole comes.
    package static func run(log: String, to directory: String) throws -> SalvageReport {
        try StoreError.wrapping("salvage \(log)") {
            let inStore = StoreLayout(root: log).log
            let source = LogDirectory(path: StoreLayout.isFolder(inStore) ? inStore : log, temporary: directory)
            guard try !source.segments().isEmpty else {
                throw StoreError(.notFound, "salvage \(log)", "there are no segments (000001.seg) in it")
            }
            var salvage = LogSalvage(source, to: directory)
            try salvage.run()
            let found = salvage.report
            return SalvageReport(
                messages: found.messages, files: found.files, dead: found.dead,
                damages: found.damages.map(\.description))
        }
    }
}
