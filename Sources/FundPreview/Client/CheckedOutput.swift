internal import ChildProcesses
internal import Glibc
import FundCore

/// Check of the output of a converter process, before it is believed.
enum CheckedOutput {
    /// Limit of a picture: a thumbnail has some 20 KB.
    private static let maxPictureBytes = 32 << 20
    /// Limit of a PDF of an office document.
    private static let maxDocumentBytes = 64 << 20

    /// Throws `RenditionFailure.crashed` for what is not what was asked for.
    static func of(_ conversion: Conversion, in file: borrowing MemoryFile) throws -> Converted {
        switch conversion.work {
        case .info: throw RenditionFailure.crashed
        case .picture(let pixels, _): return try picture(in: file, within: pixels)
        case .marked: return try picture(in: file, within: ToolJob.maxPixels)
        case .document:
            let bytes = try bytes(of: file, atMost: maxDocumentBytes)
            guard bytes.starts(with: "%PDF-".utf8) else { throw RenditionFailure.crashed }
            return .document(bytes)
        case .waveform:
            guard let waveform = Waveform(peaks: try bytes(of: file, atMost: Waveform.maxPeaks)) else {
                throw RenditionFailure.crashed
            }
            return .waveform(waveform)
        case .fields:
            let read = FileFields(json: try bytes(of: file, atMost: FileFields.maxBytes))
            guard let fields = read?.checked(for: conversion.type) else { throw RenditionFailure.crashed }
            return .fields(fields)
        case .text, .recognition: return .text(TextOutput.clean(try bytes(of: file, atMost: TextOutput.maxBytes)))
        }
    }

    private static func picture(in file: borrowing MemoryFile, within pixels: Int) throws -> Converted {
        let bytes = try bytes(of: file, atMost: maxPictureBytes)
        guard let size = WebPHeader(bytes), max(size.width, size.height) <= pixels else {
            throw RenditionFailure.crashed
        }
        return .picture(bytes, width: size.width, height: size.height)
    }

    private static func bytes(of file: borrowing MemoryFile, atMost limit: Int) throws -> [UInt8] {
        guard file.size <= limit else { throw RenditionFailure.tooLarge }
        return try file.bytes(atMost: limit)
    }
}
