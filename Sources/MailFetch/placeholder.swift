import Ingest
