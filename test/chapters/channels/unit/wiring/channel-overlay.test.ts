// The overlay of channels in a node: a port that is taken does not end it, settings do; who looks for a channel waits
// for it.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { AppError } from '../../../../../src/base/errors.ts'
import { joinNetworks } from '../../../../../src/chapters/channels/network/joined-networks.ts'
import { ChannelOverlay } from '../../../../../src/chapters/channels/wiring/channel-overlay.ts'
import type { ChannelSettings } from '../../../../../src/chapters/channels/wiring/settings-channels.ts'
import type { Communities } from '../../../../../src/chapters/overlay/core/index.ts'
import { noChannelNetwork } from '../../../../../src/chapters/channels/ports/channel-network.ts'
import { ChannelNet, type ChannelNode } from '../../kit/channel-network.ts'
import { MemoryCatalogue } from '../../kit/memory-catalogue.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'

function settings(changes: Partial<Record<'ipv8' | 'channel_community', { enabled: boolean }>> = {}): ChannelSettings {
  const on = { enabled: true }
  const sections = { ipv8: on, dispersy: on, channel_community: on, allchannel_community: on, search_community: on }
  return { ...sections, ...changes } as unknown as ChannelSettings
}

function overlayOf(
  net: ChannelNet,
  now: ChannelSettings,
  communities: () => Promise<Communities>,
  warned: unknown[] = [],
): ChannelOverlay {
  const catalogue = new MemoryCatalogue('a node', () => Math.floor(net.clock.wallMs() / 1000))
  const log = { ...silentLog, warn: (...said: unknown[]) => void warned.push(said.at(-1)) }
  const deps = { catalogue, clock: net.clock, random: net.net.random, log, settings: () => now }
  return new ChannelOverlay({ ...deps, overlay: { communities } })
}

test('a start that failed is tried again; a search for a channel waits for it and finds', async () => {
  const net = new ChannelNet(31)
  const [author] = (await net.grow(2)) as unknown as [ChannelNode]
  const channel = author.catalogue.create('Found late')
  const { overlays } = await net.net.add()
  let asked = 0
  const overlay = overlayOf(net, settings(), () =>
    ++asked < 3 ? Promise.reject(new AppError('PortTaken', 'taken')) : Promise.resolve(overlays),
  )
  assert.equal(overlay.standing.state, 'starting')
  await overlay.start()
  assert.deepEqual([overlay.standing.state, overlay.standing.problem], ['failed', 'taken'])
  const found = overlay.find(channel, 30_000)
  await net.clock.advance(30_000)
  assert.equal(asked, 3)
  assert.notEqual(overlay.mesh, null)
  assert.equal(await found, true)
  assert.deepEqual(
    [overlay.standing.state, overlay.standing.peers > 0, overlay.standing.problem],
    ['connected', true, ''],
  )
  await overlay.stop()
  assert.equal(await overlay.find(channel, 1_000), false)
  await net.close()
})

test('settings switch it off, and nothing is asked for after the end', async () => {
  const net = new ChannelNet(32)
  let asked = 0
  const taken = (): Promise<Communities> => {
    asked++
    return Promise.reject(new AppError('PortTaken', 'taken'))
  }
  for (const off of [{ ipv8: { enabled: false } }, { channel_community: { enabled: false } }]) {
    const overlay = overlayOf(net, settings(off), taken)
    await overlay.start()
    assert.deepEqual(
      [overlay.standing.state, overlay.standing.setting],
      ['off', `${Object.keys(off).join('')}.enabled`],
    )
  }
  assert.equal(asked, 0)
  const overlay = overlayOf(net, settings(), taken)
  await overlay.start()
  await overlay.stop()
  await net.clock.advance(600_000)
  assert.equal(asked, 1)
  await net.close()
})

test('of several networks the first that finds a channel is enough', async () => {
  let hurried = 0
  const finds = { ...noChannelNetwork, find: () => Promise.resolve(true), hurry: () => hurried++ }
  const hangs = { ...noChannelNetwork, find: () => new Promise<boolean>(() => undefined), hurry: () => hurried++ }
  assert.equal(await joinNetworks([hangs, finds]).find('x' as never, 1), true)
  assert.equal(await joinNetworks([noChannelNetwork, noChannelNetwork]).find('x' as never, 1), false)
  joinNetworks([hangs, finds]).hurry('x' as never)
  assert.equal(hurried, 2)
})

test('a port that stays taken is logged once, and again when something else is in the way (B20)', async () => {
  const net = new ChannelNet(33)
  const warned: unknown[] = []
  let reason = 'taken'
  const overlay = overlayOf(net, settings(), () => Promise.reject(new AppError('PortTaken', reason)), warned)
  await overlay.start()
  await net.clock.advance(600_000)
  assert.deepEqual(warned, [{ error: 'taken' }])
  reason = 'not allowed'
  await net.clock.advance(600_000)
  assert.deepEqual(warned.slice(1), [{ error: 'not allowed' }])
  await overlay.stop()
  await net.close()
})
