import FundCore
import FundPreview
import Synchronization

/// Answers as its test says; counts what runs at the same time.
final class ScriptedConverter: Converter {
    private struct State {
        var running = 0
        var most = 0
        var calls: [Conversion] = []
    }

    private let state = Mutex(State())
    let script: @Sendable (Conversion, _ number: Int) async throws -> Converted

    init(_ script: @escaping @Sendable (Conversion, _ number: Int) async throws -> Converted) {
        self.script = script
    }

    var calls: [Conversion] { state.withLock { $0.calls } }
    var most: Int { state.withLock { $0.most } }

    func convert(_ conversion: Conversion, of input: Int32) async throws -> Converted {
        let number = state.withLock { state in
            state.running += 1
            state.most = max(state.most, state.running)
            state.calls.append(conversion)
            return state.calls.count
        }
        defer { state.withLock { $0.running -= 1 } }
        return try await script(conversion, number)
    }

    func abilities() async throws -> ConverterAbilities { ConverterAbilities(sandbox: .namespaces, tools: []) }

    /// The answer of a converter that can do everything.
    static func plain(_ conversion: Conversion) -> Converted {
        switch conversion.work {
        case .info:
            var info = FileInfo(conversion.type)
            info.pageCount = 3
            return .info(info)
        case .picture(let pixels, let page):
            return .picture(Array("picture \(pixels) \(page)".utf8), width: pixels, height: pixels)
        case .document: return .document(Array("%PDF-1.4 of a document".utf8))
        case .text, .recognition: return .text(Array("words".utf8))
        case .marked: return .picture(Array("marked".utf8), width: 3, height: 3)
        case .waveform: return Waveform(peaks: [0, 127, 3]).map { .waveform($0) } ?? .text([])
        case .fields:
            return .fields(
                .table(TableFields(delimiter: ",", rows: [["a", "b"]], hasMoreRows: false, hasMoreColumns: false)))
        }
    }
}
