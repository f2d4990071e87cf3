import ChildProcesses
import FundCore
import TestSupport
import Testing

@testable import FundPreview

@Suite struct ProtocolTests {
    @Test func requestsAndAnswersAreReadAsTheyWereWritten() throws {
        let languages = ["chi_sim", "deu"].compactMap { RecognitionLanguage($0) }
        let works: [Conversion.Work] = [
            .recognition(page: 3, languages: languages),
            .info, .document, .text, .picture(pixels: 480, page: 7), .recognition(page: 2), .waveform, .fields,
            .marked(pictureBytes: 1 << 20),
        ]
        for work in works {
            let request = ConvertRequest.convert(Conversion(work, of: .docx, attempt: 2, isAwaited: true))
            #expect(try ConvertRequest(request.bytes) == request)
        }
        #expect(try ConvertRequest(ConvertRequest.abilities.bytes) == .abilities)
        var info = FileInfo(.mp4, pages: 0, 640, 360, isEncrypted: true)
        info.milliseconds = 1 << 40
        let tools = [
            ConverterAbilities.Tool(name: "a", version: nil, debianPackage: "b"),
            ConverterAbilities.Tool(name: "c", version: "1.2", debianPackage: "d"),
        ]
        let answers: [ConvertAnswer] = [
            .info(info), .info(FileInfo(.pdf)), .written, .failure(.tooMuchMemory), .systemFailure("x"),
            .abilities(
                ConverterAbilities(sandbox: .landlock, sandboxProblem: "why", tools: tools, languages: languages)),
        ]
        for answer in answers {
            #expect(try ConvertAnswer(answer.bytes) == answer)
            // Cut off anywhere it is an error.
            for end in 0..<answer.bytes.count {
                #expect(throws: FrameError.self) { try ConvertAnswer(Array(answer.bytes[..<end])) }
            }
        }
        for seed in 1...200 as ClosedRange<UInt64> {
            _ = try? ConvertRequest(randomBytes(80, seed: seed))
            _ = try? ConvertAnswer(randomBytes(80, seed: seed))
        }
    }

    @Test func headersOfWebP() {
        func file(_ chunk: String, _ body: [UInt8]) -> [UInt8] {
            let padded = body + Array(repeating: 0, count: 20)
            let content = Array("WEBP\(chunk)".utf8) + SampleZip.little32(padded.count) + padded
            return Array("RIFF".utf8) + SampleZip.little32(content.count) + content
        }
        let lossy = file("VP8 ", [0, 0, 0, 0x9D, 1, 0x2A, 0xE0, 1, 0x68, 1])
        #expect(WebPHeader(lossy).map { [$0.width, $0.height] } == [480, 360])
        let exact = file("VP8L", [0x2F] + SampleZip.little32(479 | 359 << 14))
        #expect(WebPHeader(exact).map { [$0.width, $0.height] } == [480, 360])
        let extended = file("VP8X", [0, 0, 0, 0, 0xDF, 1, 0, 0x67, 1, 0])
        #expect(WebPHeader(extended).map { [$0.width, $0.height] } == [480, 360])
        for bytes in [[], Array(lossy.dropLast()), lossy + [0], file("VP8 ", []), Array("%PDF-".utf8)] {
            #expect(WebPHeader(bytes) == nil)
        }
    }
}
