// The counters that the tests of anonymity believe: what they count, what they do not, and where it is said to have
// gone.

import assert from 'node:assert/strict'
import { constants } from 'node:os'
import { after, before, describe, test } from 'node:test'
import {
  makeOverlayHosts,
  OVERLAY_PORT,
  type OverlayHost,
  type OverlayHosts,
} from '../../../kit/nodes/overlay-hosts.ts'
import { PYTHON, needs } from '../../../kit/requirements.ts'

/** Sends one datagram from `from` to `to`, through IPv4 or IPv6. */
function send(host: OverlayHost, from: number, ip: string, port: number): void {
  const family = ip.includes(':') ? 'AF_INET6' : 'AF_INET'
  const any = ip.includes(':') ? '::' : '0.0.0.0'
  const script = `import socket; s = socket.socket(socket.${family}, socket.SOCK_DGRAM); s.bind(('${any}', ${from})); s.sendto(b'x', ('${ip}', ${port}))`
  host.run(PYTHON, '-c', script)
}

/** True when a connection there is refused, false when nobody says a word. */
function reached(host: OverlayHost, ip: string): boolean {
  const script = `import socket; s = socket.socket(); s.settimeout(2); print(s.connect_ex(('${ip}', 9)))`
  return Number(host.run(PYTHON, '-c', script)) === constants.errno.ECONNREFUSED
}

describe('packets that leave a host', { skip: needs('netns', 'nft', 'nsenter', 'ip') }, () => {
  let network: OverlayHosts
  before(async () => {
    network = await makeOverlayHosts(3, 2)
  })
  after(() => network?.stop())

  test('only the overlay between its members is no leak', () => {
    const [near, member, stranger] = network.hosts as [OverlayHost, OverlayHost, OverlayHost]
    assert.deepEqual(near.packets(), { overlay: 0, other: 0 })
    send(near, OVERLAY_PORT, member.ip, OVERLAY_PORT)
    assert.deepEqual(near.packets(), { overlay: 1, other: 0 })
    send(near, OVERLAY_PORT, stranger.ip, OVERLAY_PORT)
    send(near, OVERLAY_PORT, member.ip, 53)
    send(near, 4000, member.ip, OVERLAY_PORT)
    send(near, 4000, member.ip6, OVERLAY_PORT)
    send(near, 4000, '239.192.152.143', 6771)
    send(near, 4000, '192.0.2.7', 6881)
    assert.deepEqual(near.packets(), { overlay: 1, other: 6 })
    assert.deepEqual(
      near.leaks().toSorted(),
      [
        `${stranger.ip} udp ${OVERLAY_PORT}`,
        `${member.ip} udp 53`,
        `${member.ip} udp ${OVERLAY_PORT}`,
        '192.0.2.7 udp 6881',
        '239.192.152.143 udp 6771',
        `${member.ip6} udp ${OVERLAY_PORT}`,
      ].toSorted(),
    )
  })

  test('a connection and a name that is looked up count too', () => {
    const [near, , stranger] = network.hosts as [OverlayHost, OverlayHost, OverlayHost]
    const { other } = near.packets()
    assert.throws(() => near.run(PYTHON, '-c', `import socket; socket.create_connection(('${stranger.ip}', 80), 1)`))
    assert.ok(near.packets().other > other)
    assert.ok(near.leaks().includes(`${stranger.ip} tcp 80`))
  })

  test('who is off the bridge is not reached', () => {
    const [near, member] = network.hosts as [OverlayHost, OverlayHost]
    assert.equal(reached(near, member.ip), true)
    member.unplug()
    assert.equal(reached(near, member.ip), false)
    member.plug()
    assert.equal(reached(near, member.ip), true)
  })
})
