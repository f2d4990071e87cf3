internal import ChildProcesses
internal import Glibc
import FundCore

/// One conversion by programs in a sandbox.
struct ToolJob {
    let conversion: Conversion
    let sandbox: Sandbox
    /// An open file, read from 0 to its end. Its position is moved.
    let input: Int32
    /// The run is stopped as soon as the other end of this socket is closed; nil for never.
    var cancellation: Int32?

    /// Larger files are not converted: they are copied to memory for it.
    static let maxInputBytes: Int64 = 256 << 20

    /// Result of the job.
    enum Made: Sendable, Hashable {
        case info(FileInfo)
        /// The bytes of a picture, a document, a text, peaks, or the JSON of fields.
        case bytes([UInt8])
    }

    /// Makes what `conversion` asks for. Blocks.
    func make() throws(ToolError) -> Made {
        var status = stat()
        guard fstat(input, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw .system(ProcessError("input", code: EINVAL))
        }
        guard status.st_size <= Self.maxInputBytes else { throw .failure(.tooLarge) }
        guard status.st_size > 0 || conversion.work == .info else { throw .failure(.damaged) }
        switch conversion.work {
        case .info: return .info(try info())
        case .picture(let pixels, let page): return .bytes(try picture(pixels: pixels, page: page))
        case .document:
            guard conversion.type.family == .office || conversion.type == .html else { throw .failure(.unsupported) }
            return .bytes(try OfficeTools.document(self))
        case .text: return .bytes(TextOutput.clean(try text()))
        case .waveform:
            guard conversion.type.family == .audio else { throw .failure(.unsupported) }
            return .bytes(try MediaTools.waveform(self).peaks)
        case .recognition(let page, let languages):
            return .bytes(TextOutput.clean(try RecognitionTools.text(self, page: page, languages)))
        case .fields: return .bytes(try FieldTools.fields(self))
        case .marked(let count): return .bytes(try WatermarkTools.picture(self, pictureBytes: count))
        }
    }

    private func info() throws(ToolError) -> FileInfo {
        switch conversion.type.family {
        case .pdf: try PDFTools.info(self)
        case .picture: try PictureTools.info(self)
        case .vector: VectorTools.info(self)
        case .office: try OfficeTools.info(self)
        case .video, .audio: try MediaTools.info(self)
        case .archive: ArchiveTools.info(self)
        case .text, .unknown: FileInfo(conversion.type)
        }
    }

    private func picture(pixels: Int, page: Int) throws(ToolError) -> [UInt8] {
        guard (1...Self.maxPixels).contains(pixels), page >= 1 else { throw .failure(.unsupported) }
        switch conversion.type.family {
        case .pdf: return try PDFTools.picture(self, pixels: pixels, page: page)
        case .picture: return try PictureTools.picture(self, pixels: pixels, page: page)
        case .vector where page == 1: return try VectorTools.picture(self, pixels: pixels)
        case .video where page == 1: return try MediaTools.poster(self, pixels: pixels)
        default: throw .failure(.unsupported)
        }
    }

    private func text() throws(ToolError) -> [UInt8] {
        switch conversion.type.family {
        case .pdf: try PDFTools.text(self)
        case .office: try OfficeText.text(self)
        case .text: try TextTools.text(self)
        case .archive: try ArchiveTools.names(self)
        case .picture, .vector, .video, .audio, .unknown: throw .failure(.unsupported)
        }
    }

    /// The longer side of a picture, at most.
    static let maxPixels = 4096
}

/// Why a job made nothing.
enum ToolError: Error, Hashable {
    case failure(RenditionFailure)
    /// Its caller went away.
    case cancelled
    /// The machine failed; nothing can be said about the file.
    case system(ProcessError)
}
