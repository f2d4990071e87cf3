internal import ChildProcesses
import FundCore

/// The HTML of a mail that a child is to sanitize, in the file of a `FileRequest`.
extension HTMLMail {
    func file(_ writer: inout FrameWriter) -> [UInt8] {
        writer.begin(.sanitize)
        writer.string(html, max: Wire.maxBodyBytes)
        writer.flag(showsRemotePictures)
        writer.list(Array(pictures.prefix(Wire.maxPictures))) { writer, picture in
            writer.optional(picture.contentID, max: Wire.maxContentIDBytes)
            writer.string(picture.name, max: Wire.maxNameBytes)
            writer.i64(picture.bytes)
        }
        return writer.end()
    }

    init(_ request: FileRequest, in descriptor: Int32) throws(FrameError) {
        let (mail, rest) = try request.content(in: descriptor) { (reader) throws(FrameError) -> HTMLMail in
            let html = try reader.string(max: Wire.maxBodyBytes)
            let showsRemotePictures = try reader.flag()
            let pictures = try reader.list(max: Wire.maxPictures) { (reader) throws(FrameError) in
                HTMLMail.Picture(
                    contentID: try reader.optionalString(max: Wire.maxContentIDBytes),
                    name: try reader.string(max: Wire.maxNameBytes), bytes: try reader.i64())
            }
            return HTMLMail(html: html, pictures: pictures, showsRemotePictures: showsRemotePictures)
        }
        guard rest.isEmpty else { throw FrameError(what: "a mail with a tail") }
        self = mail
    }
}
