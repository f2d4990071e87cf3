internal import ChildProcesses
import FundCore

extension SanitizedMail {
    func write(to writer: inout FrameWriter) -> [UInt8] {
        writer.begin(.sanitized)
        writer.list(pieces) { writer, piece in
            switch piece {
            case .markup(let text):
                writer.u8(1)
                writer.string(text, max: Wire.maxResponseBytes)
            case .picture(let index):
                writer.u8(2)
                writer.u32(index)
            case .link(let link):
                writer.u8(3)
                writer.string(link.target.address)
                writer.optional(link.shownHost)
            }
        }
        writer.u32(blockedPictures)
        writer.flag(hasDarkColours)
        writer.flag(isCut)
        return writer.end()
    }

    /// Checks all of it: pictures must be those of the mail, and targets such as `LinkTarget` writes.
    /// - Parameter body: the frame behind its count.
    init(body: UnsafeRawBufferPointer, pictureCount: Int) throws(FrameError) {
        var reader = FrameReader(body)
        guard try reader.u8() == Wire.Kind.sanitized.rawValue else {
            throw FrameError(what: "an answer of another kind")
        }
        let pieces = try reader.list { (reader) throws(FrameError) in
            switch try reader.u8() {
            case 1: return Piece.markup(try reader.string(max: Wire.maxResponseBytes))
            case 2:
                let index = try reader.u32()
                guard index < pictureCount else { throw FrameError(what: "a picture that is none") }
                return Piece.picture(index)
            case 3:
                let text = try reader.string(max: LinkTarget.maxBytes)
                guard let target = LinkTarget(text), target.address == text else {
                    throw FrameError(what: "a link to nowhere")
                }
                return Piece.link(DisguisedLink(target: target, shownHost: try reader.optionalString()))
            default: throw FrameError(what: "a piece of unknown kind")
            }
        }
        let links = pieces.count { if case .link = $0 { true } else { false } }
        guard links <= MarkupSanitizer.maxDisguisedLinks else { throw FrameError(what: "\(links) links") }
        self.init(
            pieces: pieces, blockedPictures: try reader.u32(), hasDarkColours: try reader.flag(),
            isCut: try reader.flag())
        guard reader.isAtEnd else { throw FrameError(what: "an answer with a tail") }
    }
}
