import FundCore

/// What a converter process answers.
enum ConvertAnswer: Sendable, Hashable {
    case info(FileInfo)
    /// It stands in the file for the output.
    case written
    case failure(RenditionFailure)
    case abilities(ConverterAbilities)
    /// The machine failed, in words for an administrator.
    case systemFailure(String)

    private enum Kind: Int { case info = 1, written, failure, abilities, systemFailure }

    var bytes: [UInt8] {
        var frame = ConvertFrame()
        switch self {
        case .info(let info):
            frame.put(Kind.info.rawValue)
            frame.put(info)
        case .written: frame.put(Kind.written.rawValue)
        case .failure(let failure):
            frame.put(Kind.failure.rawValue)
            frame.put(failure.rawValue)
        case .abilities(let abilities):
            frame.put(Kind.abilities.rawValue)
            frame.put(abilities)
        case .systemFailure(let text):
            frame.put(Kind.systemFailure.rawValue)
            frame.put(text)
        }
        return frame.bytes
    }

    init(_ bytes: [UInt8]) throws(ConvertFrameError) {
        var frame = ConvertFrame(bytes)
        switch Kind(rawValue: try frame.number()) {
        case .info: self = .info(try frame.info())
        case .written: self = .written
        case .failure: self = .failure(try frame.value(RenditionFailure.self))
        case .abilities: self = .abilities(try frame.abilities())
        case .systemFailure: self = .systemFailure(try frame.text())
        case nil: throw ConvertFrameError()
        }
    }
}

extension ConvertFrame {
    fileprivate mutating func put(_ info: FileInfo) {
        put(info.type.rawValue)
        put(info.pageCount)
        put(info.width)
        put(info.height)
        put(info.milliseconds)
        put(info.isEncrypted ? 1 : 0)
    }

    fileprivate mutating func info() throws(ConvertFrameError) -> FileInfo {
        var info = FileInfo(try value(TrueType.self))
        info.pageCount = try optionalNumber()
        info.width = try optionalNumber()
        info.height = try optionalNumber()
        info.milliseconds = try optionalNumber(Int64.self)
        info.isEncrypted = try number(Int.self) != 0
        return info
    }

    fileprivate mutating func put(_ abilities: ConverterAbilities) {
        put(abilities.sandbox.rawValue)
        put(abilities.sandboxProblem)
        put(abilities.tools.count)
        for tool in abilities.tools {
            put(tool.name)
            put(tool.version)
            put(tool.debianPackage)
        }
        put(abilities.languages.count)
        for language in abilities.languages { put(language.name) }
    }

    fileprivate mutating func abilities() throws(ConvertFrameError) -> ConverterAbilities {
        let sandbox = try value(ConverterAbilities.Sandbox.self)
        let problem = try optionalText()
        var tools: [ConverterAbilities.Tool] = []
        for _ in 0..<(try number(UInt8.self)) {
            let (name, version) = (try text(), try optionalText())
            tools.append(ConverterAbilities.Tool(name: name, version: version, debianPackage: try text()))
        }
        return ConverterAbilities(
            sandbox: sandbox, sandboxProblem: problem, tools: tools,
            languages: try languages(Int(try number(UInt8.self))))
    }
}
