internal import Foundation
internal import FundCore

/// `Content-Security-Policy` (W3C CSP Level 3).
enum PagePolicy {
    /// The policy of pages: everything from this server alone, no code in the page, no style in it but ours (by its
    /// digest, §6.7.2.3), no markup from strings.
    static var pages: String {
        #if DEBUG
            if EmbeddedFiles.pages != nil { return policy(style: PageAssets.style) }
        #endif
        return embedded
    }

    private static let embedded = policy(style: PageAssets.style)

    private static func policy(style: [UInt8]) -> String {
        let digest = Data(ContentDigest.of(style).bytes).base64EncodedString()
        return [
            "default-src 'none'", "script-src 'self'", "style-src 'self' 'sha256-\(digest)'", "img-src 'self'",
            "media-src 'self'", "connect-src 'self'", "frame-src 'self'", "form-action 'self'", "base-uri 'none'",
            "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
        ].joined(separator: "; ")
    }
}
