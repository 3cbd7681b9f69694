// kill -9 of a built node at every step of a transfer, on a real chain of litecoind: it is made once or not at all, the
// wallet knows which, and the same idempotency key gives the same transfer. A server that breaks off: `sent: false`,
// and it is sent again. A full disk: nothing is sent.

import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { makeTestFolder } from '../../../kit/content/content-on-disk.ts'
import { type NodeProcess, startNode } from '../../../kit/nodes/node-process.ts'
import { projectRoot } from '../../../kit/project-root.ts'
import { needs } from '../../../kit/requirements.ts'
import { type RpcChain, startLitecoind } from '../kit/rpc-chain.ts'
import { type BreakPoint, RpcGate } from './rpc-gate.ts'
import { waitFor } from '../../../kit/wait-for.ts'
import { codeOf, PASSWORD, unitsOf, WalletClient } from '../kit/wallet-client.ts'

const skip = needs('litecoind', 'gcc')
const noMount = needs('root')
const options = { skip, timeout: 120_000 }
/** Of the disk that wallets lie on. */
const DISK_BYTES = 1024 * 1024

let folder: Awaited<ReturnType<typeof makeTestFolder>>
let chain: RpcChain
let gate: RpcGate
let node: NodeProcess
let wallet: WalletClient
let killAt = ''

async function start(): Promise<void> {
  node = await startNode({
    stateDir: path.join(folder.path, 'state'),
    settings: { 'wallets.tltc_server': gate.url, 'wallets.tltc_network': 'regtest' },
    env: { LD_PRELOAD: path.join(folder.path, 'kill.so'), KILL_GATE: killAt },
  })
  wallet = new WalletClient(node, 'TLTC')
}

const pool = () => chain.call<string[]>('getrawmempool')
const units = async () => unitsOf((await wallet.record()).balance.available_exact)
const mine = async () => {
  await chain.call('generatetoaddress', 1, await chain.call<string>('getnewaddress', '', 'bech32'))
  const height = await chain.call<number>('getblockcount')
  await wallet.until(record => record.height === height && record.problem === '')
}
const unlock = async () => assert.equal((await wallet.ask('POST', '/unlock', { password: PASSWORD })).status, 200)
const received = async (address: string) =>
  unitsOf(String(await chain.call<number>('getreceivedbyaddress', address, 1)))
const audited = async () => {
  const { audit } = await node.get<{ audit: { action: string; outcome: string; txid: string }[] }>('/wallets/audit')
  return audit
}

before(async () => {
  if (skip !== false) return
  folder = await makeTestFolder()
  killAt = path.join(folder.path, 'kill-at')
  const library = path.join(folder.path, 'kill.so')
  execFileSync('gcc', [
    '-shared',
    '-fPIC',
    '-o',
    library,
    path.join(projectRoot, 'test/kit/doubles/killing-disk.c'),
    '-ldl',
  ])
  const wallets = await folder.sub('state/wallets')
  if (noMount === false) execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${DISK_BYTES},mode=0700`, 'tmpfs', wallets])
  chain = await startLitecoind(450)
  gate = await RpcGate.start(chain.url)
  await start()
  await wallet.create()
  for (let coin = 0; coin < 3; coin += 1) await chain.call('sendtoaddress', (await wallet.record()).address, 5)
  await mine()
})
after(async () => {
  await node?.stop()
  await gate?.stop()
  await chain?.stop()
  if (skip === false && noMount === false) execFileSync('umount', [path.join(folder.path, 'state/wallets')])
  await folder?.remove()
})

/** A transfer during which the node dies; answers its order. */
async function killedTransfer(name: string, arm: () => Promise<unknown>) {
  const destination = await chain.call<string>('getnewaddress', '', 'bech32')
  const order = { amount: '0.5', destination, idempotency_key: name }
  await arm()
  const asked = wallet.ask('POST', '/transfer', order).then(
    reply => assert.fail(`it answered ${reply.status} ${reply.body.toString()}`),
    () => undefined,
  )
  const { signal } = await node.ended()
  assert.equal(signal, 'SIGKILL')
  await asked
  await rm(killAt, { force: true })
  gate.mend()
  return order
}

/** Whatever happened: with the same key there is one transfer in the end, and the sums are right. */
async function onceInTheEnd(
  order: { destination: string; idempotency_key: string },
  before: bigint,
  known: string | null,
): Promise<void> {
  await unlock()
  const { txid, fee_exact } = await wallet.transfer(order)
  if (known !== null) assert.equal(txid, known)
  assert.deepEqual(await pool(), [txid])
  await mine()
  assert.equal(await received(order.destination), 50_000_000n)
  assert.equal(await units(), before - 50_000_000n - unitsOf(fee_exact))
  const lines = (await wallet.history()).filter(({ to }) => to === order.destination)
  assert.deepEqual(
    lines.map(({ id, confirmations }) => [id, confirmations]),
    [[txid, 1]],
  )
}

for (const [point, what] of [
  ['fsync audit.log', 'as it is written into the audit log'],
  ['fsync tltc.json.new', 'while the wallet is written'],
  ['rename tltc.json', 'before the wallet has its new file'],
] as const) {
  test(`killed ${what}: nothing was sent, nothing is missing, and it can be made`, options, async () => {
    const before = await units()
    await unlock()
    const order = await killedTransfer(point, () => writeFile(killAt, `${point}\n`))
    await start()
    assert.deepEqual([await units(), await pool()], [before, []])
    assert.ok((await wallet.history()).every(({ to }) => to !== order.destination))
    assert.deepEqual((await audited()).at(-1)?.outcome, 'signed')
    await onceInTheEnd(order, before, null)
  })
}

test(
  'killed when the wallet is on the disk: it is sent after the restart, while the wallet is locked',
  options,
  async () => {
    const before = await units()
    await unlock()
    const order = await killedTransfer('renamed', () => writeFile(killAt, 'renamed tltc.json\n'))
    assert.deepEqual(await pool(), [])
    const signed = (await readFile(path.join(node.stateDir, 'wallets/audit.log'), 'utf8')).trimEnd().split('\n').at(-1)
    const { txid } = JSON.parse(signed ?? '') as { txid: string }
    await start()
    await wallet.until(({ balance }) => unitsOf(balance.available_exact) < before)
    assert.deepEqual([await pool(), (await wallet.record()).unlocked], [[txid], false])
    await onceInTheEnd(order, before, txid)
  },
)

for (const at of ['before', 'after'] satisfies BreakPoint[]) {
  test(`killed while it is sent, ${at} the server has it: it is there once`, options, async () => {
    const before = await units()
    await unlock()
    const order = await killedTransfer(`send ${at}`, () => {
      void gate.breakOff('sendrawtransaction', at).then(() => node.process.kill('SIGKILL'))
      return Promise.resolve()
    })
    const there = await pool()
    assert.equal(there.length, at === 'before' ? 0 : 1)
    await start()
    await wallet.until(({ balance }) => unitsOf(balance.available_exact) < before)
    const [txid = ''] = await pool()
    if (at === 'after') assert.deepEqual([txid], there)
    await onceInTheEnd(order, before, txid)
  })

  test(`a server that breaks off ${at} it has the transfer: sent is false, and it is there once`, options, async () => {
    const before = await units()
    await unlock()
    const destination = await chain.call<string>('getnewaddress', '', 'bech32')
    const order = { amount: '0.5', destination, idempotency_key: `broken off ${at}` }
    const broken = gate.breakOff('sendrawtransaction', at)
    const { txid, sent } = await wallet.transfer(order)
    await broken
    assert.deepEqual([sent, await pool()], [false, at === 'before' ? [] : [txid]])
    gate.mend()
    await waitFor('it is sent again', async () => {
      await wallet.record()
      return (await pool()).includes(txid)
    })
    await onceInTheEnd(order, before, txid)
  })
}

test('a full disk: a clear error, nothing is sent, and it goes on when there is room', {
  ...options,
  skip: skip || noMount,
}, async () => {
  const before = await units()
  await unlock()
  const destination = await chain.call<string>('getnewaddress', '', 'bech32')
  const order = { amount: '0.5', destination, idempotency_key: 'full' }
  const ballast = path.join(node.stateDir, 'wallets/ballast')
  await assert.rejects(writeFile(ballast, Buffer.alloc(DISK_BYTES)), { code: 'ENOSPC' })
  const refused = await wallet.ask('POST', '/transfer', order)
  assert.equal(codeOf(refused, 500), 'DiskFull')
  assert.match(refused.body.toString(), /A wallet could not be kept: ENOSPC/)
  assert.deepEqual([await units(), await pool()], [before, []])
  assert.ok((await wallet.history()).every(({ to }) => to !== destination))
  await rm(ballast)
  await onceInTheEnd(order, before, null)
})
