internal import Foundation
internal import FundCore

/// `Content-Security-Policy` (W3C CSP Level 3).
enum PagePolicy {
    /// The policy of pages: everything from this server alone, no code in the page, no style in it but ours (by its
    /// digest, §6.7.2.3), no markup from strings.
    static let pages = [
        "default-src 'none'", "script-src 'self'", "style-src 'self' 'sha256-\(styleDigest)'", "img-src 'self'",
        "media-src 'self'", "connect-src 'self'", "frame-src 'self'", "form-action 'self'", "base-uri 'none'",
        "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'",
    ].joined(separator: "; ")

    private static let styleDigest = Data(ContentDigest.of(PageAssets.style).bytes).base64EncodedString()
}
