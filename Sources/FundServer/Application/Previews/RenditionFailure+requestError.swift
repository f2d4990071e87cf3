internal import FundHTTP
import FundCore
internal import HTTPTypes

extension RenditionFailure: RequestErrorConvertible {
    /// 422 with the raw value as its reason; 403 for what is quarantined.
    var requestError: RequestError {
        var error =
            self == .quarantined
            ? RequestError(.forbidden, "quarantined", detail)
            : RequestError(.unprocessableContent, RequestError.noPreview, detail)
        error.reason = rawValue
        return error
    }

    private var detail: String {
        switch self {
        case .encrypted: "the file has a password"
        case .damaged: "the file is damaged, or not of the kind that it seems to be"
        case .tooLarge: "the file is too large for a preview"
        case .timedOut: "making the preview took too long"
        case .tooMuchMemory: "making the preview took too much memory"
        case .crashed: "the program that makes the preview failed on this file"
        case .noSandbox: "this server cannot confine the programs that make previews"
        case .noTool: "the program that makes previews of this kind of file is not installed"
        case .quarantined: "the file is quarantined: malware was found in it"
        case .unsupported: "there is no preview of this kind of file, or no such page"
        }
    }
}

extension RequestError {
    fileprivate static let noPreview = "no-preview"
    /// For a server that makes no previews.
    static let previewsOff: RequestError = {
        var error = RequestError(.unprocessableContent, noPreview, "this server makes no previews")
        error.reason = "off"
        return error
    }()
}
