// SPDX-License-Identifier: Apache-2.0
//
// The numbers of the messages about job files. A number is never given a second meaning; new ones go at the end
// of their group. F = error, W = warning, T = a test that failed.
#pragma once

namespace tidemark::config::code {

inline constexpr const char* kCannotRead = "F001";        ///< the file cannot be read
inline constexpr const char* kSyntax = "F002";            ///< not valid TOML (also a key given twice)
inline constexpr const char* kUnknownKey = "F003";        ///< a key or table that means nothing here
inline constexpr const char* kMissingKey = "F004";        ///< something required is not there
inline constexpr const char* kWrongType = "F005";         ///< a list where a text belongs, and the like
inline constexpr const char* kUnknownValue = "F006";      ///< not one of the values that a key can have
inline constexpr const char* kOutOfRange = "F007";        ///< a number, duration or size outside its range
inline constexpr const char* kNotADuration = "F008";      ///< no unit, an unknown unit, or not a duration at all
inline constexpr const char* kNotASize = "F009";          ///< the same for sizes
inline constexpr const char* kBadName = "F010";           ///< an id or name of the wrong form, or used twice
inline constexpr const char* kUnknownReference = "F011";  ///< an input that does not exist
inline constexpr const char* kUnsetVariable = "F012";     ///< ${X} where X is not set
inline constexpr const char* kBadSubstitution = "F013";   ///< ${ without end, or not a variable's name
inline constexpr const char* kNotSupportedYet = "F014";   ///< known, but not in this version
inline constexpr const char* kDuplicate = "F015";         ///< the same output column, key or input twice
inline constexpr const char* kUnknownTimeZone = "F016";   ///< not an IANA time zone
inline constexpr const char* kContradiction = "F017";     ///< two keys that do not fit each other
inline constexpr const char* kExpression = "F020";        ///< a column's expression cannot be read
inline constexpr const char* kUnknownColumn = "F021";     ///< a column that the input does not have
inline constexpr const char* kUnknownFunction = "F022";   ///< no such aggregate function
inline constexpr const char* kWrongArgument = "F023";     ///< too many, too few, or of the wrong type
inline constexpr const char* kUnknownPlugin = "F030";     ///< no plugin of that name (for later steps)
inline constexpr const char* kPluginProblem = "F031";     ///< a plugin or its input refused (for later steps)

inline constexpr const char* kUnused = "W001";      ///< a source or aggregate that nothing reads
inline constexpr const char* kNoEffect = "W002";    ///< a key that changes nothing here
inline constexpr const char* kNotChecked = "W003";  ///< something that could not be checked offline
inline constexpr const char* kDoubtful = "W004";    ///< settings that hardly do what was meant

inline constexpr const char* kTestResult = "T001";   ///< a result that was expected and did not come, or the reverse
inline constexpr const char* kTestLate = "T002";     ///< the same for rows in the late store
inline constexpr const char* kTestWarning = "T003";  ///< the same for warnings
inline constexpr const char* kTestJob = "T004";      ///< the job failed, or did not fail as expected

}  // namespace tidemark::config::code
