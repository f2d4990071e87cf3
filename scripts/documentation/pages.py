"""The pages of the site: which document becomes which page, and under which heading the list of pages has it."""

# Group, and its pages: source, name of the page, title in the list.
GROUPS = [
    ("Fundmail", [
        ("README.md", "index", "What it is"),
        ("docs/compared.md", "compared", "Beside others"),
        ("CHANGELOG.md", "changelog", "What changed"),
    ]),
    ("Use", [
        ("docs/mailing.md", "mailing", "Mailing and reading"),
        ("docs/administering.md", "administering", "Administering"),
    ]),
    ("Run", [
        ("docs/install.md", "install", "Installing"),
        ("docs/operating.md", "operating", "Operating"),
        ("scripts/bench/README.md", "benchmarks", "How fast it is"),
    ]),
    ("Programs", [
        ("docs/programs.md", "programs", "Apps and programs"),
        ("docs/web-api.md", "web-api", "Web API"),
        ("Sources/FundServer/Web/openapi.yaml", "operations", "Operations of the web API"),
        ("Fixtures/help/fund.txt", "fund", "The command fund"),
    ]),
    ("Trust", [
        ("SECURITY.md", "security", "Security"),
        ("docs/threat-model.md", "threat-model", "Threat model"),
        ("SUPPORT.md", "support", "Support"),
        ("THIRD-PARTY.md", "third-party", "What it links"),
    ]),
    ("Change it", [
        ("CONTRIBUTING.md", "contributing", "Contributing"),
        ("ARCHITECTURE.md", "architecture", "Architecture"),
        ("scripts/README.md", "scripts", "Scripts"),
        ("Fixtures/README.md", "fixtures", "Fixtures"),
        ("CODE_OF_CONDUCT.md", "conduct", "How we talk"),
    ]),
]

# The list of documents in the repository: the site has one on each page.
LEFT_OUT = {"docs/README.md": "index"}

PAGES = [page for _, pages in GROUPS for page in pages]
# Page of a document.
NAMES = {source: name for source, name, _ in PAGES} | LEFT_OUT
