package import FundCore

/// Bounds of one transfer, whatever the store of its drive sends.
package struct TransferLimits: Sendable {
    /// Bytes of a file that is pulled: as many as an upload may have.
    package var maxFileBytes: Int64
    /// Files and folders that a pull finds in all: each file leaves a row, and a store may invent names without end.
    package var maxEntries = 1_000_000
    /// Bytes in memory of the paths of folders that a pull has found and not listed yet.
    package var maxFolderBytes = 64 << 20
    /// The least pace of a transfer, whose steps count as `DrivePace.leastBytes` each: a slower one is put off, so that
    /// others have its place. Longer than the attempts at one file of a store that is silent. It does not count while
    /// a folder is listed, which may take longer.
    package var pace = DrivePace(silentSeconds: 240)

    package init(maxFileBytes: Int64) { self.maxFileBytes = maxFileBytes }
}
