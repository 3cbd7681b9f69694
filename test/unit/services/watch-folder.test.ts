// The watch folder over a folder in memory and virtual time: what is started, when, how often, and what becomes of the
// file.

import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { AppError } from '../../../src/base/errors.ts'
import type { SeenFile, SeenFiles } from '../../../src/ports/seen-files.ts'
import type { DroppedFile, FolderLook, ReadFile, WatchedFolder } from '../../../src/ports/watched-folder.ts'
import { isWanted, WatchFolder, type WatchFolderSettings } from '../../../src/services/watch/watch-folder.ts'
import { silentLog } from '../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../kit/sim/virtual-clock.ts'

class MemorySeen implements SeenFiles {
  readonly rows = new Map<string, SeenFile>()
  async list(): Promise<SeenFile[]> {
    return [...this.rows.values()]
  }
  async keep(files: readonly SeenFile[]): Promise<void> {
    for (const file of files) this.rows.set(file.path, file)
  }
  async drop(paths: readonly string[]): Promise<void> {
    for (const path of paths) this.rows.delete(path)
  }
}

/** Files by path; `heard` is null when nobody listens. */
class MemoryFolder implements WatchedFolder {
  readonly files = new Map<string, { text: string; mtimeMs: number }>()
  there = true
  readOnly = false
  heard: (() => void) | null = null
  looks = 0

  async look(): Promise<FolderLook | null> {
    this.looks++
    if (!this.there) return null
    const files = [...this.files].map(([path, file]) => dropped(path, file)).filter(({ path }) => isWanted(path))
    return { files, whole: true }
  }
  listen(heard: () => void): void {
    this.heard = heard
  }
  async read(path: string, maxBytes: number): Promise<ReadFile | null> {
    const file = this.files.get(path)
    if (file === undefined) throw new Error('ENOENT')
    return file.text.length > maxBytes ? null : { bytes: Buffer.from(file.text), file: dropped(path, file) }
  }
  async setAside(path: string): Promise<string> {
    return this.moveInto(path, `${path}.corrupt`)
  }
  async moveInto(path: string, folder: string): Promise<string> {
    if (this.readOnly) throw new Error('EROFS')
    const target = folder.endsWith('.corrupt') ? folder : `${folder}/moved${path.slice(-8)}`
    this.files.set(target, this.files.get(path) ?? { text: '', mtimeMs: 0 })
    await this.remove(path)
    return target
  }
  async remove(path: string): Promise<void> {
    if (this.readOnly) throw new Error('EROFS')
    this.files.delete(path)
  }
  close(): void {
    this.heard = null
  }
}

function dropped(path: string, { text, mtimeMs }: { text: string; mtimeMs: number }): DroppedFile {
  return { path, size: text.length, mtimeMs }
}

/** Takes texts that begin with `good`. `seen` outlives a restart. */
class World {
  readonly clock = new VirtualClock()
  readonly folder = new MemoryFolder()
  readonly started: string[] = []
  readonly events: unknown[] = []
  failure: AppError | null = null
  settings: WatchFolderSettings = { directory: '/w', startedFiles: 'keep', movedTo: '', corruptAfterSec: 10 }
  readonly seen: MemorySeen
  watch: WatchFolder

  constructor(seen = new MemorySeen()) {
    this.seen = seen
    this.watch = this.#make()
  }

  #make(): WatchFolder {
    return new WatchFolder({
      clock: this.clock,
      log: silentLog,
      events: { emit: (type: string, event?: unknown) => this.events.push({ type, event }) },
      downloads: {
        add: async ({ uri }) => this.#start(uri),
        addFile: async bytes => this.#start(Buffer.from(bytes).toString()),
      },
      seen: this.seen,
      settings: () => this.settings,
      open: () => this.folder,
    })
  }

  async #start(text: string): Promise<void> {
    if (this.failure !== null) throw this.failure
    if (!/^good|^magnet:/.test(text)) throw new AppError('TorrentUnreadable', 'bad bencode')
    this.started.push(text)
  }

  async restart(): Promise<void> {
    await this.watch.stop()
    this.watch = this.#make()
    await this.watch.start()
  }

  write(path: string, text: string): void {
    this.folder.files.set(path, { text, mtimeMs: this.clock.wallMs() })
  }

  /** Lets time pass in the pace of the looks. */
  pass(ms: number): Promise<void> {
    return this.clock.advance(ms)
  }
}

async function world(seen?: MemorySeen): Promise<World> {
  const made = new World(seen)
  await made.watch.start()
  await made.pass(10)
  return made
}

describe('the watch folder', () => {
  test('a torrent is started within a second though the system tells of nothing', async () => {
    const at = await world()
    at.write('/w/a.torrent', 'good a')
    await at.pass(1000)
    assert.deepEqual(at.started, ['good a'])
  })

  test('what the system tells of is started at once', async () => {
    const at = await world()
    await at.pass(900)
    at.write('/w/a.torrent', 'good a')
    at.folder.heard?.()
    await at.pass(200)
    assert.deepEqual(at.started, ['good a'])
  })

  test('nothing is started twice: not by looking again, not after a restart', async () => {
    const at = await world()
    at.write('/w/a.torrent', 'good a')
    await at.pass(60_000)
    await at.restart()
    await at.pass(60_000)
    assert.deepEqual(at.started, ['good a'])
    at.write('/w/a.torrent', 'good b')
    await at.pass(2000)
    assert.deepEqual(at.started, ['good a', 'good b'], 'another time is another file')
  })

  test('a folder that was away for an hour, as a network mount is, starts nothing again', async () => {
    const at = await world()
    at.write('/w/a.torrent', 'good a')
    await at.pass(2000)
    const files = [...at.folder.files]
    at.folder.files.clear()
    await at.pass(3000)
    at.folder.there = false
    await at.pass(3600 * 1000)
    await at.restart()
    at.folder.there = true
    for (const [path, file] of files) at.folder.files.set(path, file)
    await at.pass(5000)
    assert.deepEqual(at.started, ['good a'])
    assert.equal(at.seen.rows.get('/w/a.torrent')?.goneAtMs, null)
  })

  test('files that have gone are forgotten after a month', async () => {
    const at = await world()
    at.write('/w/a.torrent', 'good a')
    await at.pass(2000)
    at.folder.files.clear()
    await at.pass(2000)
    assert.equal(at.seen.rows.size, 1)
    await at.pass(1000)
    at.settings = { ...at.settings, directory: '' }
    at.watch.settingsChanged()
    await at.pass(31 * 24 * 3600 * 1000)
    await at.restart()
    assert.equal(at.seen.rows.size, 0)
  })

  test('a torrent that is written slowly is started when it is whole, and is not corrupt before', async () => {
    const at = await world()
    for (let part = 0; part < 5; part++) {
      at.write('/w/slow.torrent', 'x'.repeat(part))
      await at.pass(8000)
    }
    assert.deepEqual([at.started, at.events], [[], []])
    at.write('/w/slow.torrent', 'good now')
    await at.pass(1000)
    assert.deepEqual([at.started, at.events], [['good now'], []])
  })

  test('a corrupt file is renamed and told once when it has been still for a while', async () => {
    const at = await world()
    at.write('/w/sub/bad.torrent', 'nonsense')
    await at.pass(9000)
    assert.deepEqual(at.events, [])
    await at.pass(60_000)
    assert.deepEqual(at.events, [{ type: 'watch_folder_corrupt_torrent', event: { name: 'bad.torrent' } }])
    assert.deepEqual([...at.folder.files.keys()], ['/w/sub/bad.torrent.corrupt'])
  })

  test('one that cannot be renamed is reported once too, also over a restart', async () => {
    const at = await world()
    at.folder.readOnly = true
    at.write('/w/bad.torrent', 'nonsense')
    await at.pass(60_000)
    await at.restart()
    await at.pass(60_000)
    assert.equal(at.events.length, 1)
  })

  test('a file of magnet links is started when it is still; each line is a link', async () => {
    const at = await world()
    at.write('/w/a.magnet', 'magnet:?xt=urn:btih:1&tr=htt')
    at.folder.heard?.()
    await at.pass(200)
    assert.deepEqual(at.started, [])
    at.write('/w/a.magnet', '\uFEFF# two\r\nmagnet:?xt=1&tr=http\r\n\r\nmagnet:?xt=2\n')
    await at.pass(2000)
    assert.deepEqual(at.started, ['magnet:?xt=1&tr=http', 'magnet:?xt=2'])
  })

  test('a file of links with another line in it, or none, is corrupt and nothing of it is started', async () => {
    const at = await world()
    at.write('/w/a.magnet', 'magnet:?xt=1\nhttp://a.example/x.torrent')
    at.write('/w/b.magnet', '# nothing')
    await at.pass(20_000)
    assert.deepEqual(at.started, [])
    assert.equal(at.events.length, 2)
  })

  test('what is not the fault of the file is tried again, more and more seldom', async () => {
    const at = await world()
    at.failure = new AppError('DiskFull')
    at.write('/w/a.torrent', 'good a')
    await at.pass(120_000)
    assert.deepEqual([at.started, at.events], [[], []])
    at.failure = null
    await at.pass(300_000)
    assert.deepEqual(at.started, ['good a'])
  })

  test('a file too large to be a torrent is corrupt', async () => {
    const at = await world()
    at.write('/w/huge.torrent', `good${' '.repeat(17 * 1024 * 1024)}`)
    await at.pass(15_000)
    assert.deepEqual(at.started, [])
    assert.equal(at.events.length, 1)
  })

  test('settings count at once: the folder, and what becomes of started files', async () => {
    const at = await world()
    at.settings = { ...at.settings, startedFiles: 'delete' }
    at.write('/w/a.torrent', 'good a')
    await at.pass(1000)
    assert.deepEqual([...at.folder.files.keys()], [])
    at.settings = { ...at.settings, startedFiles: 'move' }
    at.write('/w/b.torrent', 'good b')
    await at.pass(1000)
    assert.deepEqual([...at.folder.files.keys()], ['/w/.started/moved.torrent'])
    at.settings = { ...at.settings, startedFiles: 'move', movedTo: '/done' }
    at.write('/w/c.torrent', 'good c')
    await at.pass(1000)
    assert.ok(at.folder.files.has('/done/moved.torrent'))
    at.settings = { ...at.settings, directory: '' }
    at.watch.settingsChanged()
    at.write('/w/d.torrent', 'good d')
    await at.pass(10_000)
    assert.deepEqual(at.started, ['good a', 'good b', 'good c'])
    at.settings = { ...at.settings, directory: '/w' }
    at.watch.settingsChanged()
    await at.pass(1000)
    assert.deepEqual(at.started.at(-1), 'good d')
  })

  test('a file that is moved into a folder of the watched one is started once, and moved once', async () => {
    const at = await world()
    at.settings = { ...at.settings, startedFiles: 'move', movedTo: '/w/done' }
    at.write('/w/a.torrent', 'good a')
    await at.pass(20_000)
    assert.deepEqual(at.started, ['good a'])
    await at.restart()
    await at.pass(20_000)
    assert.deepEqual(at.started, ['good a'])
  })

  test('nothing is left running after stop', async () => {
    const at = await world()
    await at.watch.stop()
    const { looks } = at.folder
    await at.pass(10_000)
    assert.equal(at.folder.looks, looks)
    assert.equal(at.clock.pending, 0)
    assert.equal(at.folder.heard, null)
  })

  test('a thousand files are started, each once', async () => {
    const at = await world()
    for (let n = 0; n < 1000; n++) at.write(`/w/${n}.torrent`, `good ${n}`)
    await at.pass(5000)
    assert.equal(new Set(at.started).size, 1000)
    assert.equal(at.started.length, 1000)
  })
})
