internal import ChildProcesses
import FundCore

/// An answer of a converter process.
enum ConvertAnswer: Sendable, Hashable {
    case info(FileInfo)
    /// It stands in the file for the output.
    case written
    case failure(RenditionFailure)
    case abilities(ConverterAbilities)
    /// The machine failed, in words for an administrator.
    case systemFailure(String)

    private enum Kind: UInt8 { case info = 1, written, failure, abilities, systemFailure }

    var bytes: [UInt8] {
        var writer = FrameWriter()
        switch self {
        case .info(let info):
            writer.begin(Kind.info.rawValue)
            writer.info(info)
        case .written: writer.begin(Kind.written.rawValue)
        case .failure(let failure):
            writer.begin(Kind.failure.rawValue)
            writer.string(failure.rawValue)
        case .abilities(let abilities):
            writer.begin(Kind.abilities.rawValue)
            writer.abilities(abilities)
        case .systemFailure(let text):
            writer.begin(Kind.systemFailure.rawValue)
            writer.text(text)
        }
        return writer.end()
    }

    init(_ frame: [UInt8]) throws(FrameError) {
        self = try FrameReader.read(frame) { (kind, reader) throws(FrameError) in
            switch Kind(rawValue: kind) {
            case .info: .info(try reader.info())
            case .written: .written
            case .failure: .failure(try reader.value(RenditionFailure.self))
            case .abilities: .abilities(try reader.abilities())
            case .systemFailure: .systemFailure(try reader.string())
            case nil: throw FrameError(what: "an answer of unknown kind")
            }
        }
    }
}

extension FrameWriter {
    /// Longer texts are cut.
    private static let maxTextBytes = 1024

    fileprivate mutating func text(_ text: String) { string(text, max: Self.maxTextBytes) }

    fileprivate mutating func info(_ info: FileInfo) {
        string(info.type.rawValue)
        optional(info.pageCount.map(Int64.init))
        optional(info.width.map(Int64.init))
        optional(info.height.map(Int64.init))
        optional(info.milliseconds)
        flag(info.isEncrypted)
    }

    fileprivate mutating func abilities(_ abilities: ConverterAbilities) {
        string(abilities.sandbox.rawValue)
        optional(abilities.sandboxProblem, max: Self.maxTextBytes)
        list(abilities.tools) { writer, tool in
            writer.text(tool.name)
            writer.optional(tool.version, max: Self.maxTextBytes)
            writer.text(tool.debianPackage)
        }
        list(abilities.languages) { $0.string($1.name) }
    }
}

extension FrameReader {
    fileprivate mutating func info() throws(FrameError) -> FileInfo {
        var info = FileInfo(try value(TrueType.self))
        info.pageCount = try optionalInteger().map { Int($0) }
        info.width = try optionalInteger().map { Int($0) }
        info.height = try optionalInteger().map { Int($0) }
        info.milliseconds = try optionalInteger()
        info.isEncrypted = try flag()
        return info
    }

    fileprivate mutating func abilities() throws(FrameError) -> ConverterAbilities {
        ConverterAbilities(
            sandbox: try value(ConverterAbilities.Sandbox.self), sandboxProblem: try optionalString(),
            tools: try list { (reader) throws(FrameError) in
                ConverterAbilities.Tool(
                    name: try reader.string(), version: try reader.optionalString(),
                    debianPackage: try reader.string())
            },
            languages: try languages())
    }
}
