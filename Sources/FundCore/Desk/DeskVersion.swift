/// At which point of its history the desk is.
package struct DeskVersion: Sendable, Hashable {
    package var lastMessage: Int64
    package var lastStep: Int64
    package var openCount: Int

    package init(lastMessage: Int64, lastStep: Int64, openCount: Int) {
        self.lastMessage = lastMessage
        self.lastStep = lastStep
        self.openCount = openCount
    }
}
