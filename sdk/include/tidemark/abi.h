/* SPDX-License-Identifier: Apache-2.0
 *
 * The C ABI between tidemark and its plugins (sources and watermark generators), major 1 (0.x: free to change
 * until the SDK is released as a product; from then on structs only grow at their end). This text is normative.
 *
 * Invariants: every struct starts with its size; no type of the C++ standard library, no exception and no
 * ownership crosses the boundary; memory is freed by whoever allocated it; batches are the host's memory.
 *
 * Threads: all calls on one reader come from one thread at a time; calls on one source and on one generator
 * likewise. Readers of one source, and generators of one library, may run on different threads. From threads of
 * its own a plugin may use tidemark_host only.
 */
#ifndef TIDEMARK_ABI_H
#define TIDEMARK_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TIDEMARK_ABI_MAJOR 1u
#define TIDEMARK_ABI_MINOR 3u
#define TIDEMARK_PLUGIN_MAGIC 0x314d4454u /* "TDM1" */
#define TIDEMARK_INFO_SECTION ".tidemark"
#define TIDEMARK_INFO_SYMBOL "tidemark_plugin_info_v1"
#define TIDEMARK_ENTRY_SYMBOL "tidemark_plugin_entry_v1"
#define TIDEMARK_OPTIONS_MAX 32u

/* ---- plugin metadata: constant data in its own ELF section, readable without loading the library ---- */

/* What a library provides: bits of tidemark_plugin_info.provides and tidemark_option_info.of. */
enum {
  TIDEMARK_PROVIDES_SOURCE = 1,   /* `type = "<name>"` in [sources.<id>] */
  TIDEMARK_PROVIDES_GENERATOR = 2 /* `strategy = "plugin:<name>"` in [sources.<id>.watermark] */
};

/* One option, as users write it in [sources.<id>] for a source, and in `strategy_options` of
 * [sources.<id>.watermark] for a generator. Text fields end with a NUL. */
typedef struct tidemark_option_info {
  char name[48];
  char type[24];          /* "text", "int", "bool", "duration", "size", "list" (of text), "float" */
  char default_value[96]; /* as the user would write it; "" with required = 0: no default */
  char help[240];
  uint32_t required; /* 1: the job must give it */
  uint32_t of;       /* whose option it is; 0: of all that the library provides */
} tidemark_option_info;

typedef struct tidemark_plugin_info {
  uint32_t magic;       /* TIDEMARK_PLUGIN_MAGIC */
  uint32_t struct_size; /* sizeof(tidemark_plugin_info) of the SDK that built the plugin */
  uint32_t abi_major;
  uint32_t abi_minor;
  char name[64]; /* what the job file calls it by, see TIDEMARK_PROVIDES_...: [a-z][a-z0-9_]* */
  char version[32];
  char compiler[64];
  char description[240];
  uint32_t option_size; /* sizeof(tidemark_option_info) */
  uint32_t option_count;
  tidemark_option_info options[TIDEMARK_OPTIONS_MAX];
  uint32_t provides; /* since minor 2; 0 or absent: a source */
  uint32_t reserved;
} tidemark_plugin_info;

/* ---- values ---- */

/* Borrowed for the duration of the call; not NUL-terminated. */
typedef struct tidemark_str {
  const char* data;
  uint64_t size;
} tidemark_str;

/* Results. poll_next returns one of the first three or an error. */
enum {
  TIDEMARK_OK = 0,      /* call again soon: there may be more */
  TIDEMARK_NOTHING = 1, /* nothing to read now; call again after host->notify or some milliseconds */
  TIDEMARK_END = 2,     /* every split of this reader is finished and no more splits will come */
  TIDEMARK_E_CONFIG = -1,
  TIDEMARK_E_IO = -2,
  TIDEMARK_E_DATA = -3,
  TIDEMARK_E_STATE = -4,
  TIDEMARK_E_NO_MEMORY = -5,
  TIDEMARK_E_UNSUPPORTED = -6,
  TIDEMARK_E_INTERNAL = -7
};

/* Caller's memory; filled by the callee when it returns an error. split = UINT32_MAX: no split. */
typedef struct tidemark_error {
  uint32_t struct_size;
  int32_t code;
  uint32_t retryable;
  uint32_t split;
  char message[1000];
} tidemark_error;

/* Column types. Widths are of one value in tidemark_column.values. */
enum {
  TIDEMARK_BOOL = 1, /* 1 byte, 0 or 1 */
  TIDEMARK_INT8 = 2,
  TIDEMARK_INT16 = 3,
  TIDEMARK_INT32 = 4,
  TIDEMARK_INT64 = 5,
  TIDEMARK_UINT8 = 6,
  TIDEMARK_UINT16 = 7,
  TIDEMARK_UINT32 = 8,
  TIDEMARK_UINT64 = 9,
  TIDEMARK_FLOAT32 = 10,
  TIDEMARK_FLOAT64 = 11,
  TIDEMARK_DECIMAL64 = 12,  /* int64 scaled by 10^scale: precision <= 18 */
  TIDEMARK_DECIMAL128 = 13, /* 16 bytes, little-endian two's complement: precision <= 38 */
  TIDEMARK_DECIMAL256 = 14, /* 32 bytes, little-endian two's complement: precision <= 76 */
  TIDEMARK_DATE = 15,       /* int32 days since 1970-01-01 */
  TIDEMARK_TIME = 16,       /* int64 microseconds, signed duration */
  TIDEMARK_TIMESTAMP = 17,  /* int64 microseconds since the epoch, UTC */
  TIDEMARK_DATETIME = 18,   /* int64 microseconds since 1970-01-01 00:00 of no particular zone */
  TIDEMARK_TEXT = 19,       /* UTF-8; values holds a tidemark_slice of the batch's heap, see below */
  TIDEMARK_BYTES = 20,
  TIDEMARK_JSON = 21 /* JSON text, UTF-8 */
};

/* Row kinds. UPDATE_BEFORE and UPDATE_AFTER of one update stand next to each other, never in two batches.
 * UNREAD: a change of which no row could be made (a logged statement); all its columns are NULL and one of the
 * batch's problems covers it.
 * TRUNCATE (since minor 3; only where the projection asks for it): all rows that were of the table of its origin are
 * gone, though no row says so (TRUNCATE TABLE, DROP TABLE). An origin without a table means all tables of its
 * database; without both, or no origin, all of the split. All its columns are NULL. It is the last row of its batch
 * and ends its split's turn: nothing more is submitted or said of the split in that call of poll_next. */
enum {
  TIDEMARK_INSERT = 1,
  TIDEMARK_DELETE = 2,
  TIDEMARK_UPDATE_BEFORE = 3,
  TIDEMARK_UPDATE_AFTER = 4,
  TIDEMARK_UNREAD = 5,
  TIDEMARK_TRUNCATE = 6
};

#define TIDEMARK_NO_TIME INT64_MIN

/* One column of a batch. validity: bit (row & 7) of byte row >> 3 is 1 where a value is present, 0 for NULL;
 * it is all zero when a batch is handed out, so set it for each value written.
 * Variable-width types: values holds one tidemark_slice per row, pointing into the batch's heap. */
typedef struct tidemark_slice {
  uint32_t offset;
  uint32_t size;
} tidemark_slice;

typedef struct tidemark_column {
  void* values;
  uint8_t* validity;
} tidemark_column;

/* Where rows come from: one entry per (transaction, table) that the batch holds rows of. Texts are slices of
 * the batch's heap; size 0 = unknown. */
typedef struct tidemark_origin {
  tidemark_slice gtid;
  tidemark_slice file;
  tidemark_slice database;
  tidemark_slice table;
  uint64_t position; /* 64-bit offset of the transaction's start in `file` */
  uint64_t schema_version;
  int64_t commit_time_us; /* TIDEMARK_NO_TIME: unknown */
} tidemark_origin;

/* Why rows of a batch are not to be counted as they are. */
enum {
  TIDEMARK_MISSING_COLUMN = 1, /* a column is not in the row's image (which is not NULL) */
  TIDEMARK_UNDECODABLE = 2,    /* a value could not be read */
  TIDEMARK_STATEMENT = 3       /* data changed without rows, by a logged statement */
};

/* A run of rows that the source could not read in full: their columns are filled as far as they are known, NULL
 * where not (also in columns without NULLs). The host fails the job or sets the rows aside, as the job's
 * on_bad_event says; they are never counted. Both rows of an update are covered together.
 * text: cause, object and place, for people; a slice of the batch's heap. */
typedef struct tidemark_problem {
  uint32_t row; /* first row, in the batch */
  uint32_t rows;
  uint32_t reason;
  uint32_t reserved;
  tidemark_slice text;
} tidemark_problem;

/* Rows of ONE split, column by column; host's memory. Filled between acquire and submit; after submit it must
 * not be touched. rows <= row_capacity. columns has one entry per projected column, in projection order.
 * event_time_us: the source's own event time (for binlogs the commit time, or what tidemark_projection.event_time
 *   asks for), TIDEMARK_NO_TIME = none.
 * sequence: strictly increasing per split, stable across restarts.
 * origin: index into origins, UINT32_MAX = none.
 * problems: runs in ascending order that do not overlap; none as a rule.
 * absent (since minor 3): NULL unless the projection asks for partial images; else one bitmap per projected column,
 *   laid out as validity, all zero when the batch is handed out. A bit set: the row's image does not hold the column,
 *   which is not NULL there; its validity bit stays 0, also in a column without NULLs. The host completes such rows. */
typedef struct tidemark_batch {
  uint32_t struct_size;
  uint32_t split;
  uint32_t rows;
  uint32_t row_capacity;
  int64_t* event_time_us;
  uint8_t* op;
  uint64_t* sequence;
  uint32_t* origin;
  tidemark_origin* origins;
  uint32_t origin_count;
  uint32_t origin_capacity;
  tidemark_column* columns;
  uint32_t column_count;
  uint32_t reserved;
  char* heap;
  uint64_t heap_used;
  uint64_t heap_capacity;
  void* host_data; /* the host's; leave alone */
  tidemark_problem* problems;
  uint32_t problem_count;
  uint32_t problem_capacity;
  uint8_t* const* absent;
} tidemark_batch;

/* What poll_next writes to. Valid during poll_next, on its thread.
 * acquire: NULL = no credit for this split now: return TIDEMARK_OK.
 * submit: also takes batches from acquire_async. A batch of 0 rows is taken back unused.
 * grow_heap: room for at least `bytes` more in the heap (heap may move); 0 = done, else TIDEMARK_E_NO_MEMORY:
 *   submit what is there and acquire another.
 * watermark: no row with an event time <= time_us is expected any more from the split (counts in jobs with
 *   strategy = "source" alone).
 * progress: known progress: nothing before time_us is still to come from the split (counts with every strategy).
 * set_idle: 1 = the source itself knows that the split is idle, 0 = active again.
 * finished: the split has no more rows, ever. Its output is released.
 * connection (minor 2; absent where struct_size ends before it): connected = 0: the source has lost the split and
 *   tries again by itself, for `reason` (words for people). Until connected = 1, or rows, progress or a watermark of
 *   it, the split holds the watermark back and its idle clock stands; its alignment group waits for it no longer than
 *   the group's timeout. */
typedef struct tidemark_output {
  uint32_t struct_size;
  uint32_t reserved;
  void* self;
  tidemark_batch* (*acquire)(void* self, uint32_t split);
  void (*submit)(void* self, tidemark_batch* batch);
  int32_t (*grow_heap)(void* self, tidemark_batch* batch, uint64_t bytes);
  void (*watermark)(void* self, uint32_t split, int64_t time_us);
  void (*progress)(void* self, uint32_t split, int64_t time_us);
  void (*set_idle)(void* self, uint32_t split, uint32_t idle);
  void (*finished)(void* self, uint32_t split);
  void (*connection)(void* self, uint32_t split, uint32_t connected, tidemark_str reason);
} tidemark_output;

/* Services of the host. Valid from open_reader (or create) until close_reader (destroy) returns; any thread.
 * notify: poll this reader again.
 * acquire_async: as tidemark_output.acquire, from any thread; waits up to wait_us for credit; NULL = none.
 * grow_heap_async: as tidemark_output.grow_heap, on the thread that owns the batch.
 * release_async: hands a batch back unused.
 * log levels: 0 debug, 1 info, 2 warning, 3 error. */
typedef struct tidemark_host {
  uint32_t struct_size;
  uint32_t abi_minor;
  void* self;
  void (*notify)(void* self);
  tidemark_batch* (*acquire_async)(void* self, uint32_t split, uint32_t wait_us);
  int32_t (*grow_heap_async)(void* self, tidemark_batch* batch, uint64_t bytes);
  void (*release_async)(void* self, tidemark_batch* batch);
  void (*log)(void* self, int32_t level, tidemark_str message);
  void (*metric)(void* self, tidemark_str name, double value);
} tidemark_host;

/* An option as given by the job; lists are repeated entries of one name. */
typedef struct tidemark_option {
  tidemark_str name;
  tidemark_str value;
} tidemark_option;

/* A split handed to a reader. split: the host's number, used in all later calls. position: what
 * snapshot_split wrote, empty = from the start. */
typedef struct tidemark_split {
  uint32_t struct_size;
  uint32_t split;
  tidemark_str id;
  tidemark_str position;
} tidemark_split;

/* What tidemark_batch.event_time_us is to hold. */
enum {
  TIDEMARK_COMMIT_TIME = 0, /* the source's own event time */
  TIDEMARK_HEADER_TIME = 1  /* the header time of the row's own event, TIDEMARK_NO_TIME where the header has none;
                               asked for only of a source with TIDEMARK_HAS_HEADER_TIME */
};

/* What a host wants besides rows as they are: bits of tidemark_projection.wants. */
enum {
  TIDEMARK_WANTS_TRUNCATES = 1,     /* TRUNCATE rows; only of a source with TIDEMARK_GIVES_TRUNCATES */
  TIDEMARK_WANTS_PARTIAL_IMAGES = 2 /* `absent` bits in place of problems for columns that an image does not hold, key
                                       columns with them; only of a source with TIDEMARK_GIVES_PARTIAL_IMAGES */
};

/* Columns the job uses, by index into the source's schema, in batch column order. */
typedef struct tidemark_projection {
  uint32_t struct_size;
  uint32_t column_count;
  const uint32_t* columns;
  uint32_t event_time; /* since minor 2 */
  uint32_t wants;      /* since minor 3; 0 before */
} tidemark_projection;

/* Receives one variable-size answer during the call that it was passed to. May be called several times; the
 * parts are joined. */
typedef struct tidemark_bytes_out {
  void* self;
  void (*write)(void* self, const void* data, uint64_t size);
} tidemark_bytes_out;

/* Receives a schema, column by column, during the call. precision and scale: decimals, else 0.
 * comment: where the column comes from, for messages; may be empty. */
typedef struct tidemark_schema_out {
  void* self;
  void (*column)(void* self, tidemark_str name, uint32_t type, uint32_t precision, uint32_t scale, uint32_t nullable,
                 tidemark_str comment);
} tidemark_schema_out;

/* Receives the key of the rows, column by column in key order, by index into the schema, during the call. */
typedef struct tidemark_key_out {
  void* self;
  void (*column)(void* self, uint32_t index);
} tidemark_key_out;

/* Receives split ids during the call. note: for people, e.g. the tables a split was matched with. */
typedef struct tidemark_splits_out {
  void* self;
  void (*split)(void* self, tidemark_str id, tidemark_str note);
} tidemark_splits_out;

/* tidemark_source_api.features */
enum {
  TIDEMARK_CAN_PAUSE_SPLITS = 1,     /* pause_or_resume_splits is meaningful per split */
  TIDEMARK_KNOWS_PROGRESS = 2,       /* calls progress() */
  TIDEMARK_EXACT_TRANSACTIONS = 4,   /* only committed rows are submitted */
  TIDEMARK_BOUNDED = 8,              /* every split ends by itself */
  TIDEMARK_HAS_HEADER_TIME = 16,     /* can deliver TIDEMARK_HEADER_TIME */
  TIDEMARK_GIVES_TRUNCATES = 32,     /* tells of tables that lose all their rows, as TIDEMARK_TRUNCATE rows */
  TIDEMARK_GIVES_PARTIAL_IMAGES = 64 /* can say which columns an image does not hold */
};

/* What a generator sees of a batch of its split, in the order of the rows. Borrowed for the call.
 * event_time_us: TIDEMARK_NO_TIME for a row without one (set aside, NULL, or ahead of the job's max_future).
 * markers: NULL when the job has no `marker`; else one byte per row, 1 = the row is a marker. */
typedef struct tidemark_row_times {
  uint32_t struct_size;
  uint32_t rows;
  const int64_t* event_time_us;
  const uint8_t* markers;
} tidemark_row_times;

/* Watermark generators: one instance per split, made and used by the core that reads the split, destroyed with the
 * job. The host owns the instance from create to destroy; the table is the plugin's and lives as long as the
 * library, which is never unloaded.
 * create: NULL is an error, and error says why. host is valid until destroy. Also called, and at once destroyed, to
 *   check a job's options. split: its id, for messages.
 * on_batch: after the rows of a batch were handed on. on_tick: about every emit_interval. now_us is a monotonic clock
 *   of the split, which stands still while the split has unread data, is paused or is blocked downstream; its zero is
 *   another one in each run. No ticks while the split is idle (idle_timeout).
 * watermark: "no row at or below this time is to come". On entry what the generator said last (TIDEMARK_NO_TIME:
 *   nothing yet); leave it alone where there is nothing new. It may step back: the host never does. INT64_MAX is taken
 *   as the largest time before it, since only the end of the input is the end.
 * snapshot: all that restore needs, in one or more writes. restore: at most once, right after create, with what an
 *   instance of the same plugin name wrote, maybe of another version or with other options: answer TIDEMARK_E_STATE
 *   where that does not fit. The last watermark is kept by the host.
 * An error of any call fails the job with plugin, split and text; no call but destroy follows it. */
typedef struct tidemark_generator_api {
  uint32_t struct_size;
  uint32_t abi_minor;
  void* (*create)(const tidemark_host* host, tidemark_str split, const tidemark_option* options, uint64_t count,
                  tidemark_error* error);
  void (*destroy)(void* generator);
  int32_t (*on_batch)(void* generator, const tidemark_row_times* rows, int64_t* watermark, tidemark_error* error);
  int32_t (*on_tick)(void* generator, int64_t now_us, int64_t* watermark, tidemark_error* error); /* may be NULL */
  int32_t (*snapshot)(void* generator, tidemark_bytes_out state, tidemark_error* error);
  int32_t (*restore)(void* generator, tidemark_str state, tidemark_error* error);
} tidemark_generator_api;

/* The source, filled by the entry function. Unset entries are stubs that answer TIDEMARK_E_UNSUPPORTED.
 * create/destroy: one source per [sources.<id>]. host is valid until destroy.
 * schema: columns of the rows; called once after create, before open_reader. TIDEMARK_E_UNSUPPORTED is not allowed.
 * primary_key (since minor 3): the columns that tell the rows of a table apart, the same for all tables and versions of
 *   them; a key column's value never is NULL. TIDEMARK_E_UNSUPPORTED: there is no such key, and error.message says why
 *   and what to do. Called after schema, by hosts that keep rows.
 * discover: the splits there are now; called again while running (unless TIDEMARK_BOUNDED), each id is added once.
 *   TIDEMARK_OK: more may come; TIDEMARK_END: these are all there will be. It must return within seconds: a job that
 *   stops waits for it.
 * open_reader: one per core that reads; the projection holds for all its batches.
 * add_splits / notify_no_more_splits / release_split / pause_or_resume_splits: as in FLIP-27 and FLIP-217.
 * poll_next: must not block: at most one batch per split or about 1 ms.
 * snapshot_split: position after the last row submitted of this split.
 * checkpoint_complete: epoch is durable.
 * After an error with retryable set the host calls again, from the position reached, with pauses that grow: after
 *   poll_next with error.split it pauses that split alone where the source can pause, else the whole reader. Such
 *   a split counts as disconnected until it answers again. Errors without it end the job.
 * close_reader: joins the plugin's threads; no call comes after it began. */
typedef struct tidemark_source_api {
  uint32_t struct_size;
  uint32_t abi_minor;
  uint64_t features;
  void* (*create)(const tidemark_host* host, const tidemark_option* options, uint64_t count, tidemark_error* error);
  void (*destroy)(void* source);
  int32_t (*schema)(void* source, tidemark_schema_out out, tidemark_error* error);
  int32_t (*discover)(void* source, tidemark_splits_out out, tidemark_error* error);
  void* (*open_reader)(void* source, const tidemark_host* host, const tidemark_projection* projection,
                       tidemark_error* error);
  void (*close_reader)(void* reader);
  int32_t (*add_splits)(void* reader, const tidemark_split* splits, uint64_t count, tidemark_error* error);
  int32_t (*notify_no_more_splits)(void* reader, tidemark_error* error);
  int32_t (*release_split)(void* reader, uint32_t split, tidemark_error* error);
  int32_t (*poll_next)(void* reader, const tidemark_output* output, tidemark_error* error);
  int32_t (*pause_or_resume_splits)(void* reader, const uint32_t* pause, uint64_t pause_count, const uint32_t* resume,
                                    uint64_t resume_count, tidemark_error* error);
  int32_t (*snapshot_split)(void* reader, uint32_t split, tidemark_bytes_out position, tidemark_error* error);
  int32_t (*checkpoint_complete)(void* reader, uint64_t epoch, tidemark_error* error);
  void (*wake_up)(void* reader);             /* any thread: return from a wait soon */
  uint64_t (*source_features)(void* source); /* features with these options; absent: the table's */
  const tidemark_generator_api* generator;   /* since minor 2; NULL: the library has none */
  int32_t (*primary_key)(void* source, tidemark_key_out out, tidemark_error* error); /* since minor 3 */
} tidemark_source_api;

/* The one exported function. api->struct_size is set by the host; the plugin fills at most that much. A library that
 * provides a generator alone leaves the functions of the source NULL. */
typedef int32_t tidemark_plugin_entry(const tidemark_host* host, tidemark_source_api* api, tidemark_error* error);

#ifdef __cplusplus
}
#endif

#endif /* TIDEMARK_ABI_H */
