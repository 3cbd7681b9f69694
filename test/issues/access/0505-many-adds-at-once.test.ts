// Many destinations are judged and made at the same time: who has a turn at a volume waits for no other turn in it. (32
// adds at once waited for each other, and none was ever answered.)

import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { SystemClock } from '../../../src/io/clock.ts'
import { prepareFolder } from '../../../src/io/files/local-paths.ts'
import { mountsNow, readMounts } from '../../../src/io/files/mounts.ts'
import { StateFiles } from '../../../src/io/files/own-files.ts'
import { VolumeLanes } from '../../../src/io/files/volume-lanes.ts'
import { makeTestFolder } from '../../kit/content/content-on-disk.ts'

test('a hundred destinations are ready together', { timeout: 20_000 }, async t => {
  const folder = await makeTestFolder()
  t.after(() => folder.remove())
  const state = join(folder.path, 'state')
  mkdirSync(state)
  const clock = new SystemClock()
  const volumes = new VolumeLanes({ threads: 4, statePath: state }, { clock, mounts: mountsNow(), readMounts })
  const own = new StateFiles({ stateDir: state, real: state }, () => '', volumes)
  const places = Array.from({ length: 100 }, (_, at) => join(folder.path, 'to', `${at % 10}`, `${at}`))
  assert.deepEqual(await Promise.all(places.map(place => prepareFolder(place, { own, volumes }))), places)
  await assert.rejects(prepareFolder(join(state, 'keys'), { own, volumes }), { code: 'PathNotAllowed' })
})
