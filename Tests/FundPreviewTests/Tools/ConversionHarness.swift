import FundCore
import Foundation

@testable import FundPreview

/// A converter process for tests, shared by those of a suite.
enum TestConverter {
    static let best = ConverterProcess(.child(executable: ConverterProgram.path, sandbox: .best), atMost: 2)
    static let landlock = ConverterProcess(.child(executable: ConverterProgram.path, sandbox: .landlock), atMost: 2)
}

/// Outcome of a conversion, as tests compare it.
enum Outcome: Sendable, Hashable {
    case info(FileInfo)
    case picture(width: Int, height: Int)
    case document, text(String)
    case waveform(Waveform)
    case fields(FileFields)
    case failed(RenditionFailure)

    var info: FileInfo? { if case .info(let info) = self { info } else { nil } }
    var text: String? { if case .text(let text) = self { text } else { nil } }

    /// Converts a sample of the type that its bytes say.
    static func of(
        _ work: Conversion.Work, _ bytes: [UInt8], as type: TrueType? = nil,
        by converter: any Converter = TestConverter.best
    ) async throws -> Outcome {
        try await of(work, SampleFile(bytes), as: type, by: converter)
    }

    static func of(
        _ work: Conversion.Work, _ file: SampleFile, as type: TrueType? = nil,
        by converter: any Converter = TestConverter.best
    ) async throws -> Outcome {
        let conversion = Conversion(work, of: type ?? TrueType.of(descriptor: file.descriptor))
        do {
            switch try await converter.convert(conversion, of: file.descriptor) {
            case .info(let info): return .info(info)
            case .picture(_, let width, let height): return .picture(width: width, height: height)
            case .document: return .document
            case .waveform(let waveform): return .waveform(waveform)
            case .text(let bytes): return .text(String(decoding: bytes, as: UTF8.self))
            case .fields(let fields): return .fields(fields)
            }
        } catch let failure as RenditionFailure {
            return .failed(failure)
        }
    }
}

extension Converter {
    /// An office document as PDF. Throws `RenditionFailure` where there is none.
    func document(of file: SampleFile, as type: TrueType) async throws -> [UInt8] {
        guard case .document(let pdf) = try await convert(Conversion(.document, of: type), of: file.descriptor) else {
            throw RenditionFailure.damaged
        }
        return pdf
    }
}

extension FileInfo {
    init(_ type: TrueType, pages: Int? = nil, _ width: Int? = nil, _ height: Int? = nil, isEncrypted: Bool = false) {
        self.init(type)
        (pageCount, self.width, self.height, self.isEncrypted) = (pages, width, height, isEncrypted)
    }
}
