// Looks at the files of many torrents in one folder: what they cost, and that they say what a look at each would.

import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { FolderLooks } from '../../../src/io/files/folder-looks.ts'
import { plainLanes } from '../../../src/io/files/volume-lanes.ts'
import { SystemClock } from '../../../src/io/clock.ts'
import type { TorrentFile } from '../../../src/wire/metainfo/torrent-types.ts'

const COUNT = 60

function folderOf(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'tributary-looks-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function fileAt(index: number, path: readonly string[]): TorrentFile {
  return {
    index,
    path,
    length: 10,
    offset: index * 10,
    padding: false,
    executable: false,
    hidden: false,
  } as TorrentFile
}

function looksOf(resolved: string[] = []): FolderLooks {
  const resolve = (path: string): Promise<string> => {
    resolved.push(path)
    return realpath(path)
  }
  return new FolderLooks({ lanes: plainLanes(new SystemClock()), own: () => null, resolve })
}

test('torrents of one folder that are looked at together resolve and open it a few times, not once each', async t => {
  const destination = folderOf(t)
  for (let n = 0; n < COUNT; n++) writeFileSync(join(destination, `file-${n}`), 'x'.repeat(n))
  const resolved: string[] = []
  const looks = looksOf(resolved)
  const found = await Promise.all(
    Array.from({ length: COUNT }, (_, n) => looks.facts({ destination, files: [fileAt(0, [`file-${n}`])] })),
  )
  assert.deepEqual(
    found.map(([facts]) => [facts?.exists, facts?.sizeBytes]),
    Array.from({ length: COUNT }, (_, n) => [true, n]),
  )
  assert.ok(resolved.length <= 3, `resolved ${resolved.length} times`)
})

test('torrents that come one in each turn of the loop find the folder open', async t => {
  const destination = folderOf(t)
  writeFileSync(join(destination, 'file'), 'abc')
  const resolved: string[] = []
  const looks = looksOf(resolved)
  const found: Promise<unknown>[] = []
  for (let n = 0; n < COUNT; n++) {
    found.push(looks.facts({ destination, files: [fileAt(0, ['file'])] }))
    await nextTurn()
  }
  await Promise.all(found)
  assert.ok(resolved.length <= COUNT / 4, `resolved ${resolved.length} times`)
})

test('links, folders, what is gone and a destination that is gone count as absent', async t => {
  const destination = folderOf(t)
  mkdirSync(join(destination, 'folder'))
  writeFileSync(join(destination, 'folder', 'inner'), 'abcd')
  symlinkSync('folder', join(destination, 'way'))
  symlinkSync('folder/inner', join(destination, 'link'))
  const looks = looksOf()
  const paths = [['link'], ['folder'], ['gone'], ['way', 'inner'], ['folder', 'inner']]
  const facts = await looks.facts({ destination, files: paths.map((path, index) => fileAt(index, path)) })
  assert.deepEqual(
    facts.map(({ exists, sizeBytes }) => (exists ? sizeBytes : null)),
    [null, null, null, null, 4],
  )
  const [nowhere] = await looks.facts({ destination: join(destination, 'none'), files: [fileAt(0, ['a'])] })
  assert.equal(nowhere?.exists, false)
})
