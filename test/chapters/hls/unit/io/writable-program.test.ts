// A program that the node's own user may write is told: what it downloads would be run.

import assert from 'node:assert/strict'
import { chmod, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { FfmpegConverter } from '../../../../../src/chapters/hls/io/ffmpeg-converter.ts'
import { writableOf } from '../../../../../src/chapters/hls/io/writable-program.ts'
import { checkFfmpeg } from '../../../../../src/chapters/hls/wiring/hls-doctor.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

describe('a program that its user may write', () => {
  let folder: string
  let program: string
  let link: string
  let owner: number
  let group: number
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tributary-writable-'))
    program = join(folder, 'ffmpeg')
    link = join(tmpdir(), `tributary-link-${process.pid}`)
    await writeFile(program, '#!/bin/sh\necho "ffmpeg version 9.9"\necho " A..... aac  AAC"\n')
    await symlink(program, link)
    const found = await stat(program)
    owner = found.uid
    group = found.gid
  })
  after(async () => {
    await rm(folder, { recursive: true, force: true })
    await rm(link, { force: true })
  })
  const modes = async (file: number, ofFolder: number): Promise<void> => {
    await chmod(program, file)
    await chmod(folder, ofFolder)
  }

  test('by its owner, its group, everybody, and by its folder, also behind a link', async () => {
    const stranger = { uid: 4_000_001, groups: [4_000_001] }
    const member = { uid: 4_000_001, groups: [4_000_001, group] }
    await modes(0o755, 0o755)
    assert.equal(await writableOf(program, stranger), null)
    assert.equal(await writableOf(program, member), null)
    // The folder of the link is everybody's, but there each takes away its own alone.
    assert.equal(await writableOf(link, stranger), null)
    await modes(0o775, 0o755)
    assert.equal(await writableOf(program, member), program)
    assert.equal(await writableOf(program, stranger), null)
    await modes(0o757, 0o755)
    assert.equal(await writableOf(link, stranger), program)
    await modes(0o755, 0o757)
    assert.equal(await writableOf(link, stranger), folder)
    await modes(0o755, 0o755)
    if (owner !== 0) assert.equal(await writableOf(program, { uid: owner, groups: [] }), program)
  })

  test('of root, where there are no users, and of what is not there nothing is said', async () => {
    await modes(0o777, 0o777)
    assert.equal(await writableOf(program, { uid: 0, groups: [0] }), null)
    assert.equal(await writableOf(program, null), null)
    assert.equal(await writableOf('/nowhere/ffmpeg', { uid: 4_000_001, groups: [] }), null)
  })

  test('the doctor says it', async () => {
    await modes(0o757, 0o755)
    const findings = await checkFfmpeg(program, { uid: 4_000_001, groups: [] })
    const told = findings.filter(({ text }) => text.includes(`may write ${program}`))
    assert.deepEqual(
      told.map(({ state }) => state),
      ['warning'],
    )
    await modes(0o755, 0o755)
    const quiet = await checkFfmpeg(program, { uid: 4_000_001, groups: [] })
    assert.equal(
      quiet.some(({ text }) => text.includes('may write')),
      false,
    )
  })

  test('so does the log of the node, once', async () => {
    await modes(0o757, 0o755)
    const said: unknown[] = []
    const log = { ...silentLog, warn: (text: string, fields: unknown) => void said.push([text, fields]) }
    const time = new VirtualClock()
    const user = { uid: 4_000_001, groups: [] }
    const converter = new FfmpegConverter({ path: program, clock: time, log, user })
    for (const _ of [0, 1]) {
      assert.equal((await converter.abilities()).sound, true)
      await time.advance(60_000)
    }
    await converter.stop()
    assert.deepEqual(
      said.filter(one => JSON.stringify(one).includes('may write')),
      [['the user of this node may write its ffmpeg', { path: program }]],
    )
  })
})
