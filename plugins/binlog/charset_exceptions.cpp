// SPDX-License-Identifier: Apache-2.0
// The charsets of MySQL and MariaDB: where each one's mappings come from, and where the servers differ from ICU. Each
// exception was found by asking a server for every sequence (tests/integration/charsets.py does so again).
// No state; any thread.
#include <algorithm>

#include "binlog/charset_tables.hpp"

namespace tidemark::binlog {

namespace {

using Exception = CharsetException;

// ARMSCII-8, which ICU lacks: C1 controls, punctuation, then capital and small letters by turns.
constexpr Exception kArmscii8[] = {
    {0x80, 33, 0x80}, {0xa1, 1, 0x2741},    {0xa2, 1, 0xa7},     {0xa3, 1, 0x589}, {0xa4, 1, 0x29},  {0xa5, 1, 0x28},
    {0xa6, 1, 0xbb},  {0xa7, 1, 0xab},      {0xa8, 1, 0x2014},   {0xa9, 1, 0x2e},  {0xaa, 1, 0x55d}, {0xab, 2, 0x2c},
    {0xad, 1, 0x55f}, {0xae, 1, 0x2026},    {0xaf, 1, 0x55c},    {0xb0, 1, 0x55b}, {0xb1, 1, 0x55e}, {0xfe, 1, 0x2019},
    {0xff, 1, 0x27},  {0xb2, 38, 0x531, 2}, {0xb3, 38, 0x561, 2}};

// 0xaa is the not sign, which ICU leaves out.
constexpr Exception kCp852[] = {{0xaa, 1, 0xac}};

// 0xfc and 0xfd as in the servers' older table.
constexpr Exception kCp866[] = {{0xfc, 1, 0x207f}, {0xfd, 1, 0xb2}};

// ISO 8859-7 of 1987: no euro, no drachma, other quotation marks.
constexpr Exception kGreek[] = {{0xa1, 1, 0x2bd}, {0xa2, 1, 0x2bc}, {0xa4, 2, 0}, {0xaa, 1, 0}};

// 0xaf is the overline.
constexpr Exception kHebrew[] = {{0xaf, 1, 0x203e}};

// 0x95 is the bullet.
constexpr Exception kKoi8u[] = {{0x95, 1, 0x2022}};

// No no-break space.
constexpr Exception kTis620[] = {{0xa0, 1, 0}};

// Roman-8 as HP printed it.
constexpr Exception kHp8[] = {{0xa0, 1, 0xa0}, {0xa9, 1, 0x2cb}, {0xaf, 1, 0x20a4}, {0xb0, 1, 0xaf},
                              {0xb3, 1, 0xb0}, {0xf3, 1, 0xb5},  {0xf6, 1, 0x2014}};

// DEC MCS, which ICU lacks: Latin-1 but for these.
constexpr Exception kDec8[] = {{0xa4, 1, 0}, {0xa6, 1, 0}, {0xa8, 1, 0xa4},  {0xac, 4, 0},     {0xb4, 1, 0},
                               {0xb8, 1, 0}, {0xbe, 1, 0}, {0xd0, 1, 0},     {0xd7, 1, 0x152}, {0xdd, 1, 0x178},
                               {0xde, 1, 0}, {0xf0, 1, 0}, {0xf7, 1, 0x153}, {0xfd, 1, 0xff},  {0xfe, 2, 0}};

// Swedish ISO 646, which ICU lacks: ASCII but for these.
constexpr Exception kSwe7[] = {{0x40, 1, 0xc9}, {0x5b, 1, 0xc4}, {0x5c, 1, 0xd6}, {0x5d, 1, 0xc5},
                               {0x5e, 1, 0xdc}, {0x60, 1, 0xe9}, {0x7b, 1, 0xe4}, {0x7c, 1, 0xf6},
                               {0x7d, 1, 0xe5}, {0x7e, 1, 0xfc}, {0x7f, 1, 0}};

// Georgian letters over cp1252; ICU lacks it.
constexpr Exception kGeostd8[] = {{0x81, 1, 0},      {0x83, 1, 0},       {0x88, 1, 0},      {0x8a, 1, 0},
                                  {0x8c, 5, 0},      {0x98, 3, 0},       {0x9c, 4, 0},      {0xc0, 7, 0x10d0},
                                  {0xc7, 1, 0x10f1}, {0xc8, 6, 0x10d7},  {0xce, 1, 0x10f2}, {0xcf, 6, 0x10dd},
                                  {0xd5, 1, 0x10f3}, {0xd6, 12, 0x10e3}, {0xe2, 1, 0x10f4}, {0xe3, 2, 0x10ef},
                                  {0xe5, 1, 0x10f5}, {0xe6, 23, 0},      {0xfd, 1, 0x2116}, {0xfe, 2, 0}};

// Kamenicky: cp437 but for these; ICU lacks it.
constexpr Exception kKeybcs2[] = {
    {0x80, 1, 0x10c}, {0x83, 1, 0x10f}, {0x85, 1, 0x10e}, {0x86, 1, 0x164}, {0x87, 1, 0x10d}, {0x88, 1, 0x11b},
    {0x89, 1, 0x11a}, {0x8a, 1, 0x139}, {0x8b, 1, 0xcd},  {0x8c, 1, 0x13e}, {0x8d, 1, 0x13a}, {0x8f, 1, 0xc1},
    {0x91, 1, 0x17e}, {0x92, 1, 0x17d}, {0x95, 1, 0xd3},  {0x96, 1, 0x16f}, {0x97, 1, 0xda},  {0x98, 1, 0xfd},
    {0x9b, 1, 0x160}, {0x9c, 1, 0x13d}, {0x9d, 1, 0xdd},  {0x9e, 1, 0x158}, {0x9f, 1, 0x165}, {0xa4, 1, 0x148},
    {0xa5, 1, 0x147}, {0xa6, 1, 0x16e}, {0xa7, 1, 0xd4},  {0xa8, 1, 0x161}, {0xa9, 1, 0x159}, {0xaa, 1, 0x155},
    {0xab, 1, 0x154}, {0xe6, 1, 0xb5}};

// The servers have the ETEN characters of rows c6 to c7 and not those of f9; symbols of row a1 and a2 differ.
constexpr Exception kBig5[] = {
    {0xa145, 1, 0x2022}, {0xa14e, 1, 0xff64},  {0xa15a, 1, 0},       {0xa1c2, 1, 0x203e},  {0xa1c3, 1, 0},
    {0xa1c5, 1, 0},      {0xa1e3, 1, 0x223c},  {0xa1f2, 1, 0x2641},  {0xa1f3, 1, 0x2609},  {0xa1fe, 1, 0},
    {0xa240, 1, 0},      {0xa241, 1, 0xff0f},  {0xa242, 1, 0xff3c},  {0xa244, 1, 0xa5},    {0xa246, 2, 0xa2},
    {0xa2cc, 1, 0},      {0xa2ce, 1, 0},       {0xa3e1, 1, 0},       {0xc6a1, 1, 0x30fe},  {0xc6a2, 2, 0x309d},
    {0xc6a4, 1, 0x3005}, {0xc6a5, 83, 0x3041}, {0xc6f8, 7, 0x30a1},  {0xc740, 63, 0x30a8}, {0xc7a1, 16, 0x30e7},
    {0xc7b1, 2, 0x414},  {0xc7b3, 1, 0x401},   {0xc7b4, 7, 0x416},   {0xc7bb, 19, 0x423},  {0xc7ce, 1, 0x451},
    {0xc7cf, 26, 0x436}, {0xc7e9, 10, 0x2460}, {0xc7f3, 10, 0x2474}, {0xf9dd, 34, 0}};

// The apostrophe of row a3; none of the vendor characters of row fe.
constexpr Exception kGb2312[] = {{0xa3a7, 1, 0xff07}, {0xfee0, 14, 0}, {0xfeef, 5, 0}, {0xfef5, 10, 0}};

// JIS X 0208 alone: none of NEC's row 13 nor of IBM's additions, and the signs that cp932 maps to full-width forms.
constexpr Exception kSjis[] = {{0x815f, 1, 0x5c}, {0x8160, 1, 0x301c}, {0x8161, 1, 0x2016}, {0x817c, 1, 0x2212},
                               {0x8191, 2, 0xa2}, {0x81ca, 1, 0xac},   {0x8740, 30, 0},     {0x875f, 23, 0},
                               {0x877e, 1, 0},    {0x8780, 29, 0},     {0xed40, 63, 0},     {0xed80, 125, 0},
                               {0xee40, 63, 0},   {0xee80, 109, 0},    {0xeeef, 14, 0},     {0xfa40, 63, 0},
                               {0xfa80, 125, 0},  {0xfb40, 63, 0},     {0xfb80, 125, 0},    {0xfc40, 12, 0}};

// As sjis for signs; none of IBM's additions in 8ff3 and 8ff4.
constexpr Exception kUjis[] = {{0x8ee0, 5, 0},    {0xa1bd, 1, 0x2015}, {0xa1c0, 1, 0x5c}, {0xa1f1, 2, 0xa2},
                               {0xa2cc, 1, 0xac}, {0x8fa2b7, 1, 0x7e}, {0x8ff3a1, 25, 0}, {0x8ff4a1, 12, 0},
                               {0x8ff4ae, 19, 0}, {0x8ff4c2, 1, 0},    {0x8ff4c4, 6, 0},  {0x8ff4cb, 7, 0},
                               {0x8ff4d3, 10, 0}, {0x8ff4de, 18, 0},   {0x8ff4f1, 8, 0}};

// cp932's user-defined areas and IBM's additions, at their places in EUC.
constexpr Exception kEucjpms[] = {
    {0x8ee0, 3, 0},         {0xf5a1, 94, 0xe000},   {0xf6a1, 94, 0xe05e},   {0xf7a1, 94, 0xe0bc},
    {0xf8a1, 94, 0xe11a},   {0xf9a1, 94, 0xe178},   {0xfaa1, 94, 0xe1d6},   {0xfba1, 94, 0xe234},
    {0xfca1, 94, 0xe292},   {0xfda1, 94, 0xe2f0},   {0xfea1, 94, 0xe34e},   {0x8fa2c3, 1, 0xffe4},
    {0x8ff3a1, 20, 0},      {0x8ff3b7, 1, 0},       {0x8ff3f3, 10, 0x2170}, {0x8ff3fd, 2, 0x2160},
    {0x8ff4a1, 8, 0x2162},  {0x8ff4a9, 1, 0xff07},  {0x8ff4aa, 1, 0xff02},  {0x8ff4ab, 1, 0x3231},
    {0x8ff4ac, 1, 0x2116},  {0x8ff4ad, 1, 0x2121},  {0x8ff4ae, 1, 0x70bb},  {0x8ff4af, 1, 0x4efc},
    {0x8ff4b0, 1, 0x50f4},  {0x8ff4b1, 1, 0x51ec},  {0x8ff4b2, 1, 0x5307},  {0x8ff4b3, 1, 0x5324},
    {0x8ff4b4, 1, 0xfa0e},  {0x8ff4b5, 1, 0x548a},  {0x8ff4b6, 1, 0x5759},  {0x8ff4b7, 2, 0xfa0f},
    {0x8ff4b9, 1, 0x589e},  {0x8ff4ba, 1, 0x5bec},  {0x8ff4bb, 1, 0x5cf5},  {0x8ff4bc, 1, 0x5d53},
    {0x8ff4bd, 1, 0xfa11},  {0x8ff4be, 1, 0x5fb7},  {0x8ff4bf, 1, 0x6085},  {0x8ff4c0, 1, 0x6120},
    {0x8ff4c1, 1, 0x654e},  {0x8ff4c2, 1, 0x663b},  {0x8ff4c3, 1, 0x6665},  {0x8ff4c4, 1, 0xfa12},
    {0x8ff4c5, 1, 0xf929},  {0x8ff4c6, 1, 0x6801},  {0x8ff4c7, 2, 0xfa13},  {0x8ff4c9, 1, 0x6a6b},
    {0x8ff4ca, 1, 0x6ae2},  {0x8ff4cb, 1, 0x6df8},  {0x8ff4cc, 1, 0x6df2},  {0x8ff4cd, 1, 0x7028},
    {0x8ff4ce, 2, 0xfa15},  {0x8ff4d0, 1, 0x7501},  {0x8ff4d1, 1, 0x7682},  {0x8ff4d2, 1, 0x769e},
    {0x8ff4d3, 1, 0xfa17},  {0x8ff4d4, 1, 0x7930},  {0x8ff4d5, 4, 0xfa18},  {0x8ff4d9, 1, 0x7ae7},
    {0x8ff4da, 2, 0xfa1c},  {0x8ff4dc, 1, 0x7da0},  {0x8ff4dd, 1, 0x7dd6},  {0x8ff4de, 1, 0xfa1e},
    {0x8ff4df, 1, 0x8362},  {0x8ff4e0, 1, 0xfa1f},  {0x8ff4e1, 1, 0x85b0},  {0x8ff4e2, 2, 0xfa20},
    {0x8ff4e4, 1, 0x8807},  {0x8ff4e5, 1, 0xfa22},  {0x8ff4e6, 1, 0x8b7f},  {0x8ff4e7, 1, 0x8cf4},
    {0x8ff4e8, 1, 0x8d76},  {0x8ff4e9, 3, 0xfa23},  {0x8ff4ec, 1, 0x90de},  {0x8ff4ed, 1, 0xfa26},
    {0x8ff4ee, 1, 0x9115},  {0x8ff4ef, 2, 0xfa27},  {0x8ff4f1, 1, 0x9592},  {0x8ff4f2, 1, 0xf9dc},
    {0x8ff4f3, 1, 0xfa29},  {0x8ff4f4, 1, 0x973b},  {0x8ff4f5, 1, 0x974d},  {0x8ff4f6, 1, 0x9751},
    {0x8ff4f7, 3, 0xfa2a},  {0x8ff4fa, 1, 0x999e},  {0x8ff4fb, 1, 0x9ad9},  {0x8ff4fc, 1, 0x9b72},
    {0x8ff4fd, 1, 0xfa2d},  {0x8ff4fe, 1, 0x9ed1},  {0x8ff5a1, 94, 0xe3ac}, {0x8ff6a1, 94, 0xe40a},
    {0x8ff7a1, 94, 0xe468}, {0x8ff8a1, 94, 0xe4c6}, {0x8ff9a1, 94, 0xe524}, {0x8ffaa1, 94, 0xe582},
    {0x8ffba1, 94, 0xe5e0}, {0x8ffca1, 94, 0xe63e}, {0x8ffda1, 94, 0xe69c}, {0x8ffea1, 94, 0xe6fa}};

constexpr ByteRange kBig5Leads[] = {{0xa1, 0xf9}};
constexpr ByteRange kBig5Trails[] = {{0x40, 0x7e}, {0xa1, 0xfe}};
constexpr ByteRange kGbkLeads[] = {{0x81, 0xfe}};
constexpr ByteRange kGbkTrails[] = {{0x40, 0x7e}, {0x80, 0xfe}};
constexpr ByteRange kGb2312Leads[] = {{0xa1, 0xf7}};
constexpr ByteRange kHighTrails[] = {{0xa1, 0xfe}};
constexpr ByteRange kEuckrTrails[] = {{0x41, 0x5a}, {0x61, 0x7a}, {0x81, 0xfe}};
constexpr ByteRange kSjisLeads[] = {{0x81, 0x9f}, {0xe0, 0xfc}};
constexpr ByteRange kSjisTrails[] = {{0x40, 0x7e}, {0x80, 0xfc}};
constexpr ByteRange kEucLeads[] = {{0x8e, 0x8e}, {0xa1, 0xfe}};

constexpr auto kSingle = CharsetKind::single;
constexpr auto kPairs = CharsetKind::pairs;

constexpr CharsetSpec kSpecs[] = {
    {"utf8mb4", CharsetKind::utf8},
    {"utf8mb3", CharsetKind::utf8},
    {"utf8", CharsetKind::utf8},
    {"ucs2", CharsetKind::ucs2},
    {"utf16", CharsetKind::utf16},
    {"utf16le", CharsetKind::utf16le},
    {"utf32", CharsetKind::utf32},
    {"ascii", kSingle, "US-ASCII"},
    {"latin1", kSingle, "ibm-5348_P100-1997"},  // cp1252; its five holes are the controls of the same number
    {"latin2", kSingle, "ibm-912_P100-1995"},
    {"latin5", kSingle, "ibm-920_P100-1995"},
    {"latin7", kSingle, "ibm-921_P100-1995"},
    {"cp1250", kSingle, "ibm-5346_P100-1998", true},
    {"cp1251", kSingle, "ibm-5347_P100-1998", true},
    {"cp1256", kSingle, "ibm-5352_P100-1998", true},
    {"cp1257", kSingle, "ibm-9449_P100-2002", true},
    {"cp850", kSingle, "ibm-850_P100-1995"},
    {"cp852", kSingle, "ibm-852_P100-1995", false, false, {}, {}, kCp852},
    {"cp866", kSingle, "ibm-866_P100-1995", false, false, {}, {}, kCp866},
    {"koi8r", kSingle, "ibm-878_P100-1996"},
    {"koi8u", kSingle, "ibm-1168_P100-2002", false, false, {}, {}, kKoi8u},
    {"greek", kSingle, "ibm-9005_X110-2007", false, false, {}, {}, kGreek},
    {"hebrew", kSingle, "ibm-5012_P100-1999", false, false, {}, {}, kHebrew},
    {"tis620", kSingle, "iso-8859_11-2001", false, false, {}, {}, kTis620},
    {"hp8", kSingle, "ibm-1051_P100-1995", false, false, {}, {}, kHp8},
    {"dec8", kSingle, "ISO-8859-1", false, false, {}, {}, kDec8},
    {"swe7", kSingle, "US-ASCII", false, false, {}, {}, kSwe7},
    {"macce", kSingle, "macos-29-10.2"},
    {"macroman", kSingle, "macos-0_2-10.2"},
    {"armscii8", kSingle, "US-ASCII", false, false, {}, {}, kArmscii8},
    {"geostd8", kSingle, "ibm-5348_P100-1997", false, false, {}, {}, kGeostd8},
    {"keybcs2", kSingle, "ibm-437_P100-1995", false, false, {}, {}, kKeybcs2},
    {"big5", kPairs, "windows-950-2000", false, true, kBig5Leads, kBig5Trails, kBig5},
    {"gbk", kPairs, "windows-936-2000", false, true, kGbkLeads, kGbkTrails},
    {"gb2312", kPairs, "ibm-1383_P110-1999", false, true, kGb2312Leads, kHighTrails, kGb2312},
    {"gb18030", CharsetKind::gb18030, "gb18030", false, false, kGbkLeads, kGbkTrails},
    {"euckr", kPairs, "windows-949-2000", false, true, kGbkLeads, kEuckrTrails},  // cp949 in fact
    {"sjis", kPairs, "ibm-943_P15A-2003", false, true, kSjisLeads, kSjisTrails, kSjis},
    {"cp932", kPairs, "ibm-943_P15A-2003", false, false, kSjisLeads, kSjisTrails},
    {"ujis", CharsetKind::triples, "ibm-954_P101-2007", false, false, kEucLeads, kHighTrails, kUjis},
    {"eucjpms", CharsetKind::triples, "euc-jp-2007", false, false, kEucLeads, kHighTrails, kEucjpms},
};

}  // namespace

const CharsetSpec* find_charset_spec(std::string_view name) {
  const auto found = std::ranges::find(kSpecs, name, &CharsetSpec::name);
  return found == std::end(kSpecs) ? nullptr : &*found;
}

}  // namespace tidemark::binlog
