internal import CCurl
internal import FundCore

extension CurlHandle {
    /// Runs until libcurl is done, the deadline passes or the run is cancelled. `check` is called about each second.
    borrowing func perform(
        atMost limit: Duration, during operation: String, _ cancellation: Cancellation,
        _ check: () throws(ConnectionError) -> Void = {}
    ) throws(ConnectionError) -> CURLcode {
        let deadline = ContinuousClock.now + limit
        guard fundmail_curl_multi_add_handle(multi, easy) == CURLM_OK else {
            throw ConnectionError(.outOfMemory, during: operation)
        }
        var running: Int32 = 1
        while true {
            guard fundmail_curl_multi_perform(multi, &running) == CURLM_OK else {
                throw ConnectionError(.outOfMemory, during: operation)
            }
            if running == 0 { break }
            if cancellation.isCancelled { throw ConnectionError(.cancelled, during: operation) }
            let left = deadline - .now
            if left <= .zero { throw ConnectionError(.timedOut, during: operation, "the server takes too long") }
            try check()
            var extra = curl_waitfd(fd: cancellation.descriptor, events: Int16(CURL_WAIT_POLLIN), revents: 0)
            _ = fundmail_curl_multi_poll(
                multi, &extra, cancellation.descriptor < 0 ? 0 : 1, min(left, .seconds(1)).pollMilliseconds, nil)
        }
        var remaining: Int32 = 0
        guard let message = fundmail_curl_multi_info_read(multi, &remaining),
            message.pointee.msg == CURLMSG_DONE
        else {
            throw ConnectionError(.connectionLost, during: operation)
        }
        return message.pointee.data.result
    }
}
