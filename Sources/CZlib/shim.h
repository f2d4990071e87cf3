// zlib, of which checksums are used, and what unpacks and packs. No logic.
#ifndef FUNDMAIL_CZLIB_SHIM_H
#define FUNDMAIL_CZLIB_SHIM_H

#include <zlib.h>

#endif
