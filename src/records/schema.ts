// The tables, as a list of steps: step n brings a database from schema n to n + 1. A step that was released is never
// changed; a new table or column is a new step at the end.

/** One step; runs inside a transaction. */
export type Migration = string

const first: Migration = `
  CREATE TABLE downloads (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    info_hash TEXT NOT NULL UNIQUE,
    name TEXT NOT NULL,
    source_uri TEXT NOT NULL,
    destination TEXT NOT NULL,
    announce_tiers TEXT NOT NULL,
    peers TEXT NOT NULL,
    added_at INTEGER NOT NULL,
    hops INTEGER NOT NULL,
    safe_seeding INTEGER NOT NULL,
    selected_files TEXT,
    user_stopped INTEGER NOT NULL,
    total_up INTEGER NOT NULL DEFAULT 0,
    total_down INTEGER NOT NULL DEFAULT 0,
    finished_at INTEGER,
    error TEXT NOT NULL DEFAULT '',
    position INTEGER NOT NULL UNIQUE,
    piece_count INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE metainfo (
    download_id INTEGER PRIMARY KEY REFERENCES downloads(id) ON DELETE CASCADE,
    info BLOB NOT NULL
  ) STRICT;

  CREATE TABLE progress (
    download_id INTEGER PRIMARY KEY REFERENCES downloads(id) ON DELETE CASCADE,
    have BLOB NOT NULL,
    files TEXT NOT NULL,
    checkpoint_at INTEGER NOT NULL,
    complete INTEGER NOT NULL
  ) STRICT;

  CREATE TABLE piece_journal (
    download_id INTEGER NOT NULL REFERENCES downloads(id) ON DELETE CASCADE,
    piece INTEGER NOT NULL,
    at_ms INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    PRIMARY KEY (download_id, piece)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE events (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    payload TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_at ON events(at);

  CREATE TABLE node (
    key TEXT PRIMARY KEY,
    value BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
`

/** What a torrent file says of itself outside of its info dictionary. */
const notes: Migration = `
  ALTER TABLE metainfo ADD COLUMN comment TEXT;
  ALTER TABLE metainfo ADD COLUMN created_by TEXT;
  ALTER TABLE metainfo ADD COLUMN creation_date INTEGER;
`

/** All steps; the schema this program knows is their number. */
export const migrations: readonly Migration[] = [first, notes]

/** Marks the file as ours ("Trib"): another program's database is never written. */
export const APPLICATION_ID = 0x54726962
