import CGMime
import CLinux
