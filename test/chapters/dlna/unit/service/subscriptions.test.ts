// Subscriptions: to whom events go, in which order, and when they end.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { EventMessage } from '../../../../../src/chapters/dlna/ports/event-post.ts'
import {
  SubscriptionRefused,
  type SubscriptionRequest,
  Subscriptions,
} from '../../../../../src/chapters/dlna/service/subscriptions.ts'
import { SERVICES, type ServiceTemplate } from '../../../../../src/chapters/dlna/wire/services.ts'
import { SeededRandom } from '../../../../kit/sim/seeded-random.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

const [content, connections] = SERVICES as unknown as [ServiceTemplate, ServiceTemplate]

const asked: SubscriptionRequest = {
  remoteIp: '192.168.1.20',
  localIp: '192.168.1.2',
  callback: '<http://192.168.1.20:4000/evt>',
  nt: 'upnp:event',
  sid: '',
  timeout: 'Second-600',
}

function rig(): {
  subscriptions: Subscriptions
  clock: VirtualClock
  sent: EventMessage[]
  state: { id: number; fails: boolean }
} {
  const clock = new VirtualClock()
  const sent: EventMessage[] = []
  const state = { id: 7, fails: false }
  const subscriptions = new Subscriptions({
    clock,
    random: new SeededRandom(1),
    post: async message => {
      sent.push(message)
      if (state.fails) throw new Error('nobody is there')
    },
    variables: ({ key }): Record<string, string | number> =>
      key === 'content' ? { SystemUpdateID: state.id } : { SinkProtocolInfo: '' },
  })
  return { subscriptions, clock, sent, state }
}

function refusal(run: () => unknown): number {
  try {
    run()
    return 0
  } catch (error) {
    assert.ok(error instanceof SubscriptionRefused, String(error))
    return error.status
  }
}

const place = { ip: '192.168.1.20', port: 4000, path: '/evt', localIp: '192.168.1.2' }

test('the first event tells all, later ones come with changes, the newest state and not too often', async () => {
  const { subscriptions, clock, sent, state } = rig()
  const { sid, seconds } = subscriptions.subscribe(content, asked)
  assert.equal(seconds, 600)
  assert.equal(sent.length, 0, 'not before the answer')
  await clock.advance(200)
  const { headers, body, ...to } = sent[0] as EventMessage
  assert.deepEqual(to, place)
  assert.deepEqual([headers['SID'], headers['SEQ'], headers['NTS']], [sid, '0', 'upnp:propchange'])
  assert.ok(body.includes('<SystemUpdateID>7</SystemUpdateID>'))
  for (let at = 0; at < 20; at += 1) {
    state.id += 1
    subscriptions.changed(content)
  }
  subscriptions.changed(connections)
  await clock.advance(10_000)
  assert.equal(sent.length, 2)
  assert.equal(sent[1]?.headers['SEQ'], '1')
  assert.ok(sent[1]?.body.includes('<SystemUpdateID>27</SystemUpdateID>'))
})

test('events go to no address but that of the asker (CallStranger)', async () => {
  const { subscriptions, clock, sent } = rig()
  for (const callback of [
    '<http://198.51.100.1/>',
    '<http://192.168.1.21:4000/evt>',
    '<http://192.168.1.20.example.org/>',
    '',
    `<${'x'.repeat(2000)}>`,
  ])
    assert.equal(
      refusal(() => subscriptions.subscribe(content, { ...asked, callback })),
      412,
      callback,
    )
  subscriptions.subscribe(content, { ...asked, callback: `<http://198.51.100.1/>${asked.callback}` })
  await clock.advance(1000)
  assert.deepEqual(
    sent.map(({ ip }) => ip),
    ['192.168.1.20'],
  )
})

test('a subscription is made longer, ended, and ends by itself; only by its own address', async () => {
  const { subscriptions, clock } = rig()
  const { sid } = subscriptions.subscribe(content, asked)
  const renewed = { ...asked, callback: '', nt: '', sid }
  await clock.advance(500_000)
  assert.deepEqual(subscriptions.subscribe(content, renewed), { sid, seconds: 600 })
  await clock.advance(500_000)
  assert.equal(subscriptions.size, 1)
  const foreign = { ...renewed, remoteIp: '192.168.1.21' }
  assert.equal(
    refusal(() => subscriptions.subscribe(content, foreign)),
    412,
  )
  assert.equal(
    refusal(() => subscriptions.unsubscribe(content, foreign)),
    412,
  )
  assert.equal(
    refusal(() => subscriptions.unsubscribe(connections, renewed)),
    412,
  )
  assert.equal(
    refusal(() => subscriptions.subscribe(content, { ...asked, sid })),
    400,
  )
  assert.equal(
    refusal(() => subscriptions.unsubscribe(content, { ...renewed, nt: 'upnp:event' })),
    400,
  )
  assert.equal(
    refusal(() => subscriptions.subscribe(content, { ...asked, nt: '' })),
    412,
  )
  await clock.advance(101_000)
  assert.equal(subscriptions.size, 0)
  assert.equal(
    refusal(() => subscriptions.subscribe(content, renewed)),
    412,
  )
  const second = subscriptions.subscribe(content, asked)
  subscriptions.unsubscribe(content, { ...renewed, sid: second.sid })
  assert.equal(subscriptions.size, 0)
})

test('who does not take events is given up; who takes one begins anew', async () => {
  const { subscriptions, clock, sent, state } = rig()
  subscriptions.subscribe(content, asked)
  state.fails = true
  await clock.advance(3000)
  subscriptions.changed(content)
  await clock.advance(3000)
  state.fails = false
  subscriptions.changed(content)
  await clock.advance(3000)
  assert.equal(subscriptions.size, 1)
  state.fails = true
  for (let at = 0; at < 5; at += 1) {
    subscriptions.changed(content)
    await clock.advance(3000)
  }
  assert.equal(subscriptions.size, 0)
  assert.equal(sent.length, 6)
})

test('subscriptions are bounded, for each address and for all', () => {
  const { subscriptions } = rig()
  const of = (address: string): SubscriptionRequest => ({
    ...asked,
    remoteIp: address,
    callback: `<http://${address}/>`,
  })
  for (let at = 0; at < 8; at += 1) subscriptions.subscribe(content, asked)
  assert.equal(
    refusal(() => subscriptions.subscribe(content, asked)),
    503,
  )
  for (let at = 0; at < 56; at += 1) subscriptions.subscribe(content, of(`10.0.0.${at}`))
  assert.equal(
    refusal(() => subscriptions.subscribe(content, of('10.0.1.1'))),
    503,
  )
  assert.equal(subscriptions.size, 64)
})

test('what is on its way ends with its subscription; new ones of an address are bounded in rate', async () => {
  const clock = new VirtualClock()
  const open = new Set<AbortSignal>()
  let most = 0
  const subscriptions = new Subscriptions({
    clock,
    random: new SeededRandom(1),
    post: (_message, signal) =>
      new Promise((_resolve, reject) => {
        open.add(signal)
        most = Math.max(most, open.size)
        signal.addEventListener('abort', () => {
          open.delete(signal)
          reject(new Error('over'))
        })
      }),
    variables: () => ({ SystemUpdateID: 1 }),
  })
  let refused = 0
  for (let round = 0; round < 50; round += 1) {
    const sids: string[] = []
    for (let at = 0; at < 8; at += 1) {
      const status = refusal(() => sids.push(subscriptions.subscribe(content, asked).sid))
      if (status === 503) refused += 1
    }
    await clock.advance(200)
    for (const sid of sids) subscriptions.unsubscribe(content, { ...asked, callback: '', nt: '', sid })
  }
  assert.equal(most, 8)
  assert.equal(open.size, 0)
  // 16 at once, and one in two seconds of the ten.
  assert.equal(refused, 400 - 16 - 4)
  subscriptions.subscribe(content, { ...asked, remoteIp: '10.0.0.1', callback: '<http://10.0.0.1/>' })
  assert.equal(subscriptions.size, 1)
})

test('an address that is blocked, and all of them at the end, hear nothing more', async () => {
  const { subscriptions, clock, sent } = rig()
  subscriptions.subscribe(content, asked)
  subscriptions.forget(asked.remoteIp)
  subscriptions.subscribe(content, { ...asked, remoteIp: '10.0.0.1', callback: '<http://10.0.0.1/>' })
  subscriptions.stop()
  await clock.advance(10_000)
  assert.equal(sent.length, 0)
})
