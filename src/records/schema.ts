// The tables, as a list of steps: step n brings a database from schema n to n + 1. A step that was released is never
// changed (a test holds their hashes); a new table or column is a new step at the end. Two tables keep their columns
// for ever, because an upgrade writes into them at whatever schema it finds: `node`, and `events` with (id, at, type,
// payload).

/** One step; runs inside a transaction of its own, with foreign keys checked at its end. */
export interface Migration {
  /** What it brings, for people who watch an upgrade: `Step 2 of 4: <adds>`. */
  readonly adds: string
  readonly sql: string
}

const first = `
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
const notes = `
  ALTER TABLE metainfo ADD COLUMN comment TEXT;
  ALTER TABLE metainfo ADD COLUMN created_by TEXT;
  ALTER TABLE metainfo ADD COLUMN creation_date INTEGER;
`

/** What users ask of a download, how long it has seeded, and where its files are on their way to. */
const controls = `
  ALTER TABLE downloads ADD COLUMN controls TEXT;
  ALTER TABLE downloads ADD COLUMN seeded_sec INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE downloads ADD COLUMN goal_reached INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE downloads ADD COLUMN moving_to TEXT;
  ALTER TABLE downloads ADD COLUMN moved_from TEXT;
`

/** What of a v2 torrent peers do not send with its info dictionary, its whole v2 hash, and web seeds. */
const versions = `
  ALTER TABLE metainfo ADD COLUMN piece_layers BLOB;
  ALTER TABLE downloads ADD COLUMN info_hash_v2 TEXT;
  ALTER TABLE downloads ADD COLUMN web_seeds TEXT NOT NULL DEFAULT '[]';
`

/** Torrents that are updated (BEP 46): keys that are followed, what was published under our own. */
const updates = `
  CREATE TABLE followed_keys (
    target TEXT PRIMARY KEY,
    public_key TEXT NOT NULL,
    salt TEXT NOT NULL,
    uri TEXT NOT NULL,
    request TEXT NOT NULL,
    added_at INTEGER NOT NULL,
    seq TEXT,
    value BLOB,
    signature BLOB,
    versions TEXT NOT NULL
  ) STRICT;

  CREATE TABLE published_torrents (
    name TEXT PRIMARY KEY,
    info_hash TEXT NOT NULL,
    seq TEXT NOT NULL,
    value BLOB NOT NULL,
    signature BLOB NOT NULL,
    published_at INTEGER NOT NULL
  ) STRICT;
`

/** Files of the watch folder that were dealt with. */
const seenFiles = `
  CREATE TABLE seen_files (
    path TEXT PRIMARY KEY,
    size INTEGER NOT NULL,
    mtime INTEGER NOT NULL,
    gone_at INTEGER
  ) STRICT, WITHOUT ROWID;
`

/** What settings were changed to, and metadata of torrents that are no downloads. */
const history = `
  CREATE TABLE settings_history (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    at INTEGER NOT NULL,
    option TEXT NOT NULL,
    value TEXT NOT NULL,
    origin TEXT NOT NULL
  ) STRICT;
  CREATE INDEX settings_history_option ON settings_history(option, id);

  CREATE TABLE discovered_metadata (
    info_hash TEXT PRIMARY KEY,
    info BLOB NOT NULL,
    found_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX discovered_metadata_found ON discovered_metadata(found_at);
`

/** Feeds of channels, and digests of those of their items that were dealt with. */
const feeds = `
  CREATE TABLE feeds (
    id INTEGER PRIMARY KEY,
    channel TEXT NOT NULL,
    url TEXT NOT NULL,
    added_at INTEGER NOT NULL,
    checked_at INTEGER,
    etag TEXT,
    last_modified TEXT,
    failures INTEGER NOT NULL DEFAULT 0,
    error TEXT NOT NULL DEFAULT '',
    UNIQUE (channel, url)
  ) STRICT;

  CREATE TABLE feed_items (
    feed INTEGER NOT NULL REFERENCES feeds(id) ON DELETE CASCADE,
    item BLOB NOT NULL,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (feed, item)
  ) STRICT, WITHOUT ROWID;
`

/** When all bytes of a download were last hashed in the background. */
const scrubs = `
  ALTER TABLE downloads ADD COLUMN scrubbed_at INTEGER;
`

/** Which files of a download are its own, as runs of indexes. Those that have progress already were theirs already. */
const ownFiles = `
  CREATE TABLE own_files (
    download_id INTEGER NOT NULL REFERENCES downloads(id) ON DELETE CASCADE,
    first INTEGER NOT NULL,
    last INTEGER NOT NULL,
    PRIMARY KEY (download_id, first, last)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO own_files (download_id, first, last)
    SELECT id, 0, 2147483647 FROM downloads
    WHERE id IN (SELECT download_id FROM progress) OR id IN (SELECT download_id FROM piece_journal);
`

/**
 * When trackers may be asked again: rows of few hours, so nothing refers to downloads. Peers are JSON.
 */
const announces = `
  CREATE TABLE announces (
    info_hash TEXT NOT NULL,
    tracker TEXT NOT NULL,
    may_ask_at INTEGER NOT NULL,
    may_start_at INTEGER NOT NULL,
    min_ms INTEGER NOT NULL,
    peers TEXT NOT NULL,
    PRIMARY KEY (info_hash, tracker)
  ) STRICT, WITHOUT ROWID;
`

/** Trackers that are still to hear `completed`: those rows stay longer. */
const owedCompletions = `
  ALTER TABLE announces ADD COLUMN owes_completed INTEGER NOT NULL DEFAULT 0;
`

/** Where films were left. `name`: path of the file in the torrent, cut; times in milliseconds. */
const watching = `
  CREATE TABLE watching (
    download_id INTEGER NOT NULL REFERENCES downloads(id) ON DELETE CASCADE,
    file INTEGER NOT NULL,
    name TEXT NOT NULL,
    position INTEGER NOT NULL,
    duration INTEGER,
    watched INTEGER NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (download_id, file)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX watching_at ON watching(at);
`

/** When downloads that are to be forgotten were read last, and which files a download made itself, not found. */
const reads = `
  ALTER TABLE downloads ADD COLUMN read_at INTEGER;
  CREATE TABLE made_files (
    download_id INTEGER NOT NULL REFERENCES downloads(id) ON DELETE CASCADE,
    file INTEGER NOT NULL,
    mark TEXT NOT NULL,
    PRIMARY KEY (download_id, file)
  ) STRICT, WITHOUT ROWID;
`

/** Places in the queue, lowest first; null = the position in the list, as before. */
const queueOrder = `
  ALTER TABLE downloads ADD COLUMN queue_order REAL;
`

/** Names that files have in place of those of their torrent, as JSON. */
const renames = `
  ALTER TABLE downloads ADD COLUMN renames TEXT;
`

/** What downloads moved in the last hour, day and month (services/rates). */
const rates = `
  CREATE TABLE rates (
    download_id INTEGER PRIMARY KEY REFERENCES downloads(id) ON DELETE CASCADE,
    sums BLOB NOT NULL
  ) STRICT;
`

/** All steps; the schema this program knows is their number. */
export const migrations: readonly Migration[] = [
  { adds: 'downloads, progress and events', sql: first },
  { adds: 'comments of torrent files', sql: notes },
  { adds: 'limits, goals and labels of downloads', sql: controls },
  { adds: 'torrents of version 2, web seeds', sql: versions },
  { adds: 'torrents that are updated', sql: updates },
  { adds: 'files of the watch folder', sql: seenFiles },
  { adds: 'history of settings, discovered metadata', sql: history },
  { adds: 'feeds of channels', sql: feeds },
  { adds: 'dates of background checks', sql: scrubs },
  { adds: 'which files are whose', sql: ownFiles },
  { adds: 'when trackers may be asked again', sql: announces },
  { adds: 'which trackers are to hear of a completion', sql: owedCompletions },
  { adds: 'where films were left', sql: watching },
  { adds: 'when downloads were read, which files they made', sql: reads },
  { adds: 'places in the queue', sql: queueOrder },
  { adds: 'names of renamed files', sql: renames },
  { adds: 'rates of downloads as they were', sql: rates },
]

/** Marks the file as ours ("Trib"): another program's database is never written. */
export const APPLICATION_ID = 0x54726962
