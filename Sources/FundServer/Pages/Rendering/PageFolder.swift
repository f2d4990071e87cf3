#if DEBUG
    internal import Foundation
    internal import Synchronization

    /// Templates and words in the folder that `FUNDMAIL_PAGES` names, see `EmbeddedFiles.pages`.
    enum PageFolder {
        /// All templates by name; nil without a folder.
        static var templates: [String: [UInt8]]? {
            guard let path = EmbeddedFiles.pages,
                let files = try? FileManager.default.contentsOfDirectory(atPath: "\(path)/Templates")
            else { return nil }
            return PageTemplates.sources(of: files) {
                FileManager.default.contents(atPath: "\(path)/Templates/\($0)").map { Array($0) } ?? []
            }
        }

        /// The table of words, read again when the file changed; nil without a folder.
        static var words: [String: [String]]? {
            guard let path = EmbeddedFiles.pages,
                let file = try? FileManager.default.attributesOfItem(atPath: "\(path)/words.tsv"),
                let date = file[.modificationDate] as? Date
            else { return nil }
            return table.withLock { table in
                if table?.date != date { table = (date, Words.table(of: EmbeddedFiles.bytes(Words.file))) }
                return table?.words
            }
        }

        private static let table = Mutex<(date: Date, words: [String: [String]])?>(nil)
    }
#endif
