import FundCore

/// What a converter process is asked for; one request on each connection. With a conversion go two descriptors: the
/// input, to read, and a file for the output.
enum ConvertRequest: Sendable, Hashable {
    case convert(Conversion)
    case abilities

    private enum Kind: Int { case abilities = 1, info, picture, document, text, recognition, fields }

    var bytes: [UInt8] {
        var frame = ConvertFrame()
        switch self {
        case .abilities: frame.put(Kind.abilities.rawValue)
        case .convert(let conversion):
            switch conversion.work {
            case .info: frame.put(Kind.info.rawValue)
            case .document: frame.put(Kind.document.rawValue)
            case .text: frame.put(Kind.text.rawValue)
            case .fields: frame.put(Kind.fields.rawValue)
            case .recognition(let page):
                frame.put(Kind.recognition.rawValue)
                frame.put(page)
            case .picture(let pixels, let page):
                frame.put(Kind.picture.rawValue)
                frame.put(pixels)
                frame.put(page)
            }
            frame.put(conversion.type.rawValue)
            frame.put(conversion.attempt)
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
        case .fields: work = .fields
        case .recognition: work = .recognition(page: try frame.number())
        case nil: throw ConvertFrameError()
        }
        self = .convert(Conversion(work, of: try frame.value(TrueType.self), attempt: try frame.number()))
    }
}
