// zlib, of which only the checksum is used. No logic.
#ifndef FUNDMAIL_CZLIB_SHIM_H
#define FUNDMAIL_CZLIB_SHIM_H

#include <zlib.h>

#endif
