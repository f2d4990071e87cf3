package import FundCore

/// How contents are looked through for malware.
package struct ScanSettings: Sendable {
    package var scanner: any ContentScanner
    package var quarantine: any QuarantineRegister

    package init(scanner: any ContentScanner, quarantine: any QuarantineRegister) {
        self.scanner = scanner
        self.quarantine = quarantine
    }
}
