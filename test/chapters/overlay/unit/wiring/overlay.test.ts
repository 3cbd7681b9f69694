// The doctor about anonymous downloads: which setting forbids them, a port that is taken, the library that is not
// there.

import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'node:test'
import { checkOverlay, libraryFinding } from '../../../../../src/chapters/overlay/wiring/overlay-doctor.ts'
import { switchedOff } from '../../../../../src/chapters/overlay/wiring/overlay-switch.ts'

function settings(changes: { port?: number; oldPort?: number; off?: 'ipv8' | 'dispersy' | 'tunnel_community' } = {}) {
  const enabled = (section: string): boolean => changes.off !== section
  return {
    ipv8: {
      enabled: enabled('ipv8'),
      start: 'needed' as const,
      address: '127.0.0.1',
      port: changes.port ?? -1,
      bootstrap_override: '',
      walk_interval: 0.5,
    },
    dispersy: { enabled: enabled('dispersy'), port: changes.oldPort ?? -1 },
    tunnel_community: {
      enabled: enabled('tunnel_community'),
      community_id: 'a3'.repeat(20),
      relay_enabled: true,
      exitnode_enabled: false,
      exit_allow_private: false,
      exit_refused_ports: [],
      dht: true,
      random_slots: 5,
      competing_slots: 15,
      min_circuits: 3,
      max_circuits: 8,
    },
  }
}

test('the setting that forbids circuits is named, and nothing else is looked at', async () => {
  for (const off of ['ipv8', 'dispersy', 'tunnel_community'] as const) {
    assert.equal(switchedOff(settings({ off })), `${off}.enabled`)
    const found = await checkOverlay(settings({ off, port: 1 }), false)
    assert.deepEqual(
      found.map(({ state, text }) => [state, text]),
      [['ok', `Anonymous downloads are off (${off}.enabled).`]],
    )
  }
})

test('a taken port is a warning with the setting that was read; beside a running node it is not looked at', async () => {
  const taken = createSocket('udp4').bind(0, '127.0.0.1').unref()
  await once(taken, 'listening')
  const { port } = taken.address()
  for (const [given, named] of [
    [{ port }, 'ipv8.port'],
    [{ port: 1, oldPort: port }, 'dispersy.port'],
  ] as const) {
    const [found] = await checkOverlay(settings(given), false)
    assert.equal(found?.state, 'warning')
    assert.ok(found.text.includes(`UDP port ${port} on 127.0.0.1 (${named}) is taken`), found.text)
    assert.match(found.text, /another free port/)
    assert.ok(found.advice.includes(named))
  }
  const beside = await checkOverlay(settings({ port }), true)
  assert.ok(beside.every(({ text }) => !text.includes('port')))
  await new Promise<void>(resolve => taken.close(resolve))
  assert.equal((await checkOverlay(settings({ port }), false))[0]?.state, 'ok')
  assert.match((await checkOverlay(settings(), false))[0]?.text ?? '', /random UDP port/)
})

test('an address without any port to be had is a warning that circuits cannot start', async () => {
  const strange = settings({ port: 7759 })
  const [found] = await checkOverlay({ ...strange, ipv8: { ...strange.ipv8, address: '192.0.2.1' } }, false)
  assert.equal(found?.state, 'warning')
  assert.match(found.text, /Anonymous downloads cannot start/)
})

test('without its library circuits are slower, not gone', () => {
  assert.equal(libraryFinding(true).state, 'ok')
  assert.equal(libraryFinding(false).state, 'warning')
})
