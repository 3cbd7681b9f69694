// Channels in the life of a node: not before it has started, once, again after a start that failed or a catalogue that
// was lost, and with the node where there is a catalogue; the end waits for a start under way, but not for ever.

import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import { CATALOGUE_FILE_NAME } from '../../../../../src/chapters/channels/catalogue/file-name.ts'
import type { ChannelPartsDeps, RunningChannels } from '../../../../../src/chapters/channels/wiring/channel-parts.ts'
import {
  ChannelServices,
  type EarlyChannelDeps,
  type LateChannelDeps,
} from '../../../../../src/chapters/channels/wiring/channel-services.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

interface Started {
  readonly deps: ChannelPartsDeps
  stopped: number
}

type Start = (deps: ChannelPartsDeps) => Promise<void>

async function channelServices(t: TestContext, start: Start = () => Promise.resolve()) {
  const stateDir = await mkdtemp(join(os.tmpdir(), 'tributary-channel-services-'))
  t.after(() => rm(stateDir, { recursive: true, force: true }))
  const clock = new VirtualClock()
  const starts: Started[] = []
  const startChannels = async (deps: ChannelPartsDeps): Promise<RunningChannels> => {
    const started: Started = { deps, stopped: 0 }
    starts.push(started)
    await start(deps)
    const library = { own: async () => [], counts: async () => ({ channels: 5 }) }
    const stop = async (): Promise<void> => {
      started.stopped += 1
    }
    return { library, stop } as unknown as RunningChannels
  }
  const early = { stateDir, clock, log: silentLog } as unknown as EarlyChannelDeps
  const services = new ChannelServices(early, async () => ({ startChannels }))
  return { services, starts, clock, stateDir }
}

const late = {} as LateChannelDeps

test('before the node has started they are not ready; then they start once, with the first request', async t => {
  const { services, starts } = await channelServices(t)
  const { channels } = services.services
  await assert.rejects(channels.mine(), { code: 'NotReady' })
  await services.start(late)
  assert.equal(starts.length, 0)
  assert.equal(await services.counted(), 0)
  await Promise.all([1, 2, 3].map(() => assert.rejects(channels.mine(), { code: 'ChannelNotFound' })))
  assert.equal(starts.length, 1)
  assert.equal(await services.counted(), 5)
  await services.stop(1000)
  assert.equal(starts[0]?.stopped, 1)
  await assert.rejects(channels.mine(), { code: 'NotReady' })
})

test('where there is a catalogue they start with the node', async t => {
  const { services, starts, stateDir } = await channelServices(t)
  await writeFile(join(stateDir, CATALOGUE_FILE_NAME), '')
  await services.start(late)
  assert.equal(starts.length, 1)
  await services.stop(1000)
})

test('a start that failed is an error, and tried again by the next request', async t => {
  let fails = true
  const { services, starts } = await channelServices(t, async () => {
    if (fails) throw new AppError('DiskFull')
  })
  await services.start(late)
  await assert.rejects(services.open(), { code: 'DiskFull' })
  fails = false
  await services.open()
  assert.equal(starts.length, 2)
  await services.stop(1000)
})

test('a catalogue that is lost takes the rest along, and the next request starts them again', async t => {
  const { services, starts } = await channelServices(t)
  await services.start(late)
  await services.open()
  starts[0]?.deps.onLost()
  assert.equal(services.running, null)
  await services.open()
  assert.deepEqual(
    starts.map(({ stopped }) => stopped),
    [1, 0],
  )
  await services.stop(1000)
})

test('one that is lost while it opens is no running one', async t => {
  const { services, starts } = await channelServices(t, async deps => deps.onLost())
  await services.start(late)
  await assert.rejects(services.open(), { code: 'WorkerLost' })
  assert.equal(services.running, null)
  assert.equal(starts[0]?.stopped, 1)
})

test('the end waits for a start under way, but not longer than it may', async t => {
  const { services, clock, starts } = await channelServices(t, () => new Promise(() => undefined))
  await services.start(late)
  void services.open().catch(() => undefined)
  await new Promise(resolve => setImmediate(resolve))
  const ended = services.stop(500)
  await clock.advance(499)
  assert.equal(await Promise.race([ended.then(() => 'ended'), Promise.resolve('waits')]), 'waits')
  await clock.advance(1)
  await ended
  assert.equal(starts[0]?.stopped, 0)
})
