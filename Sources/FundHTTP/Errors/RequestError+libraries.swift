internal import Hummingbird
internal import NIOCore

extension CancellationError: RequestErrorConvertible {
    package var requestError: RequestError { .unavailable("stopping", "the server is being stopped", retryAfter: 5) }
}

extension NIOTooManyBytesError: RequestErrorConvertible {
    package var requestError: RequestError { .tooLarge }
}

extension HTTPError: RequestErrorConvertible {
    package var requestError: RequestError {
        switch status.code {
        case 400: .invalid(body ?? "the request makes no sense")
        case 404: .notFound
        case 413: .tooLarge
        default: RequestError(status, "http", body ?? status.reasonPhrase, headers: headers)
        }
    }
}
