import FundCore
import Testing

struct KeyedMutexTests {
    @Test
    func letsOneAfterTheOtherWork() async {
        let mutex = KeyedMutex<Int>()
        let meter = Meter()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<50 {
                group.addTask {
                    try? await mutex.withLock(for: 1) {
                        await meter.enter()
                        await Task.yield()
                        await meter.leave()
                        // Work that fails is over, too.
                        if index.isMultiple(of: 2) { throw CancellationError() }
                    }
                }
            }
        }
        #expect(await meter.most == 1)
        #expect(await meter.done == 50)
    }

    @Test
    func keepsKeysApart() async {
        let mutex = KeyedMutex<Int>()
        let isDone = await mutex.withLock(for: 1) { await mutex.withLock(for: 2) { true } }
        #expect(isDone)
    }

    private actor Meter {
        private var inside = 0
        private(set) var most = 0
        private(set) var done = 0

        func enter() {
            inside += 1
            most = max(most, inside)
        }

        func leave() {
            inside -= 1
            done += 1
        }
    }
}
