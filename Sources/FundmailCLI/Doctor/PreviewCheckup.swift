import FundCore
import FundPreview

/// What `doctor` says of previews: what this machine can show, and what it lacks.
enum PreviewCheckup {
    /// What is missing without a program, in words for an administrator.
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
            findings.ok("previews", "off")
            if configuration.scan != nil {
                findings.warn("scan", "files are scanned only where previews are made: take `previews: off` away")
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
            findings.warn("previews", "none are made: \(error)")
        }
        await converter.shutdown()
        return findings
    }

    /// Has it look at a file that every scanner knows as malware (https://www.eicar.org/download-anti-malware-testfile/).
    private static func checkScanner(_ configuration: Configuration, _ findings: inout DoctorFindings) async {
        guard let scan = configuration.scan else { return }
        let scanner = ClamScanner(socket: scan.socket)
        guard let signatures = await scanner.signatures() else {
            let effect = scan.holdsUnscanned ? " New files are held back until it does." : ""
            return findings.fail(
                "scan",
                CommandError(
                    .unavailable, "clamd does not answer at \(scan.socket): is clamav-daemon running?\(effect)"))
        }
        let parts = [#"X5O!P%@AP[4\PZX54(P^)7CC)7}$"#, "EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"]
        let eicar = Array(parts.joined().utf8)
        switch await scanner.verdict(of: eicar) {
        case .infected: break
        case .unscanned(let problem): return findings.warn("scan", "clamd gives no verdict: \(problem)")
        case .clean, .limit, .encrypted:
            return findings.warn(
                "scan", "clamd does not find the test file EICAR: \(signatures.text); has it signatures?")
        }
        // To look into an archive it writes what is in it to its temporary folder; where it cannot, it says `OK`.
        switch await scanner.verdict(of: StoredZip.of(eicar, named: "eicar.com")) {
        case .infected: findings.ok("scan", signatures.text)
        case .unscanned(let problem): findings.warn("scan", "clamd gives no verdict of a zip file: \(problem)")
        case .clean, .limit, .encrypted:
            findings.warn(
                "scan",
                "clamd finds the test file EICAR, but not in a zip file: is its TemporaryDirectory there, and not full?"
            )
        }
    }

    private static func report(
        _ abilities: ConverterAbilities, _ recognition: RecognitionSettings?, _ findings: inout DoctorFindings
    ) {
        let problem = abilities.sandboxProblem.map { ": \($0)" } ?? ""
        switch abilities.sandbox {
        case .none: return findings.warn("previews", "none are made, since converters cannot be confined\(problem)")
        case .namespaces: break
        case .landlock: findings.ok("previews", "converters are confined by Landlock and seccomp alone\(problem)")
        }
        let missing = abilities.tools.filter {
            $0.version == nil && (recognition != nil || $0.name != RecognitionCheckup.tool)
        }
        let there = abilities.tools.filter { $0.version != nil }.map(\.name)
        findings.ok("previews", there.isEmpty ? "no converter is installed" : "by \(there.joined(separator: ", "))")
        guard !missing.isEmpty else { return }
        var lacks: [String] = []
        for tool in missing { if let use = uses[tool.name], !lacks.contains(use) { lacks.append(use) } }
        let packages = Set(missing.map(\.debianPackage)).sorted().joined(separator: " ")
        findings.warn(
            "previews", "missing: \(lacks.joined(separator: ", ")); for those: sudo apt install \(packages)")
    }
}
