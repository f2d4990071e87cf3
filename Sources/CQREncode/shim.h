// libqrencode, which makes QR codes (ISO/IEC 18004). No logic.
#ifndef FUNDMAIL_CQRENCODE_SHIM_H
#define FUNDMAIL_CQRENCODE_SHIM_H

#include <qrencode.h>

#endif
