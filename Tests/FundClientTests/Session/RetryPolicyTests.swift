import FundClient
import Testing

@Suite struct RetryPolicyTests {
    private let policy = RetryPolicy(maxAttempts: 100, firstDelay: .seconds(1), maxDelay: .seconds(20))

    @Test func delaysGrowUpToALimit() {
        for attempts in 1..<99 {
            let most: Duration = attempts < 6 ? min(.seconds(1 << (attempts - 1)), .seconds(20)) : .seconds(20)
            for _ in 0..<20 {
                let delay = policy.delay(after: attempts, ClientError(.interrupted, ""))
                #expect(delay.map { $0 >= .zero && $0 <= most } == true)
            }
        }
    }

    @Test func waitsForAsLongAsTheServerAsks() {
        let busy = ClientError(.busy, "", retryAfter: .seconds(30))
        #expect(policy.delay(after: 1, busy).map { $0 >= .seconds(30) && $0 <= .seconds(31) } == true)
        #expect(policy.delay(after: 1, ClientError(.busy, "", retryAfter: .seconds(600))) == nil)
    }

    @Test(arguments: [ClientError.Code.notFound, .forbidden, .damaged, .conflict, .cancelled, .certificate])
    func whatCannotSucceedIsNotTriedAgain(_ code: ClientError.Code) {
        #expect(policy.delay(after: 1, ClientError(code, "")) == nil)
    }

    @Test func endsAfterTheLastAttempt() {
        #expect(RetryPolicy.never.delay(after: 1, ClientError(.busy, "")) == nil)
        #expect(RetryPolicy(maxAttempts: 2).delay(after: 2, ClientError(.busy, "")) == nil)
    }
}
