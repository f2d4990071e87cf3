internal import FundCore

/// Orders that words are recognised in the files that are there, after another choice of languages or pages, and after
/// failures were forgotten: what was recognised stays until it is made anew.
struct RecognitionBackfill {
    /// Files of one step.
    private static let stepFiles = 100

    let register: any PreviewRegister
    /// Nil where words in pictures are not recognised.
    let settings: RecognitionSettings?
    /// The file that was looked at last; nil before the first.
    private var last: ContentDigest?
    /// `PreviewRegister.resetCount` when this began.
    private var resets: Int64?

    init(register: any PreviewRegister, settings: RecognitionSettings?) {
        self.register = register
        self.settings = settings
    }

    /// One step. True when more may be to do at once; false also when so much waits that no more is taken.
    mutating func orderMore() async throws -> Bool {
        guard let settings, try await register.recognitionPlan() != settings.plan else { return false }
        let count = try await register.resetCount()
        if last == nil { resets = count }
        let part = try await register.recognisable(after: last, limit: Self.stepFiles)
        guard let end = part.last else {
            last = nil
            // A file that was forgotten meanwhile may stand before this place.
            guard resets == count else { return true }
            try await register.setRecognitionPlan(settings.plan)
            return false
        }
        var orders: [PreviewOrder] = []
        for (file, info) in part.files {
            let text = info.type == .pdf ? try await text(of: file.digest) : nil
            orders += PreviewPlan.recognition(of: file, info, text: text, settings)
        }
        guard try await register.enqueue(orders, at: .now) == orders.count else { return false }
        last = end
        return true
    }

    /// Nil where it was not read yet, or cannot be: then its pages are ordered when it is.
    private func text(of content: ContentDigest) async throws -> [UInt8]? {
        guard case .ready(let rendition)? = try await register.state(of: RenditionKey(content, .text)) else {
            return nil
        }
        return try await register.bytes(of: rendition)
    }
}
