import FundCore
import FundPreview
import FundStore
import Terminal

/// The check-up of previews: which files this machine can show, and what it lacks.
enum PreviewCheckup {
    /// Uses of each program, in words for an administrator.
    private static let uses: [String: String] = [
        "pdftoppm": "PDF", "cwebp": "PDF", "vipsthumbnail": "pictures", "rsvg-convert": "SVG",
        "ffmpeg": "audio and video", "soffice": "office documents", "tesseract": "words in scans",
        "w3m": "the text of HTML", "catdoc": "the text of old office documents",
        "bsdtar": "the text of office documents and the names in archives",
        "bwrap": "the better sandbox",
    ]

    static func findings(_ configuration: Configuration) async -> DoctorFindings {
        var findings = DoctorFindings()
        guard let previews = configuration.previews else {
            findings.ok(.previews, "off")
            if configuration.scan != nil {
                findings.warn(.scan, "files are scanned only where previews are made: take `previews: off` away")
            }
            return findings
        }
        await checkScanner(configuration, &findings)
        let converter = PreviewConverter.make(previews, maxJobs: 1)
        do {
            let abilities = try await converter.abilities()
            report(abilities, previews.recognition, &findings)
            if abilities.sandbox != .none { RecognitionCheckup.report(abilities, previews.recognition, &findings) }
        } catch {
            findings.warn(.previews, "none are made: \(error)")
        }
        await converter.shutdown()
        return findings
    }

    /// Checks for files that the scanner could not look at so far.
    static func checkFailedScans(_ store: FundStore, _ findings: inout DoctorFindings) async throws {
        let failed = try await store.previews.failedScans(limit: FailedScan.maxCounted)
        guard let latest = failed.first else { return }
        let count = failed.count < FailedScan.maxCounted ? "\(failed.count)" : "\(failed.count) or more"
        let files = failed.count == 1 ? "1 file" : "\(count) files"
        findings.warn(
            .scan,
            "\(files) could not be scanned; the latest: \(TerminalText.clean(latest.problem)). "
                + "`fundmail quarantine list` names them, `fundmail preview retry` has them tried again")
    }

    /// Has it look at a file that every scanner knows as malware.
    private static func checkScanner(_ configuration: Configuration, _ findings: inout DoctorFindings) async {
        guard let scan = configuration.scan else { return }
        let scanner = ClamScanner(socket: scan.socket, scanTimeout: .seconds(scan.limitSeconds))
        guard let signatures = await scanner.signatures() else {
            let effect = scan.holdsUnscanned ? " New files are held back until it does." : ""
            return findings.fail(
                .scan,
                CommandError(
                    .unavailable, "clamd does not answer at \(scan.socket): is clamav-daemon running?\(effect)"))
        }
        let eicar = ScannerProbe.testFile
        switch await scanner.verdict(of: eicar) {
        case .infected: break
        case .unscanned(let problem): return findings.warn(.scan, "clamd gives no verdict: \(problem)")
        case .clean, .limit, .encrypted:
            return findings.warn(
                .scan, "clamd does not find the test file EICAR: \(signatures.text); has it signatures?")
        }
        // To look into an archive it writes what is in it to its temporary folder; where it cannot, it says `OK`.
        if let problem = await scanner.archiveProblem() { return findings.warn(.scan, problem) }
        await checkLimits(scanner, signatures, &findings)
    }

    /// Whether it says of what it did not look into: here of a file in more archives than it opens (`MaxRecursion`).
    private static func checkLimits(
        _ scanner: ClamScanner, _ signatures: ScannerSignatures, _ findings: inout DoctorFindings
    ) async {
        var nested = Array("nothing".utf8)
        for _ in 0..<nestedArchives { nested = StoredZip.of(nested, named: "a.zip") }
        guard case .clean = await scanner.verdict(of: nested) else { return findings.ok(.scan, signatures.text) }
        findings.warn(
            .scan,
            "clamd says OK of what it does not look into: set `AlertExceedsMax yes` in clamd.conf (docs/operating.md)")
    }

    /// More than libclamav allows to be opened.
    private static let nestedArchives = 110

    private static func report(
        _ abilities: ConverterAbilities, _ recognition: RecognitionSettings?, _ findings: inout DoctorFindings
    ) {
        let problem = abilities.sandboxProblem.map { ": \($0)" } ?? ""
        switch abilities.sandbox {
        case .none: return findings.warn(.previews, "none are made, since converters cannot be confined\(problem)")
        case .namespaces: break
        case .landlock: findings.ok(.previews, "converters are confined by Landlock and seccomp alone\(problem)")
        }
        let missing = abilities.tools.filter {
            $0.version == nil && (recognition != nil || $0.name != RecognitionCheckup.tool)
        }
        let there = abilities.tools.filter { $0.version != nil }.map(\.name)
        findings.ok(.previews, there.isEmpty ? "no converter is installed" : "by \(there.joined(separator: ", "))")
        guard !missing.isEmpty else { return }
        var lacks: [String] = []
        for tool in missing { if let use = uses[tool.name], !lacks.contains(use) { lacks.append(use) } }
        let packages = Set(missing.map(\.debianPackage)).sorted().joined(separator: " ")
        findings.warn(
            .previews, "missing: \(lacks.joined(separator: ", ")); for those: sudo apt install \(packages)")
    }
}
