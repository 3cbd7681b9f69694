// A wallet looks at its chain once for all who ask, not again at once, and says what went wrong.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Deferred, makeDeferred } from '../../../../../src/base/deferred.ts'
import { RpcRefusal } from '../../../../../src/chapters/wallets/ports/json-rpc.ts'
import { RefreshedWallet, sendAgain } from '../../../../../src/chapters/wallets/service/refreshed-wallet.ts'
import { silentLog } from '../../../../kit/doubles/silent-log.ts'
import { VirtualClock } from '../../../../kit/sim/virtual-clock.ts'

/** Looks are settled by the test. */
function rig() {
  const clock = new VirtualClock()
  const looks: Deferred<number | null>[] = []
  const update = (chain: string): Promise<number | null> => {
    assert.equal(chain, 'a chain')
    const look = makeDeferred<number | null>()
    looks.push(look)
    return look.promise
  }
  return { clock, looks, wallet: new RefreshedWallet({ clock, server: () => 'a chain', update }) }
}

const turn = () => new Promise(resolve => setImmediate(resolve))

test('who asks during a look shares it, and a young one is not repeated', async () => {
  const { clock, looks, wallet } = rig()
  const asked = [wallet.refresh(), wallet.refresh()]
  assert.equal(looks.length, 1)
  looks[0]?.resolve(null)
  await Promise.all(asked)
  await clock.advance(299)
  await wallet.refresh()
  assert.equal(looks.length, 1)
  await clock.advance(1)
  void wallet.refresh()
  assert.equal(looks.length, 2)
})

test('a transfer has a look that began after it was asked for', async () => {
  const { looks, wallet } = rig()
  const refreshed = wallet.refresh()
  const current = wallet.current()
  looks[0]?.resolve(null)
  await refreshed
  await turn()
  assert.equal(looks.length, 2)
  looks[1]?.resolve(null)
  assert.equal(await current, 'a chain')
})

test('what went wrong is shown until a look succeeds, and stops transfers', async () => {
  const { clock, looks, wallet } = rig()
  const failed = wallet.current()
  await turn()
  looks[0]?.reject(new Error('the server is gone'))
  await assert.rejects(failed, { code: 'WalletServerFailed', message: /the server is gone/ })
  assert.equal(wallet.problem, 'the server is gone')
  await clock.advance(300)
  const again = wallet.refresh()
  looks[1]?.resolve(null)
  await again
  assert.equal(wallet.problem, '')
})

test('without a server there is a problem, and no look', async () => {
  const { clock } = rig()
  const server = (): string => {
    throw new Error('no server is set')
  }
  const wallet = new RefreshedWallet({ clock, server, update: () => assert.fail('looked') })
  await wallet.refresh()
  assert.equal(wallet.problem, 'no server is set')
})

test('where more is to be read it looks again by itself, until it is stopped', async () => {
  const { clock, looks, wallet } = rig()
  void wallet.refresh()
  looks[0]?.resolve(50)
  await turn()
  await clock.advance(50)
  assert.equal(looks.length, 2)
  const stopped = wallet.stop()
  assert.equal(await Promise.race([stopped.then(() => 'stopped'), turn().then(() => 'waits')]), 'waits')
  looks[1]?.resolve(50)
  await stopped
  await clock.advance(1000)
  await wallet.refresh()
  assert.equal(looks.length, 2)
})

test('what the server does not take again is logged; that it does not answer is not hidden', async () => {
  const lines: [level: string, txid: unknown][] = []
  const line = (level: string) => (_message: string, fields?: Record<string, unknown>) =>
    void lines.push([level, fields?.['txid']])
  const log = { ...silentLog, info: line('info'), warn: line('warn') }
  await sendAgain('aa', () => Promise.resolve(), log)
  await sendAgain('bb', () => Promise.reject(new RpcRefusal(-26, 'too low')), log)
  await assert.rejects(
    sendAgain('cc', () => Promise.reject(new Error('no answer')), log),
    /no answer/,
  )
  assert.deepEqual(lines, [
    ['info', 'aa'],
    ['warn', 'bb'],
  ])
})
