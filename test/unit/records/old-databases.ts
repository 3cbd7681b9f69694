// Databases as older versions of the program left them: made by the steps of that time, filled with plain SQL as that
// version would have filled them, so that nothing of today's code has touched them.

import Database from 'better-sqlite3'
import { APPLICATION_ID, migrations } from '../../../src/records/schema.ts'
import { bitsOf, hashOf } from './records-kit.ts'

/** Pieces of every download in here. */
export const OLD_PIECES = 20

/** Digest of the item `guid-1`. */
const OLD_FEED_ITEM = Buffer.from('c1ce8282f097d63fd8eb33f7daba41a7', 'hex')

type Row = Record<string, string | number | Uint8Array | null>

/** What the version with that schema knew to write in a row of `downloads`. */
export function oldDownload(schema: number, n: number): Row {
  return {
    id: n,
    info_hash: hashOf(n),
    name: `name ${n} ü "quoted"`,
    source_uri: `magnet:?xt=urn:btih:${hashOf(n)}`,
    destination: `/data/${n}`,
    announce_tiers: JSON.stringify([[`http://t${n}/announce`, 'udp://b:1'], ['http://c/announce']]),
    peers: JSON.stringify([{ ip: '10.0.0.1', port: 6881 }]),
    added_at: 1_600_000_000_000 + n,
    hops: n % 4,
    safe_seeding: n % 2,
    selected_files: n % 3 === 0 ? '[0,2]' : null,
    user_stopped: n % 2,
    total_up: n * 1000,
    total_down: n * 2000,
    finished_at: n % 2 === 0 ? 1_600_000_100_000 + n : null,
    error: n % 5 === 0 ? 'no space' : '',
    position: n,
    piece_count: OLD_PIECES,
    ...(schema < 3 ? {} : controlColumns(n)),
    ...(schema < 4 ? {} : { info_hash_v2: n % 2 === 0 ? 'ef'.repeat(32) : null, web_seeds: '["http://seed.test/a/"]' }),
    ...(schema < 15 || n % 2 === 0 ? {} : { queue_order: -n - 0.5 }),
    ...(schema < 16 ? {} : { renames: n % 2 === 0 ? '{"now":[["a","b"]],"to":null,"from":null}' : null }),
  }
}

const controlColumns = (n: number): Row => ({
  controls: n % 2 === 0 ? JSON.stringify({ maxDownloadRate: 5, maxUploadRate: 6, labels: ['old'] }) : null,
  seeded_sec: n * 10,
  goal_reached: n % 2,
  moving_to: n % 7 === 0 ? '/data/new' : null,
  moved_from: n % 7 === 1 ? '/data/old' : null,
})

/** What it wrote in `metainfo`. */
export function oldMetainfo(schema: number, n: number): Row {
  return {
    download_id: n,
    info: Buffer.from(`d4:name1:${n % 10}e`),
    ...(schema < 2 ? {} : { comment: `comment ${n}`, created_by: null, creation_date: 1_500_000_000 + n }),
    ...(schema < 4 ? {} : { piece_layers: Buffer.from('de') }),
  }
}

const oldProgress = (n: number): Row => ({
  download_id: n,
  have: bitsOf(OLD_PIECES, [1, n % OLD_PIECES]),
  files: JSON.stringify([{ index: 0, exists: true, sizeBytes: 20, mtimeMs: 7 }]),
  checkpoint_at: 1_600_000_000_000,
  complete: 1,
})

const oldFollowed: Row = {
  target: 'ab'.repeat(20),
  public_key: 'cd'.repeat(32),
  salt: '',
  uri: 'magnet:?xs=urn:btpk:x',
  request: '{"destination":"/data"}',
  added_at: 5,
  seq: '9223372036854775807',
  value: Buffer.from('de'),
  signature: Buffer.alloc(64, 1),
  versions: `[["${hashOf(1)}","7",3]]`,
}

const oldPublished: Row = {
  name: 'dataset',
  info_hash: hashOf(3),
  seq: '8',
  value: Buffer.from('de'),
  signature: Buffer.alloc(64, 2),
  published_at: 9,
}

const oldAnnounce: Row = {
  info_hash: hashOf(1),
  tracker: 'http://t1/announce',
  may_ask_at: 2_000_000_000_000,
  may_start_at: 1_999_999_000_000,
  min_ms: 600_000,
  peers: '[{"ip":"10.0.0.1","port":1}]',
}

const oldWatching: Row = {
  download_id: 1,
  file: 2,
  name: 'b.mkv',
  position: 101_000,
  duration: null,
  watched: 1,
  at: 5,
}

/** How the run that wrote it ended, and in which boot of the machine. */
export interface OldEnd {
  readonly clean: boolean
  readonly bootId: string
}

/** Makes a database of `schema` (1 is the first) with `downloads` downloads and three events. */
export function makeOldDatabase(path: string, schema: number, downloads: number, end: OldEnd): void {
  const database = new Database(path)
  database.pragma('journal_mode = WAL')
  const insert = (table: string, row: Row): void => {
    const names = Object.keys(row)
    const places = names.map(() => '?').join(', ')
    database.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${places})`).run(...Object.values(row))
  }
  database.transaction(() => {
    for (const { sql } of migrations.slice(0, schema)) database.exec(sql)
    database.pragma(`application_id = ${APPLICATION_ID}`)
    database.pragma(`user_version = ${schema}`)
    for (let n = 1; n <= downloads; n++) {
      insert('downloads', oldDownload(schema, n))
      insert('metainfo', oldMetainfo(schema, n))
      insert('progress', oldProgress(n))
      insert('piece_journal', { download_id: n, piece: 3, at_ms: 1_600_000_000_500, epoch: 4 })
    }
    for (let n = 1; n <= 3; n++)
      insert('events', { at: 1_699_999_999_000 + n, type: 'torrent_finished', payload: `{"infohash":"${n}"}` })
    for (const [key, value] of Object.entries(nodeValues(end))) insert('node', { key, value: Buffer.from(value) })
    if (schema >= 5) insert('followed_keys', oldFollowed)
    if (schema >= 5) insert('published_torrents', oldPublished)
    if (schema >= 6) insert('seen_files', { path: '/watch/a.torrent', size: 3, mtime: 4, gone_at: null })
    if (schema >= 7) insert('settings_history', { at: 5, option: 'a.b', value: '1', origin: 'request' })
    if (schema >= 8) insert('feeds', { channel: hashOf(5), url: 'http://feeds.test/', added_at: 7, etag: '"x"' })
    if (schema >= 8) insert('feed_items', { feed: 1, item: OLD_FEED_ITEM, seen_at: 8 })
    if (schema >= 10) insert('own_files', { download_id: 1, first: 0, last: 3 })
    if (schema >= 11) insert('announces', oldAnnounce)
    if (schema >= 13) insert('watching', oldWatching)
    if (schema >= 17) insert('rates', { download_id: 1, sums: Buffer.from('sums') })
    if (schema >= 14) insert('made_files', { download_id: 1, file: 0, mark: '5-6' })
    if (schema >= 7) insert('discovered_metadata', { info_hash: hashOf(9), info: Buffer.from('de'), found_at: 6 })
  })()
  assertFilled(database)
  database.close()
}

/** A step that adds a table must add rows of it in here, or an upgrade with data in it goes untested. */
function assertFilled(database: Database.Database): void {
  const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all() as string[]
  for (const table of tables) {
    const rows = database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number
    if (rows === 0) throw new Error(`no rows of ${table} in old-databases.ts`)
  }
}

const nodeValues = ({ clean, bootId }: OldEnd): Record<string, string> => ({
  clean_stop: clean ? '1' : '0',
  boot_id: bootId,
  epoch: '4',
  'value.link-secret': 'secret',
})
