import GRDB
import Ingest
