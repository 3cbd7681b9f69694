// Child of power-loss.test: writes files with every call that the product uses, half of them synced; then says so and
// waits for the end.

import {
  appendFileSync,
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  renameSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
  writevSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'

const [folder = ''] = process.argv.slice(2)
const at = (name: string): string => join(folder, name)

function syncPath(path: string): void {
  const file = openSync(path, 'r')
  fsyncSync(file)
  closeSync(file)
}

function first(): void {
  for (const name of ['replaced', 'renamed', 'removed', 'cut', 'appended', 'inside', 'vectors', 'later']) {
    writeFileSync(at(name), 'old old old')
    syncPath(at(name))
  }
  mkdirSync(at('db'))
  syncPath(folder)
}

async function second(): Promise<void> {
  writeFileSync(at('replaced.new'), 'new')
  syncPath(at('replaced.new'))
  renameSync(at('replaced.new'), at('replaced'))
  syncPath(folder)
  writeFileSync(at('renamed.new'), 'new')
  syncPath(at('renamed.new'))
  renameSync(at('renamed.new'), at('renamed'))
  unlinkSync(at('removed'))
  truncateSync(at('cut'), 3)
  appendFileSync(at('appended'), ' and more')
  const inside = openSync(at('inside'), 'r+')
  writeSync(inside, 'NEW', 4)
  const vectors = openSync(at('vectors'), 'r+')
  writevSync(vectors, [Buffer.from('NEW'), Buffer.from('NEW')], 4)
  const later = await open(at('later'), 'r+')
  await later.writev([Buffer.from('syn')], 0)
  await later.datasync()
  await later.writev([Buffer.from('LOST')], 4)
  mkdirSync(at('made'))
  writeFileSync(at('made/file'), 'new')
}

function database(): void {
  const records = new Database(at('db/records.db'))
  records.pragma('journal_mode = WAL')
  records.exec('CREATE TABLE IF NOT EXISTS t (n INTEGER)')
  syncPath(at('db'))
  for (const [synchronous, n] of [
    ['FULL', 1],
    ['NORMAL', 2],
  ] as const) {
    records.pragma(`synchronous = ${synchronous}`)
    records.prepare('INSERT INTO t VALUES (?)').run(n)
  }
}

first()
await second()
database()
writeSync(1, 'done\n')
setInterval(() => undefined, 1_000)
