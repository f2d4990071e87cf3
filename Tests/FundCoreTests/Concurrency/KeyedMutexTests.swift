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

    /// Tasks that want the same keys, each in another order, never wait for each other in a circle, and have them
    /// alone.
    @Test
    func locksSeveralKeysInOneOrder() async {
        let mutex = KeyedMutex<Int>()
        let meters = (0..<4).map { _ in Meter() }
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<100 {
                // Sets with the same keys are iterated over in different orders.
                let keys = Set((0..<(1 + index % 3)).map { (index * 7 + $0 * 3) % 4 })
                group.addTask {
                    await mutex.withLocks(for: keys) {
                        for key in keys { await meters[key].enter() }
                        await Task.yield()
                        for key in keys { await meters[key].leave() }
                    }
                }
            }
        }
        for (key, meter) in meters.enumerated() {
            #expect(await meter.most == 1)
            #expect(await meter.done > 25)
            #expect(mutex.waitingCount(for: key) == 0)
        }
    }

    @Test
    func holdsTheLowerKeysWhileItWaits() async {
        let mutex = KeyedMutex<Int>()
        await withTaskGroup(of: Void.self) { group in
            await mutex.withLock(for: 2) {
                group.addTask { await mutex.withLocks(for: [3, 2, 1]) {} }
                while mutex.waitingCount(for: 2) == 0 { await Task.yield() }
                group.addTask { await mutex.withLock(for: 1) {} }
                while mutex.waitingCount(for: 1) == 0 { await Task.yield() }
                await mutex.withLock(for: 3) {}
            }
        }
        #expect((1...3).allSatisfy { mutex.waitingCount(for: $0) == 0 })
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
