import FundCore
import Terminal

/// The rule by which documents of Paperless-ngx come to their funds.
struct PaperlessFunds {
    /// The label by which funds are named; nil for none.
    var label: PaperlessDocument.Label?
    /// Names of labels that have a fund of another name.
    var table = Table()
    /// The fund for what has none.
    var fallback: String?

    /// A table of names of labels and funds. Names are compared as those of funds are.
    struct Table {
        private static let maxBytes = 16 << 20

        /// Fund and line by the key of a name.
        private var rows: [String: (fund: String, line: Int)] = [:]

        init() {}

        /// Reads a file of two columns, `name` and `fund`, which its first line names. Throws `CommandError`.
        init(file: String) throws {
            let shown = TerminalText.clean(file)
            let bytes: [UInt8]
            do { bytes = try WholeFile.readRegular(file, maxBytes: Self.maxBytes) } catch {
                throw CommandError(.input, "\(shown) cannot be read: \(error.problem).")
            }
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw CommandError(.input, "\(shown) is not text in UTF-8; save it as \"CSV UTF-8\".")
            }
            do { try self.init(text) } catch {
                throw CommandError(.input, "\(shown):\(error.line): \(error.problem).")
            }
        }

        init(_ text: String) throws(CSVReader.Malformed) {
            let lines = try CSVReader.rows(text)
            let titles = lines.first?.cells.map { $0.trimmed.lowercased() } ?? []
            guard let name = titles.firstIndex(of: "name"), let fund = titles.firstIndex(of: "fund") else {
                throw CSVReader.Malformed(line: 1, problem: "the first line must name the columns name and fund")
            }
            for row in lines.dropFirst() {
                func cell(_ index: Int) -> String { index < row.cells.count ? row.cells[index].trimmed : "" }
                let key = FundName.key(cell(name))
                guard !key.isEmpty, !cell(fund).isEmpty else {
                    throw CSVReader.Malformed(line: row.line, problem: "a name or its fund is missing")
                }
                guard rows[key] == nil else {
                    throw CSVReader.Malformed(line: row.line, problem: "the name \(cell(name)) stands there twice")
                }
                rows[key] = (cell(fund), row.line)
            }
        }

        fileprivate subscript(_ name: String) -> (fund: String, line: Int)? { rows[FundName.key(name)] }
    }

    /// The name of the fund for a document; nil when there is none. With several tags the one that stands first in the
    /// table counts, without the table the first of the document.
    func fund(of document: PaperlessDocument, _ labels: PaperlessLabels) -> String? {
        guard let label else { return fallback }
        let names = labels.names(label, of: document)
        let mapped = names.compactMap { table[$0] }.min { $0.line < $1.line }
        return mapped?.fund ?? names.first ?? fallback
    }
}
