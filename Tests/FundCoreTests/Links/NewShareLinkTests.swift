import FundCore
import TestSupport
import Testing

/// Share links that can be made, as far as their values tell.
@Suite struct NewShareLinkTests {
    private static let now = Timestamp(1_800_000_000)
    private static let secret = ShareLinkKey(serverKey: [1, 2, 3]).makeSecret()

    private static func link(
        _ items: [LibraryItemID], _ purpose: ShareLink.Purpose, _ change: (inout NewShareLink) -> Void = { _ in }
    ) -> NewShareLink {
        var link = NewShareLink(items: items, purpose: purpose, expiresAt: now + .seconds(86_400), secret: secret)
        change(&link)
        return link
    }

    private static let (file, folder): (LibraryItemID, LibraryItemID) = (.file(.init(1)), .folder(.init(1)))
    private static let note = LibraryItemID.note(.init(1))

    static let cases: [(link: NewShareLink, problem: InputProblem.Kind?)] = [
        (link([file, folder, note, .email(.init(1))], .download), nil), (link([folder], .upload), nil),
        (link([.fund(.init(1))], .upload), nil), (link([file], .read) { $0.isWatermarked = true }, nil),
        (link([], .read), .linkEmpty), (link([file, file], .read), .linkTooMany),
        (link((1...101).map { .file(.init($0)) }, .read), .linkTooMany), (link([file], .upload), .linkPlace),
        (link([folder, .folder(.init(2))], .upload), .linkPlace), (link([.fund(.init(1))], .read), .linkFund),
        (link([file], .download) { $0.isWatermarked = true }, .linkWatermark),
        (link([note], .read) { $0.isWatermarked = true }, .linkWatermark),
        (link([file], .read) { $0.expiresAt = now }, .linkExpiry),
        (link([file], .read) { $0.expiresAt = now + .seconds(367 * 86_400) }, .linkExpiry),
        (link([file], .read) { $0.maxOpenings = 0 }, .linkOpenings),
        (link([file], .read) { $0.label = String(repeating: "x", count: 201) }, .linkLabel),
        (link([file], .read) { $0.allowance = .usual }, .linkAllowance),
        (link([folder], .upload) { $0.allowance = nil }, .linkAllowance),
        (link([folder], .upload) { $0.allowance = UploadAllowance(maxFiles: 0, maxBytes: 1) }, .linkAllowance),
        (link([folder], .upload) { $0.allowance = UploadAllowance(maxFiles: 1, maxBytes: 1 << 41) }, .linkAllowance),
    ]

    @Test(arguments: cases.indices) func saysWhatIsWrong(index: Int) {
        let (link, problem) = Self.cases[index]
        #expect(link.problem(at: Self.now)?.kind == problem)
    }

    @Test func tokensAreTakenInOneFormAlone() {
        let token = ShareLinkKey(serverKey: [7]).token(of: Self.secret.seed)
        #expect(ShareLinkKey.isToken(token))
        for text in [
            "", String(token.dropLast()), token + "A", "=" + token.dropFirst(), "+" + token.dropFirst(),
            "é" + token.dropFirst(2),
        ] {
            #expect(!ShareLinkKey.isToken(text), "\(text)")
        }
        #expect(ShareLinkSeed(bytes: [1]) == nil)
    }
}
