// The tables of catalogue.db, as steps like those of src/records/schema.ts: a step that was released is never changed.
// `records` holds what was signed; `torrents`, `playlists`, `entries` and `comments` are what the records of a channel
// come to (fold.ts says what that is), one row a record with `shown`, kept up to date as records come
// (channel-view.ts).

const first = `
  CREATE TABLE node (
    key TEXT PRIMARY KEY,
    value BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE own_keys (
    cid TEXT PRIMARY KEY,
    seed BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;

  -- standing: 0 discovered, 1 subscribed, 2 own. held_*: the set that is here whole.
  CREATE TABLE channels (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    cid TEXT NOT NULL UNIQUE,
    standing INTEGER NOT NULL,
    head BLOB,
    head_sequence INTEGER NOT NULL DEFAULT 0,
    head_records INTEGER NOT NULL DEFAULT 0,
    head_time INTEGER NOT NULL DEFAULT 0,
    held_sequence INTEGER NOT NULL DEFAULT 0,
    held_records INTEGER NOT NULL DEFAULT 0,
    name TEXT NOT NULL DEFAULT '',
    description TEXT NOT NULL DEFAULT '',
    mode TEXT NOT NULL DEFAULT 'closed',
    adult INTEGER NOT NULL DEFAULT 0,
    announced INTEGER NOT NULL DEFAULT 0,
    torrents INTEGER NOT NULL DEFAULT 0,
    extras INTEGER NOT NULL DEFAULT 0,
    votes INTEGER NOT NULL DEFAULT 0,
    spam INTEGER NOT NULL DEFAULT 0,
    seeders INTEGER NOT NULL DEFAULT 0,
    modified INTEGER NOT NULL DEFAULT 0,
    bytes INTEGER NOT NULL DEFAULT 0,
    giver TEXT NOT NULL DEFAULT '',
    found_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX channels_standing ON channels(standing);

  CREATE TABLE authors (
    id INTEGER PRIMARY KEY,
    key BLOB NOT NULL UNIQUE
  ) STRICT;

  -- role: 0 held, 1 extra, 2 wanted (for a set that is not whole yet), 3 preview. counted: 1: it counts now, 0: it does not, -1: not judged yet.
  CREATE TABLE records (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    channel INTEGER NOT NULL,
    hash BLOB NOT NULL,
    role INTEGER NOT NULL,
    kind INTEGER NOT NULL,
    author INTEGER NOT NULL,
    clock INTEGER NOT NULL,
    time INTEGER NOT NULL,
    counted INTEGER NOT NULL,
    bytes BLOB NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX records_hash ON records(channel, hash, role);
  CREATE INDEX records_loose ON records(channel, role, id) WHERE role <> 0;
  CREATE INDEX records_slot ON records(channel, author, clock);
  CREATE INDEX records_unjudged ON records(channel, id) WHERE counted < 0 AND role <> 2;
  -- Kinds beside torrents are few.
  CREATE INDEX records_kind ON records(channel, kind) WHERE kind <> 2;

  -- What edits, deletions, entries and comments are about.
  CREATE TABLE refs (
    channel INTEGER NOT NULL,
    target BLOB NOT NULL,
    record INTEGER NOT NULL,
    PRIMARY KEY (channel, target, record)
  ) STRICT, WITHOUT ROWID;

  -- Inner nodes of the trees of held sets (tree.ts); prefix in hexadecimal digits.
  CREATE TABLE tree (
    channel INTEGER NOT NULL,
    prefix TEXT NOT NULL,
    count INTEGER NOT NULL,
    hash BLOB NOT NULL,
    PRIMARY KEY (channel, prefix)
  ) STRICT, WITHOUT ROWID;

  -- id is that of the record, here and below; it is also the row of its words in found_torrents.
  CREATE TABLE torrents (
    id INTEGER PRIMARY KEY,
    channel INTEGER NOT NULL,
    infohash BLOB NOT NULL,
    shown INTEGER NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL,
    size INTEGER NOT NULL,
    category TEXT NOT NULL,
    adult INTEGER NOT NULL,
    time INTEGER NOT NULL,
    seeders INTEGER NOT NULL DEFAULT 0,
    leechers INTEGER NOT NULL DEFAULT 0,
    checked INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE INDEX torrents_infohash ON torrents(infohash, channel);
  CREATE INDEX torrents_checked ON torrents(channel, shown, checked, time);

  CREATE TABLE playlists (
    id INTEGER PRIMARY KEY,
    channel INTEGER NOT NULL,
    shown INTEGER NOT NULL,
    name TEXT NOT NULL,
    description TEXT NOT NULL
  ) STRICT;
  CREATE INDEX playlists_channel ON playlists(channel);

  CREATE TABLE entries (
    id INTEGER PRIMARY KEY,
    channel INTEGER NOT NULL,
    playlist BLOB NOT NULL,
    infohash BLOB NOT NULL,
    shown INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX entries_playlist ON entries(channel, playlist, infohash);

  CREATE TABLE comments (
    id INTEGER PRIMARY KEY,
    channel INTEGER NOT NULL,
    shown INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX comments_channel ON comments(channel);

  CREATE TABLE votes (
    channel INTEGER NOT NULL,
    voter BLOB NOT NULL,
    value INTEGER NOT NULL,
    time INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (channel, voter)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE refusals (
    reason TEXT PRIMARY KEY,
    count INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE VIRTUAL TABLE found_torrents USING fts5(
    words, content='', contentless_delete=1, detail=none, prefix='2 3', tokenize='unicode61 remove_diacritics 2'
  );
  CREATE VIRTUAL TABLE found_channels USING fts5(
    words, content='', contentless_delete=1, detail=none, prefix='2 3', tokenize='unicode61 remove_diacritics 2'
  );
`

/** 1: an own channel that its owner has unsubscribed from (spec 3.4); it says nothing of what is kept and published. */
const ownSubscriptions = 'ALTER TABLE channels ADD COLUMN own_left INTEGER NOT NULL DEFAULT 0'

/** All steps; the schema this program knows is their number. */
export const migrations: readonly string[] = [first, ownSubscriptions]

/** Marks the file as ours ("Tric"): another program's database is never written. */
export const APPLICATION_ID = 0x54726963
