/// The result of parsing a message.
package enum ParseResult: Sendable, Hashable {
    /// Indirect: it goes through many hands, each of which would copy its twenty fields.
    indirect case message(ParsedMessage)
    /// Refused: `tooComplex`, `tooLarge` or `unparseable`. `detail` says for people what was over which limit or what
    /// happened to the child; `header` is what could be read all the same.
    case refused(Reason, detail: String, header: MessageHeader?, defects: [Defect])
}

extension ParseResult {
    /// Number of files that the message brings into a fund; nil for a refused message.
    package var fileCount: Int? { if case .message(let message) = self { message.fileCount } else { nil } }

    /// The header as far as it could be read; nil only for a refused message.
    package var header: MessageHeader? {
        switch self {
        case .message(let message): message.header
        case .refused(_, _, let header, _): header
        }
    }

    /// Each once, in the order of `Defect.allCases`.
    package var defects: [Defect] {
        switch self {
        case .message(let message): message.defects
        case .refused(_, _, _, let defects): defects
        }
    }

    /// The result with a defect that the source found.
    package func adding(_ defect: Defect) -> ParseResult {
        func ordered(_ defects: [Defect]) -> [Defect] {
            Defect.allCases.filter { $0 == defect || defects.contains($0) }
        }
        switch self {
        case .message(var message):
            message.defects = ordered(message.defects)
            return .message(message)
        case .refused(let reason, let detail, let header, let defects):
            return .refused(reason, detail: detail, header: header, defects: ordered(defects))
        }
    }

    /// The result for a message of which the source fetched at most the header.
    package func refused(_ refusal: Refusal) -> ParseResult {
        return .refused(refusal.reason, detail: refusal.detail, header: header, defects: [])
    }
}
