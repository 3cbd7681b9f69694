// The contract of swaps against who does not keep to our code: calls of every kind sent straight to a real chain of
// anvil, attackers compiled here.

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { id as hashOfText } from 'ethers'
import { compileContracts } from '../../../../src/build/compile-contract.ts'
import {
  claimCall,
  fundingCode,
  LOCK_ADDRESS,
  refundCall,
} from '../../../../src/chapters/market/chains/evm-contract.ts'
import type { LegTerms } from '../../../../src/chapters/market/wire/types.ts'
import { withoutAnvil } from '../../wallets/kit/anvil-chain.ts'
import { projectRoot } from '../../../kit/project-root.ts'
import { SwapEtherRig } from '../kit/swap-ether-rig.ts'

const options = { skip: withoutAnvil, timeout: 120_000 }
const ETHER = 10n ** 18n
/** More than a lock of these tests ever lasts. */
const LONG = 1_000_000

let rig: SwapEtherRig
const attackers = new Map<string, string>()

const word = (value: string | number | bigint): string =>
  (typeof value === 'string' ? value.replace(/^0x/, '') : value.toString(16)).padStart(64, '0')
/** A call of fund() itself, with other money than the terms say if wanted. */
const fundStraight = ({ hash, claimKey, refundKey, lockS, amount }: LegTerms, value = amount): Promise<string> => {
  const selector = hashOfText('fund(bytes32,address,address,uint256)').slice(0, 10)
  return rig.call(LOCK_ADDRESS, selector + [hash, claimKey, refundKey, lockS].map(word).join(''), value)
}
const succeeds = async (sent: Promise<string>): Promise<boolean> => (await rig.mined(await sent))?.succeeded === true
/** Whether a block takes a call as a success; a refused one is in a block too, and changes nothing. */
const claims = (terms: LegTerms, secret: string): Promise<boolean> =>
  succeeds(rig.call(LOCK_ADDRESS, claimCall(terms, secret)))
const refunds = (terms: LegTerms): Promise<boolean> => succeeds(rig.call(LOCK_ADDRESS, refundCall(terms)))
const inContract = (): Promise<bigint> => rig.balance(LOCK_ADDRESS)

before(async () => {
  if (withoutAnvil !== false) return
  rig = await SwapEtherRig.start()
  const compiled = compileContracts(readFileSync(join(projectRoot, 'test/chapters/wallets/kit/attackers.sol'), 'utf8'))
  for (const name of ['Reentrant', 'Refusing']) {
    attackers.set(name, await rig.make(compiled.get(name)?.creation ?? ''))
  }
  // Money of others, which an attacker would like to have.
  await rig.fund((await rig.terms(50n * ETHER, LONG))[0])
})
after(async () => {
  await rig?.stop()
})

test(
  'a refund before the lock is in a block and fails there; in the first block of the lock it is paid',
  options,
  async () => {
    const [terms, secret] = await rig.terms(ETHER, 100)
    await rig.fund(terms)
    const held = await inContract()
    await rig.chain.call('evm_setNextBlockTimestamp', terms.lockS - 1)
    assert.equal(await refunds(terms), false)
    assert.equal(await rig.time(), terms.lockS - 1)
    assert.deepEqual([await rig.balance(terms.refundKey), await inContract()], [0n, held])
    await rig.chain.call('evm_setNextBlockTimestamp', terms.lockS)
    assert.equal(await refunds(terms), true)
    assert.deepEqual([await rig.balance(terms.refundKey), await inContract()], [ETHER, held - ETHER])
    assert.equal(await refunds(terms), false, 'twice')
    assert.equal(await claims(terms, secret), false, 'after the refund')
    assert.deepEqual([await rig.balance(terms.claimKey), await inContract()], [0n, held - ETHER])
  },
)

test(
  'a claim wants the secret of this money, pays once, also after the lock, and no refund follows it',
  options,
  async () => {
    const [terms, secret] = await rig.terms(ETHER, 100)
    const [other, otherSecret] = await rig.terms(ETHER, 100)
    await rig.fund(terms)
    await rig.fund(other)
    const held = await inContract()
    await rig.mineAt(terms.lockS + 1)
    assert.equal(await claims(terms, '00'.repeat(32)), false, 'wrong')
    assert.equal(await claims(terms, otherSecret), false, 'of another')
    const short = claimCall(terms, secret).slice(0, -2)
    assert.equal(await succeeds(rig.call(LOCK_ADDRESS, short)), false, '31 bytes')
    for (const changed of [
      { claimKey: other.claimKey },
      { amount: 2n * ETHER },
      { lockS: 1 },
      { refundKey: other.refundKey },
    ])
      assert.equal(await claims({ ...terms, ...changed }, secret), false, JSON.stringify(Object.keys(changed)))
    assert.equal(await inContract(), held)
    assert.equal(await claims(terms, secret), true)
    assert.equal(await claims(terms, secret), false, 'twice')
    assert.equal(await refunds(terms), false, 'after the claim')
    assert.deepEqual([await rig.balance(terms.claimKey), await inContract()], [ETHER, held - ETHER])
    assert.equal(await rig.balance(terms.refundKey), 0n)
  },
)

test('an id is funded once, for ever; nothing, nobody and plain transfers are not taken', options, async () => {
  const [terms, secret] = await rig.terms(ETHER, 100)
  assert.equal(await succeeds(fundStraight(terms)), true)
  const held = await inContract()
  assert.equal(await succeeds(fundStraight(terms)), false, 'while it is there')
  assert.equal(await claims(terms, secret), true)
  assert.equal(await succeeds(fundStraight(terms)), false, 'after it was claimed')
  const nobody = `0x${'0'.repeat(40)}`
  for (const changed of [{ claimKey: nobody }, { refundKey: nobody }])
    assert.equal(await succeeds(fundStraight({ ...terms, ...changed })), false, 'nobody')
  assert.equal(await succeeds(fundStraight(terms, 0n)), false, 'nothing')
  assert.equal(await succeeds(rig.call(LOCK_ADDRESS, '0x', ETHER)), false, 'a plain transfer')
  assert.equal(await succeeds(rig.call(LOCK_ADDRESS, claimCall(terms, secret), ETHER)), false, 'money with a claim')
  assert.equal(await inContract(), held - ETHER)
})

test('who is paid and calls again while it is paid gets nothing more', options, async () => {
  const reentrant = attackers.get('Reentrant') ?? ''
  for (const kind of ['claim', 'refund'] as const) {
    const [terms, secret] = await rig.terms(ETHER, 100, { claimKey: reentrant, refundKey: reentrant })
    await rig.fund(terms)
    await rig.mineAt(terms.lockS)
    const [held, had] = [await inContract(), await rig.balance(reentrant)]
    const again = kind === 'claim' ? claimCall(terms, secret) : refundCall(terms)
    const bytes = again.slice(2)
    const aim = hashOfText('aim(address,bytes)').slice(0, 10) + word(LOCK_ADDRESS) + word(64) + word(bytes.length / 2)
    assert.equal(await succeeds(rig.call(reentrant, aim + bytes.padEnd(Math.ceil(bytes.length / 64) * 64, '0'))), true)
    assert.equal(await succeeds(rig.call(LOCK_ADDRESS, again)), true)
    assert.deepEqual([await inContract(), await rig.balance(reentrant)], [held - ETHER, had + ETHER], kind)
  }
  const tries = await rig.chain.call<string>(
    'eth_call',
    { to: reentrant, data: hashOfText('tries()').slice(0, 10) },
    'latest',
  )
  assert.ok(BigInt(tries) >= 2n, 'the attacker has tried')
})

test(
  'who does not take the money leaves it where it is: it can be taken back, or claimed when they relent',
  options,
  async () => {
    const refusing = attackers.get('Refusing') ?? ''
    const [terms, secret] = await rig.terms(ETHER, 100, { claimKey: refusing })
    const [later, laterSecret] = await rig.terms(ETHER, 100, { claimKey: refusing })
    for (const each of [terms, later]) await rig.fund(each)
    const held = await inContract()
    assert.equal(await claims(terms, secret), false)
    assert.equal(await inContract(), held)
    await rig.mineAt(terms.lockS)
    assert.equal(await refunds(terms), true)
    assert.equal(await rig.balance(terms.refundKey), ETHER)
    assert.equal(await succeeds(rig.call(refusing, hashOfText('relent()').slice(0, 10))), true)
    assert.equal(await claims(later, laterSecret), true)
    assert.deepEqual([await inContract(), await rig.balance(refusing)], [held - 2n * ETHER, ETHER])
  },
)

test('a funding without the contract keeps its money; two that make it at once are both funded', options, async () => {
  const fresh = await SwapEtherRig.start()
  try {
    const [terms] = await fresh.terms(ETHER, 100)
    const bare = await fresh.call(null, fundingCode(terms, false), ETHER)
    assert.equal((await fresh.mined(bare))?.succeeded, false)
    assert.equal(await fresh.balance(LOCK_ADDRESS), 0n)
    const [other] = await fresh.terms(2n * ETHER, 100)
    await fresh.chain.call('evm_setAutomine', false)
    const sent = [
      await fresh.callLater(null, fundingCode(terms, true), ETHER),
      await fresh.callLater(null, fundingCode(other, true), 2n * ETHER),
    ]
    await fresh.mine(1)
    const [first, second] = await Promise.all(sent.map(txid => fresh.mined(txid)))
    assert.deepEqual([first?.succeeded, second?.succeeded], [true, true])
    assert.ok((first?.gas ?? 0n) > (second?.gas ?? 0n) + 200_000n, 'the second found it there')
    assert.equal(await fresh.balance(LOCK_ADDRESS), 3n * ETHER)
  } finally {
    await fresh.stop()
  }
})
