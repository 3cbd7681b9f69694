// Facts that are kept: over restarts, within their bounds, and not of downloads that are gone or damaged files.

import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { readdir, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { FilmFacts } from '../../../../../src/chapters/media/core/film-facts.ts'
import { FactsFolder, type FactsFolderLimits } from '../../../../../src/chapters/media/io/facts-folder.ts'
import { makeTestFolder, type TestFolder } from '../../../../kit/content/content-on-disk.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'

const HASHES = ['a', 'b', 'c'].map(digit => digit.repeat(40))

const factsOf = (duration: number, keys = 0): FilmFacts => ({
  container: 'mp4',
  fragmented: false,
  duration,
  bitrate: null,
  seek: 'keys',
  note: '',
  tracks: [],
  chapters: [],
  index: [],
  keys: {
    track: 1,
    times: Array.from({ length: keys }, (_, at) => at),
    bytes: new Array<number>(keys).fill(1),
    gap: 0,
  },
})

describe('kept facts', () => {
  let place: TestFolder
  let folder = ''
  const open = (limits?: FactsFolderLimits, isWanted = (_hash: string) => true): FactsFolder =>
    new FactsFolder({ folder, log: silentLog, isWanted, ...(limits !== undefined && { limits }) })

  beforeEach(async () => {
    place = await makeTestFolder()
    folder = join(place.path, 'media')
  })
  afterEach(() => place.remove())

  test('are there after a restart, also a table of 16,384 key frames', async () => {
    const facts = factsOf(7200, 16_384)
    await open().put(`${HASHES[0]}-0`, facts)
    assert.deepEqual(await open().get(`${HASHES[0]}-0`), facts)
    assert.equal(await open().get(`${HASHES[0]}-1`), null)
  })

  test('are there for everybody who asks at the same moment', async () => {
    await open().put(`${HASHES[0]}-0`, factsOf(1))
    const kept = open()
    const both = await Promise.all([kept.get(`${HASHES[0]}-0`), kept.get(`${HASHES[0]}-0`)])
    assert.deepEqual(
      both.map(facts => facts?.duration),
      [1, 1],
    )
  })

  test('the least lately used go first, by number and by bytes', async () => {
    const kept = open({ films: 2, bytes: 1_000_000 })
    await kept.put(`${HASHES[0]}-0`, factsOf(1))
    await kept.put(`${HASHES[1]}-0`, factsOf(2))
    await kept.get(`${HASHES[0]}-0`)
    await kept.put(`${HASHES[2]}-0`, factsOf(3))
    assert.deepEqual((await readdir(folder)).sort(), [`${HASHES[0]}-0.json`, `${HASHES[2]}-0.json`])
    for (const [at, hash] of [HASHES[2], HASHES[0]].entries()) await utimes(join(folder, `${hash}-0.json`), at, at)
    const small = open({ films: 10, bytes: 300 })
    assert.equal(await small.get(`${HASHES[2]}-0`), null, 'the older one')
    assert.equal((await small.get(`${HASHES[0]}-0`))?.duration, 1)
  })

  test('damaged ones and those of another version are read again; those of downloads that are gone are deleted', async () => {
    await open().put(`${HASHES[0]}-0`, factsOf(1))
    await open().put(`${HASHES[1]}-0`, factsOf(2))
    await open().put(`${HASHES[2]}-0`, factsOf(3))
    await writeFile(join(folder, `${HASHES[0]}-0.json`), '{"version":1,"fac')
    await writeFile(join(folder, `${HASHES[1]}-0.json`), '{"version":0,"facts":{}}')
    const kept = open(undefined, hash => hash !== HASHES[2])
    for (const hash of HASHES) assert.equal(await kept.get(`${hash}-0`), null)
    assert.deepEqual(await readdir(folder), [])
  })

  test('a file that vanishes while they are listed costs itself alone', async () => {
    for (const [at, hash] of HASHES.entries()) await open().put(`${hash}-0`, factsOf(at))
    const kept = open(undefined, hash => {
      if (hash === HASHES[0]) rmSync(join(folder, `${HASHES[1]}-0.json`))
      return true
    })
    const found = await Promise.all(HASHES.map(hash => kept.get(`${hash}-0`)))
    assert.deepEqual(
      found.map(facts => facts?.duration),
      [0, undefined, 2],
    )
  })

  test('a folder that cannot be written costs the keeping alone', async () => {
    await writeFile(folder, 'no folder')
    const kept = open()
    await kept.put(`${HASHES[0]}-0`, factsOf(1))
    assert.equal(await kept.get(`${HASHES[0]}-0`), null)
  })
})
