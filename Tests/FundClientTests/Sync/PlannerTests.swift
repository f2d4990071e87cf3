import Testing

@testable import FundClient

/// Plans for three trees. A tree is a list of paths: `F/` is a folder, `F/a=1` a file with the bytes
/// `1`, `F/b=1<F/a` the file that the base knows as `F/a` (by its inode here, by its id there).
@Suite struct PlannerTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var base: [String] = []
        var here: [String]
        var there: [String]
        var plan: [String]
        var direction = FolderSync.Direction.both
        /// The folders at the top are funds.
        var topIsFunds = true
        /// Something waits for what stays as it is.
        var isStuck = false

        var testDescription: String { name }
    }

    static let both = ["F/", "F/a=1"]
    static let conflict = "a (conflict, ann, 2026-11-21)"

    static let cases: [Case] = [
        // One side changed.
        Case(name: "nothing", base: both, here: both, there: both, plan: []),
        Case(name: "new here", base: ["F/"], here: both, there: ["F/"], plan: ["upload F/a"]),
        Case(name: "new there", base: ["F/"], here: ["F/"], there: both, plan: ["download F/a"]),
        Case(name: "changed here", base: both, here: ["F/", "F/a=2"], there: both, plan: ["update-there F/a"]),
        Case(name: "changed there", base: both, here: both, there: ["F/", "F/a=2"], plan: ["update-here F/a"]),
        Case(name: "deleted here", base: both, here: ["F/"], there: both, plan: ["delete-there F/a"]),
        Case(name: "deleted there", base: both, here: both, there: ["F/"], plan: ["delete-here F/a"]),
        Case(name: "renamed here", base: both, here: ["F/", "F/b=1<F/a"], there: both, plan: ["move-there F/a > F/b"]),
        Case(name: "renamed there", base: both, here: both, there: ["F/", "F/b=1<F/a"], plan: ["move-here F/a > F/b"]),
        Case(
            name: "letter case changed here", base: both, here: ["F/", "F/A=1<F/a"], there: both,
            plan: ["move-there F/a > F/A"]),
        Case(
            name: "renamed and changed there", base: both, here: both, there: ["F/", "F/b=2<F/a"],
            plan: ["move-here F/a > F/b", "update-here F/b"]),
        Case(
            name: "an editor put a new file in its place", base: both, here: ["F/", "F/a=2<new"], there: both,
            plan: ["update-there F/a"]),
        Case(
            name: "an editor kept the old one beside it", base: both, here: ["F/", "F/a=2<new", "F/a~=1<F/a"],
            there: both,
            plan: ["update-there F/a", "upload F/a~"]),
        Case(
            name: "a program deleted it there and stored it again", base: both, here: both, there: ["F/", "F/a=2<new"],
            plan: ["update-here F/a"]),
        // First time.
        Case(name: "equal on both sides already", here: both, there: both, plan: []),
        Case(
            name: "two files of one name at first", here: ["F/", "F/a=1"], there: ["F/", "F/a=2"],
            plan: ["conflict F/a > F/\(conflict)", "download F/a"]),
        Case(
            name: "other letter case at first", here: ["F/", "F/A=1"], there: ["F/", "F/a=1"],
            plan: ["move-here F/A > F/a"]),
        Case(name: "other form of Unicode", here: ["F/", "F/e\u{301}=1"], there: ["F/", "F/\u{E9}=1"], plan: []),
        Case(
            name: "sent before a kill, and renamed then", base: both, here: ["F/", "F/b=2<F/a"],
            there: ["F/", "F/a=2"], plan: ["move-there F/a > F/b"]),
        Case(
            name: "replaced and sent before a kill, and renamed then", base: both, here: ["F/", "F/b=2<new"],
            there: ["F/", "F/a=2"], plan: ["move-there F/a > F/b"]),
        // Both sides changed.
        Case(
            name: "changed on both sides", base: both, here: ["F/", "F/a=2"], there: ["F/", "F/a=3"],
            plan: ["conflict F/a > F/\(conflict)", "download F/a"]),
        Case(
            name: "changed alike on both sides", base: both, here: ["F/", "F/a=2"], there: ["F/", "F/a=2"], plan: []),
        Case(name: "deleted on both sides", base: both, here: ["F/"], there: ["F/"], plan: []),
        Case(
            name: "deleted here, changed there", base: both, here: ["F/"], there: ["F/", "F/a=2"],
            plan: ["download F/a"]),
        Case(
            name: "changed here, deleted there", base: both, here: ["F/", "F/a=2"], there: ["F/"],
            plan: ["upload F/a"]),
        Case(
            name: "renamed otherwise on both sides", base: both, here: ["F/", "F/b=1<F/a"], there: ["F/", "F/c=1<F/a"],
            plan: ["move-here F/b > F/c"]),
        Case(
            name: "renamed here, changed there", base: both, here: ["F/", "F/b=1<F/a"], there: ["F/", "F/a=2"],
            plan: ["move-there F/a > F/b", "update-here F/b"]),
        Case(
            name: "two folders moved into each other, and the one above deleted here",
            base: ["F/", "F/e/", "G/", "G/x/", "G/x/d/"], here: ["F/", "F/e/", "F/e/d/<G/x/d", "G/"],
            there: ["F/", "G/", "G/x/", "G/x/d/", "G/x/d/e/<F/e"],
            plan: ["make-folder-here G/x", "move-here F/e/d > G/x/d", "move-here F/e > G/x/d/e"]),
        Case(
            name: "two files that are to have one name", base: ["F/", "F/a=1", "F/b=2"],
            here: ["F/", "F/c=1<F/a", "F/b=2"], there: ["F/", "F/a=1", "F/c=2<F/b"],
            plan: ["conflict F/c > F/c (conflict, ann, 2026-11-21)", "move-here F/b > F/c"]),
        Case(
            name: "a new one here has the name that another gets there", base: both, here: ["F/", "F/a=1", "F/b=5"],
            there: ["F/", "F/b=1<F/a"],
            plan: ["conflict F/b > F/b (conflict, ann, 2026-11-21)", "move-here F/a > F/b"]),
        Case(
            name: "two names here that are one there", base: ["F/"], here: ["F/", "F/A=2", "F/a=1"], there: ["F/"],
            plan: ["conflict F/a > F/\(conflict)", "upload F/A"]),
        // Names that change places.
        Case(
            name: "exchanged here", base: ["F/", "F/a=1", "F/b=2"], here: ["F/", "F/b=1<F/a", "F/a=2<F/b"],
            there: ["F/", "F/a=1", "F/b=2"], plan: ["move-there F/a > F/b", "move-there F/b > F/a"]),
        Case(
            name: "exchanged there", base: ["F/", "F/a=1", "F/b=2"], here: ["F/", "F/a=1", "F/b=2"],
            there: ["F/", "F/b=1<F/a", "F/a=2<F/b"], plan: ["move-here F/a > F/b", "move-here F/b > F/a"]),
        Case(
            name: "a folder in place of a file", base: both, here: ["F/", "F/a/", "F/a/b=2"], there: both,
            plan: ["delete-there F/a", "make-folder-there F/a", "upload F/a/b"]),
        Case(
            name: "a file in place of a folder", base: ["F/", "F/a/", "F/a/b=2"], here: ["F/", "F/a/", "F/a/b=2"],
            there: ["F/", "F/a=1"], plan: ["delete-here F/a/b", "delete-here F/a", "download F/a"]),
        // Folders.
        Case(
            name: "a folder renamed here", base: ["F/", "F/d/", "F/d/a=1"], here: ["F/", "F/e/<F/d", "F/e/a=1<F/d/a"],
            there: ["F/", "F/d/", "F/d/a=1"], plan: ["move-there F/d > F/e"]),
        Case(
            name: "a folder renamed there, a file in it changed here", base: ["F/", "F/d/", "F/d/a=1"],
            here: ["F/", "F/d/", "F/d/a=2"], there: ["F/", "F/e/<F/d", "F/e/a=1<F/d/a"],
            plan: ["move-here F/d > F/e", "update-there F/e/a"]),
        Case(
            name: "a folder deleted there in which a file is new here", base: ["F/", "F/d/", "F/d/a=1"],
            here: ["F/", "F/d/", "F/d/a=1", "F/d/b=2"], there: ["F/"],
            plan: ["make-folder-there F/d", "delete-here F/d/a", "upload F/d/b"]),
        Case(
            name: "a folder deleted here in which a file changed there", base: ["F/", "F/d/", "F/d/a=1", "F/d/b=2"],
            here: ["F/"], there: ["F/", "F/d/", "F/d/a=1", "F/d/b=3"],
            plan: ["make-folder-here F/d", "delete-there F/d/a", "download F/d/b"]),
        Case(
            name: "a folder deleted here", base: ["F/", "F/d/", "F/d/a=1", "F/x=9", "F/y=9", "F/z=9"],
            here: ["F/", "F/x=9", "F/y=9", "F/z=9"], there: ["F/", "F/d/", "F/d/a=1", "F/x=9", "F/y=9", "F/z=9"],
            plan: ["delete-there F/d"]),
        Case(
            name: "a file taken out of a folder that goes", base: ["F/", "F/d/", "F/d/a=1"],
            here: ["F/", "F/a=1<F/d/a"],
            there: ["F/", "F/d/", "F/d/a=1"], plan: ["move-there F/d/a > F/a", "delete-there F/d"]),
        Case(
            name: "two folders moved into each other", base: ["F/", "F/d/", "F/e/"],
            here: ["F/", "F/d/", "F/d/e/<F/e"],
            there: ["F/", "F/e/", "F/e/d/<F/d"], plan: ["move-here F/d/e > F/e", "move-here F/d > F/e/d"]),
        // A folder that goes has a name until what is moved out of it has gone, and that waits for the name.
        Case(
            name: "taken here out of a folder that goes, into its name", base: ["F/", "F/B/", "F/B/f/", "F/B/f/x=1"],
            here: ["F/", "F/b/<F/B/f", "F/b/x=1<F/B/f/x"], there: ["F/", "F/B/", "F/B/f/", "F/B/f/x=1"],
            plan: ["move-there F/B/f > F/b", "delete-there F/B"]),
        Case(
            name: "taken there out of a folder that goes, into its name", base: ["F/", "F/B/", "F/B/f/", "F/B/f/x=1"],
            here: ["F/", "F/B/", "F/B/f/", "F/B/f/x=1"], there: ["F/", "F/b/<F/B/f", "F/b/x=1<F/B/f/x"],
            plan: ["move-here F/B/f > F/b", "delete-here F/B"]),
        Case(
            name: "taken here into a new folder of its name", base: ["F/", "F/B/", "F/B/f/", "F/B/x=1"],
            here: ["F/", "F/b/", "F/b/f/<F/B/f", "F/b/x=1<F/B/x"], there: ["F/", "F/B/", "F/B/f/", "F/B/x=1"],
            plan: [
                "make-folder-there F/b", "move-there F/B/f > F/b/f", "move-there F/B/x > F/b/x", "delete-there F/B",
            ]),
        Case(
            name: "taken here out of two folders that go", base: ["F/", "F/B/", "F/B/C/", "F/B/C/f/"],
            here: ["F/", "F/b/", "F/b/c/", "F/b/c/f/<F/B/C/f"], there: ["F/", "F/B/", "F/B/C/", "F/B/C/f/"],
            plan: [
                "make-folder-there F/b", "make-folder-there F/b/c", "move-there F/B/C/f > F/b/c/f", "delete-there F/B",
            ]),
        Case(
            name: "taken there out of a fund that goes, into another of its name", base: ["B/", "B/f/"],
            here: ["B/", "B/f/"], there: ["b/", "b/f/<B/f"],
            plan: ["make-folder-here b", "move-here B/f > b/f", "delete-here B"]),
        // A file that stays in the way is named, and nothing goes out of the way for it.
        Case(
            name: "up: taken out of a folder in which something new there stays", base: ["F/", "F/B/", "F/B/f/"],
            here: ["F/", "F/b/<F/B/f"], there: ["F/", "F/B/", "F/B/f/", "F/B/n=1"], plan: [], direction: .up,
            isStuck: true),
        Case(
            name: "down: taken out of a folder in which something new here stays", base: ["F/", "F/B/", "F/B/f/"],
            here: ["F/", "F/B/", "F/B/f/", "F/B/n=1"], there: ["F/", "F/b/<F/B/f"], plan: [], direction: .down,
            isStuck: true),
        Case(
            name: "up: a chain of names that ends at what stays there", base: ["F/", "F/x=1", "F/y=2"],
            here: ["F/", "F/y=1<F/x", "F/z=2<F/y"], there: ["F/", "F/x=1", "F/y=2", "F/z=9"], plan: [],
            direction: .up, isStuck: true),
        Case(
            name: "up: the name is taken there", base: both, here: ["F/", "F/b=1<F/a"],
            there: ["F/", "F/a=1", "F/b=9"], plan: [], direction: .up, isStuck: true),
        Case(
            name: "down: a folder stays where a file is to come", base: ["F/", "F/d/"],
            here: ["F/", "F/d/", "F/d/n=2"], there: ["F/", "F/d=1"], plan: [], direction: .down, isStuck: true),
        Case(
            name: "a stray file has the name that a fund got there", base: ["F/"], here: ["F/", "G=1"],
            there: ["G/<F"], plan: [], isStuck: true),
        Case(
            name: "down: what is new here has the name that another got there", base: both,
            here: ["F/", "F/a=1", "F/b=5"], there: ["F/", "F/b=1<F/a"], plan: [], direction: .down,
            isStuck: true),
        Case(
            name: "two folders here that are one there", base: ["F/"],
            here: ["F/", "F/A/", "F/A/x=1", "F/a/", "F/a/y=2"], there: ["F/"],
            plan: ["conflict F/a > F/\(conflict)", "make-folder-there F/A", "upload F/A/x"]),
        // A killed run had moved it out of the way.
        Case(
            name: "goes on with an exchange at the top of one fund", base: ["a=1", "b=2"],
            here: ["b=1<a", "a=2<b"], there: ["a=1", ".fund-passing-1=2<b"],
            plan: ["move-there a > b", "move-there .fund-passing-1 > a"], topIsFunds: false),
        // Funds.
        Case(name: "a new folder at the top is a fund", here: ["F/"], there: [], plan: ["make-folder-there F"]),
        Case(name: "a file at the top is left alone", here: ["a=1"], there: [], plan: []),
        Case(
            name: "a fund is not deleted from here", base: ["F/"], here: [], there: ["F/"], plan: ["make-folder-here F"]
        ),
        Case(name: "a fund deleted there", base: ["F/"], here: ["F/"], there: [], plan: ["delete-here F"]),
        // One way.
        Case(
            name: "down: new here stays here", base: ["F/"], here: ["F/", "F/b=2"], there: both, plan: ["download F/a"],
            direction: .down),
        Case(
            name: "down: deleted here comes again", base: both, here: ["F/"], there: both, plan: ["download F/a"],
            direction: .down),
        Case(
            name: "down: changed here stays", base: both, here: ["F/", "F/a=2"], there: both, plan: [],
            direction: .down),
        Case(
            name: "down: changed on both sides", base: both, here: ["F/", "F/a=2"], there: ["F/", "F/a=3"],
            plan: ["conflict F/a > F/\(conflict)", "download F/a"], direction: .down),
        Case(
            name: "up: new there stays there", base: ["F/"], here: both, there: ["F/", "F/b=2"], plan: ["upload F/a"],
            direction: .up),
        Case(
            name: "up: changed on both sides", base: both, here: ["F/", "F/a=2"], there: ["F/", "F/a=3"],
            plan: ["update-there F/a"], direction: .up),
        Case(
            name: "up: deleted there comes again", base: both, here: both, there: ["F/"], plan: ["upload F/a"],
            direction: .up),
        Case(
            name: "up: deleted here", base: both, here: ["F/"], there: both, plan: ["delete-there F/a"],
            direction: .up),
        Case(
            name: "up: changed here, moved there into a new folder", base: both, here: ["F/", "F/a=2"],
            there: ["F/", "F/M/", "F/M/a=1<F/a"], plan: ["update-there F/M/a"], direction: .up),
        Case(
            name: "down: changed there, moved here into a new folder", base: both,
            here: ["F/", "F/N/", "F/N/a=1<F/a"], there: ["F/", "F/a=2"], plan: ["update-here F/N/a"],
            direction: .down),
    ]

    @Test(arguments: cases) func plans(_ example: Case) {
        let trees = ExampleTrees(base: example.base, here: example.here, there: example.there)
        var options = PlanOptions()
        (options.user, options.day, options.direction) = ("ann", "2026-11-21", example.direction)
        options.topIsFunds = example.topIsFunds
        let plan = Planner.plan(base: trees.base, local: trees.local, remote: trees.remote, options: options)
        let words = plan.actions(trees.local).map { action in
            "\(action.verb.rawValue) \(action.path)" + (action.newPath.map { " > \($0)" } ?? "")
        }
        #expect(words.sorted() == example.plan.sorted())
        #expect(plan.isStuck == example.isStuck)
        #expect(!plan.isStuck || !plan.notices.isEmpty)
    }

    @Test(arguments: [
        (files: 3, gone: 3, asks: false), (12, 4, false), (12, 5, true), (1000, 100, false), (1000, 101, true),
    ])
    func asksBeforeManyDeletes(_ example: (files: Int, gone: Int, asks: Bool)) {
        let names = (0..<example.files).map { "F/\($0)=\($0)" }
        for isHere in [true, false] {
            let left = ["F/"] + names.dropFirst(example.gone)
            let trees = ExampleTrees(
                base: ["F/"] + names, here: isHere ? left : ["F/"] + names, there: isHere ? ["F/"] + names : left)
            let plan = Planner.plan(base: trees.base, local: trees.local, remote: trees.remote, options: PlanOptions())
            #expect((plan.heldDeletes != nil) == example.asks)
            #expect(plan.operations.count == (example.asks ? 0 : example.gone))
            var options = PlanOptions()
            options.mayDeleteMany = true
            let meant = Planner.plan(base: trees.base, local: trees.local, remote: trees.remote, options: options)
            #expect(meant.operations.count == example.gone)
        }
    }

    /// A thing that cannot be read or changed a moment ago is left alone on both sides, with all that lies below it.
    @Test func leavesAloneWhatIsHeld() {
        for hold in [LocalNode.Hold.unsettled, .refused("a link"), .unreadable("no right to it")] {
            var trees = ExampleTrees(base: ["F/", "F/a=1"], here: ["F/", "F/a=1"], there: ["F/", "F/a=2"])
            trees.local.nodes[1].hold = hold
            trees.local.nodes[1].digest = nil
            let plan = Planner.plan(base: trees.base, local: trees.local, remote: trees.remote, options: PlanOptions())
            #expect(plan.operations.isEmpty)
        }
        var trees = ExampleTrees(
            base: ["F/", "F/d/", "F/d/a=1"], here: ["F/", "F/d/"], there: ["F/", "F/d/", "F/d/a=1", "F/d/b=2"])
        trees.local.nodes[1].hold = .unreadable("cannot be read")
        let plan = Planner.plan(base: trees.base, local: trees.local, remote: trees.remote, options: PlanOptions())
        #expect(plan.operations.isEmpty)
        #expect(plan.notices == [SyncNotice(path: "F/d", reason: "cannot be read")])
        // It is not known whether both sides have the same.
        #expect(plan.isStuck)
    }

    /// The server would not take it under that name: it has what is left alone here.
    @Test func aNewFileMakesRoomForWhatTheServerHas() {
        var trees = ExampleTrees(base: Self.both, here: ["F/", "F/a=1", "F/A=2"], there: Self.both)
        trees.local.nodes[1].hold = .refused("a link")
        let plan = Planner.plan(base: trees.base, local: trees.local, remote: trees.remote, options: PlanOptions())
        #expect(plan.actions(trees.local).map(\.verb) == [.conflict])
    }

    /// It may have been moved to where nothing can be read.
    @Test func deletesNothingThereWhileSomethingCannotBeRead() {
        var trees = ExampleTrees(
            base: ["F/", "F/d/", "F/d/a=1", "F/e/"], here: ["F/", "F/e/"], there: ["F/", "F/d/", "F/d/a=1", "F/e/"])
        trees.local.nodes[1].hold = .unreadable("no right to it")
        let plan = Planner.plan(base: trees.base, local: trees.local, remote: trees.remote, options: PlanOptions())
        #expect(plan.operations.isEmpty && plan.isStuck)
        #expect(plan.notices.map(\.path).sorted() == ["F/d", "F/e"])
    }

    /// A link or a file that is still written is no reason to call something else otherwise.
    @Test func whatIsInStepKeepsItsName() {
        for hold in [LocalNode.Hold.unsettled, .refused("a link")] {
            var trees = ExampleTrees(base: Self.both, here: ["F/", "F/a=1", "F/A=2"], there: Self.both)
            trees.local.nodes[2].hold = hold
            let plan = Planner.plan(base: trees.base, local: trees.local, remote: trees.remote, options: PlanOptions())
            #expect(plan.operations.isEmpty)
            // A new file goes up under its own name, too.
            trees.base.removeLast()
            trees.remote.nodes.removeLast()
            let first = Planner.plan(base: trees.base, local: trees.local, remote: trees.remote, options: PlanOptions())
            #expect(first.actions(trees.local).map(\.verb) == [.upload])
        }
    }

    @Test(arguments: ["a/b", "..", ".", "", "a\u{0}b", String(repeating: "x", count: 256)])
    func leavesAloneWhatNoFileSystemHolds(_ name: String) {
        let fund = RemoteNode(key: RemoteKey(kind: .fund, id: 1), parent: nil, name: "F")
        let file = RemoteNode(
            key: RemoteKey(kind: .file, id: 2), parent: fund.key, name: name, digest: ModelServer.digest([1]), size: 1)
        let plan = Planner.plan(
            base: [], local: LocalTree(), remote: RemoteTree(nodes: [fund, file]), options: PlanOptions())
        #expect(plan.operations == [.makeLocal(0)])
        #expect(plan.notices.count == 1)
    }

    @Test(arguments: ["a\u{202E}fdp.exe", "a\nb", "\u{200B}"]) func leavesAloneWhatTheServerRefuses(_ name: String) {
        let trees = ExampleTrees(base: ["F/"], here: ["F/", "F/\(name)=1"], there: ["F/"])
        let plan = Planner.plan(base: trees.base, local: trees.local, remote: trees.remote, options: PlanOptions())
        #expect(plan.operations.isEmpty)
        #expect(plan.notices.count == 1)
    }

    @Test func namesConflictsWithinTheLimits() {
        let long = String(repeating: "é", count: 126) + ".pdf"
        let name = SyncName.conflict(long, by: "ann", on: "2026-11-21") { _ in false }
        #expect(name.utf8.count <= SyncName.maxBytes)
        #expect(name.hasSuffix(" (conflict, ann, 2026-11-21).pdf"))
        let second = SyncName.conflict("report.pdf", by: "ann", on: "2026-11-21") { !$0.contains(", 2)") }
        #expect(second == "report (conflict, ann, 2026-11-21, 2).pdf")
    }
}
