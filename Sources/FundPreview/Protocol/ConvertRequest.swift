import FundCore

/// What a converter process is asked for; one request on each connection. With a conversion go two descriptors: the
/// input, to read, and a file for the output.
enum ConvertRequest: Sendable, Hashable {
    case convert(Conversion)
    case abilities

    private enum Kind: Int { case abilities = 1, info, picture, document, text, recognition, waveform, fields }

    var bytes: [UInt8] {
        var frame = ConvertFrame()
        switch self {
        case .abilities: frame.put(Kind.abilities.rawValue)
        case .convert(let conversion):
            switch conversion.work {
            case .info: frame.put(Kind.info.rawValue)
            case .document: frame.put(Kind.document.rawValue)
            case .text: frame.put(Kind.text.rawValue)
            case .waveform: frame.put(Kind.waveform.rawValue)
            case .fields: frame.put(Kind.fields.rawValue)
            case .recognition(let page, let languages):
                frame.put(Kind.recognition.rawValue)
                frame.put(page)
                frame.put(languages?.count)
                for language in languages ?? [] { frame.put(language.name) }
            case .picture(let pixels, let page):
                frame.put(Kind.picture.rawValue)
                frame.put(pixels)
                frame.put(page)
            }
            frame.put(conversion.type.rawValue)
            frame.put(conversion.attempt)
            frame.put(conversion.isAwaited ? 1 : 0)
        }
        return frame.bytes
    }

    init(_ bytes: [UInt8]) throws(ConvertFrameError) {
        var frame = ConvertFrame(bytes)
        let work: Conversion.Work
        switch Kind(rawValue: try frame.number()) {
        case .abilities:
            self = .abilities
            return
        case .info: work = .info
        case .picture: work = .picture(pixels: try frame.number(), page: try frame.number())
        case .document: work = .document
        case .text: work = .text
        case .recognition: work = .recognition(page: try frame.number(), languages: try frame.optionalLanguages())
        case .waveform: work = .waveform
        case .fields: work = .fields
        case nil: throw ConvertFrameError()
        }
        self = .convert(
            Conversion(
                work, of: try frame.value(TrueType.self), attempt: try frame.number(),
                isAwaited: try frame.number() != 0))
    }
}

extension ConvertFrame {
    /// More are in no request.
    private static let maxLanguages = 16

    fileprivate mutating func optionalLanguages() throws(ConvertFrameError) -> [RecognitionLanguage]? {
        guard let count = try optionalNumber() else { return nil }
        guard (1...Self.maxLanguages).contains(count) else { throw ConvertFrameError() }
        return try languages(count)
    }

    /// Throws for a name that is none.
    mutating func languages(_ count: Int) throws(ConvertFrameError) -> [RecognitionLanguage] {
        var languages: [RecognitionLanguage] = []
        for _ in 0..<count {
            guard let language = RecognitionLanguage(try text()) else { throw ConvertFrameError() }
            languages.append(language)
        }
        return languages
    }
}
