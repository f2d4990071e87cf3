// libzstd: one frame at a time. No logic.
#ifndef FUNDMAIL_CZSTD_SHIM_H
#define FUNDMAIL_CZSTD_SHIM_H

#include <zstd.h>

#endif
