internal import ChildProcesses
import FundCore

/// A request to a converter process, one on each connection. With a conversion go two descriptors: the
/// input, to read, and a file for the output.
enum ConvertRequest: Sendable, Hashable {
    case convert(Conversion)
    case abilities

    /// Limit of a message between `serve` and a converter process. The longest one lists the programs of a machine.
    static let maxMessageBytes = 16384

    private enum Kind: UInt8 {
        case abilities = 1, info, picture, document, text, recognition, waveform, fields, marked
    }

    var bytes: [UInt8] {
        var writer = FrameWriter()
        switch self {
        case .abilities: writer.begin(Kind.abilities.rawValue)
        case .convert(let conversion):
            switch conversion.work {
            case .info: writer.begin(Kind.info.rawValue)
            case .document: writer.begin(Kind.document.rawValue)
            case .text: writer.begin(Kind.text.rawValue)
            case .waveform: writer.begin(Kind.waveform.rawValue)
            case .fields: writer.begin(Kind.fields.rawValue)
            case .recognition(let page, let languages):
                writer.begin(Kind.recognition.rawValue)
                writer.i64(Int64(page))
                writer.flag(languages != nil)
                if let languages { writer.list(languages) { $0.string($1.name) } }
            case .marked(let count):
                writer.begin(Kind.marked.rawValue)
                writer.i64(Int64(count))
            case .picture(let pixels, let page):
                writer.begin(Kind.picture.rawValue)
                writer.i64(Int64(pixels))
                writer.i64(Int64(page))
            }
            writer.string(conversion.type.rawValue)
            writer.i64(Int64(conversion.attempt))
            writer.flag(conversion.isAwaited)
        }
        return writer.end()
    }

    init(_ frame: [UInt8]) throws(FrameError) {
        self = try FrameReader.read(frame) { (kind, reader) throws(FrameError) in
            let work: Conversion.Work
            switch Kind(rawValue: kind) {
            case .abilities: return .abilities
            case .info: work = .info
            case .picture: work = .picture(pixels: try reader.int(), page: try reader.int())
            case .document: work = .document
            case .text: work = .text
            case .recognition:
                work = .recognition(page: try reader.int(), languages: try reader.flag() ? try reader.languages() : nil)
            case .waveform: work = .waveform
            case .fields: work = .fields
            case .marked: work = .marked(pictureBytes: try reader.int())
            case nil: throw FrameError(what: "a request of unknown kind")
            }
            return .convert(
                Conversion(
                    work, of: try reader.value(TrueType.self), attempt: try reader.int(),
                    isAwaited: try reader.flag()))
        }
    }
}

extension FrameReader {
    /// Languages of a message at most: those that a machine has.
    private static let maxLanguages = 255

    fileprivate mutating func int() throws(FrameError) -> Int { Int(try i64()) }

    /// Throws for a name that is none.
    mutating func languages() throws(FrameError) -> [RecognitionLanguage] {
        try list(max: Self.maxLanguages) { (reader) throws(FrameError) in
            guard let language = RecognitionLanguage(try reader.string()) else {
                throw FrameError(what: "a language that is none")
            }
            return language
        }
    }
}
