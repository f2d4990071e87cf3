#if DEBUG
    internal import Foundation
    internal import Synchronization

    /// The sources of the pages in the folder that `FUNDMAIL_PAGES` names, read anew for each page: look, markup and
    /// words are changed without a build. Release builds know nothing of it.
    enum PageFolder {
        /// `Sources/FundServer/Pages`, or nil for what is embedded in the program.
        static let path = ProcessInfo.processInfo.environment["FUNDMAIL_PAGES"]

        /// Nil for a file that is not there.
        static func bytes(_ name: String) -> [UInt8]? {
            path.flatMap { FileManager.default.contents(atPath: "\($0)/\(name)") }.map { Array($0) }
        }

        /// All templates by name; nil without a folder.
        static var templates: [String: [UInt8]]? {
            guard let path, let files = try? FileManager.default.contentsOfDirectory(atPath: "\(path)/Templates") else {
                return nil
            }
            var templates: [String: [UInt8]] = [:]
            for file in files where file.hasSuffix(".mustache") {
                templates[String(file.dropLast(".mustache".count))] = bytes("Templates/\(file)")
            }
            templates["styletext"] = PageAssets.style
            return templates
        }

        /// The table of words, read again when the file changed; nil without a folder.
        static var words: [String: [String]]? {
            guard let path, let files = try? FileManager.default.attributesOfItem(atPath: "\(path)/words.tsv"),
                let date = files[.modificationDate] as? Date
            else { return nil }
            return table.withLock { table in
                if table?.date != date, let text = bytes("words.tsv") { table = (date, Words.table(of: text)) }
                return table?.words
            }
        }

        private static let table = Mutex<(date: Date, words: [String: [String]])?>(nil)
    }
#endif
