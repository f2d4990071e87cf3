internal import ChildProcesses
import FundCore
internal import Glibc

/// A request to sanitize the HTML of a mail, which travels in a file: it does not fit into the buffer
/// of a socket.
struct SanitizeRequest: Equatable {
    /// Size of the file.
    var mailBytes: Int
    var debug: ParseRequest.DebugMarks = []

    func write(to writer: inout FrameWriter) -> [UInt8] {
        writer.begin(.sanitize)
        writer.i64(Int64(mailBytes))
        writer.u8(debug.rawValue)
        return writer.end()
    }

    /// The bytes of the file.
    static func file(of mail: HTMLMail, _ writer: inout FrameWriter) -> [UInt8] {
        writer.begin(.sanitize)
        writer.string(mail.html, max: Wire.maxBodyBytes)
        writer.flag(mail.showsRemotePictures)
        writer.list(Array(mail.pictures.prefix(Wire.maxPictures))) { writer, picture in
            writer.optional(picture.contentID, max: Wire.maxContentIDBytes)
            writer.string(picture.name, max: Wire.maxNameBytes)
            writer.i64(picture.bytes)
        }
        return writer.end()
    }
}

extension SanitizeRequest {
    /// `body` is the frame behind its count.
    init(body: UnsafeRawBufferPointer) throws(FrameError) {
        var reader = FrameReader(body)
        guard try reader.u8() == Wire.Kind.sanitize.rawValue else { throw FrameError(what: "not a request") }
        let count = try reader.i64()
        guard (0...Int64(Wire.maxMailBytes)).contains(count) else { throw FrameError(what: "a mail of \(count) bytes") }
        self.init(mailBytes: Int(count), debug: ParseRequest.DebugMarks(rawValue: try reader.u8()))
        guard reader.isAtEnd else { throw FrameError(what: "a request too long") }
    }

    /// Reads the mail from its file.
    func mail(in descriptor: Int32) throws(FrameError) -> HTMLMail {
        var bytes = [UInt8](repeating: 0, count: mailBytes)
        let count = bytes.withUnsafeMutableBytes { SystemCall.fill($0, from: descriptor, at: 0) }
        guard count == mailBytes, count > Frame.lengthBytes else { throw FrameError(what: "a mail cut short") }
        return try bytes[Frame.lengthBytes...].withBytes { (body) throws(FrameError) in
            var reader = FrameReader(body)
            guard try reader.u8() == Wire.Kind.sanitize.rawValue else { throw FrameError(what: "no mail") }
            let html = try reader.string(max: Wire.maxBodyBytes)
            let showsRemotePictures = try reader.flag()
            let pictures = try reader.list(max: Wire.maxPictures) { (reader) throws(FrameError) in
                HTMLMail.Picture(
                    contentID: try reader.optionalString(max: Wire.maxContentIDBytes),
                    name: try reader.string(max: Wire.maxNameBytes), bytes: try reader.i64())
            }
            guard reader.isAtEnd else { throw FrameError(what: "a mail with a tail") }
            return HTMLMail(html: html, pictures: pictures, showsRemotePictures: showsRemotePictures)
        }
    }
}
