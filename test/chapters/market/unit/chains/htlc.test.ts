// The contract of a swap, byte by byte as it was written by hand; what it is made of and what is refused; what its
// spends cost and sign.

import assert from 'node:assert/strict'
import { createHash, createPublicKey, verify } from 'node:crypto'
import { test } from 'node:test'
import { bech32 } from '@scure/base'
import fc from 'fast-check'
import { AppError } from '../../../../../src/base/errors.ts'
import { COINS } from '../../../../../src/chapters/wallets/core/coins.ts'
import {
  htlcAddress,
  htlcOutput,
  htlcScript,
  readHtlcEnd,
} from '../../../../../src/chapters/market/chains/htlc-script.ts'
import {
  type ContractSpend,
  contractSpendSize,
  fundingPayments,
  publicKeyOf,
  depositScript,
  depositSpendSize,
  spendContract,
  spendDeposit,
} from '../../../../../src/chapters/market/chains/htlc-spend.ts'
import { doubleSha256, readEnding, readTransaction } from '../../../../../src/chapters/wallets/core/tx-reader.ts'
import { drawnKey } from '../../../../kit/sim/drawn-key.ts'

/** The keys 1 and 2 of secp256k1. */
const ONE = Uint8Array.from({ length: 32 }, (_none, at) => (at === 31 ? 1 : 0))
const TWO = Uint8Array.from({ length: 32 }, (_none, at) => (at === 31 ? 2 : 0))
const G = '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'
const G2 = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5'
const SECRET = Buffer.alloc(32, 0x11)
const HASH = createHash('sha256').update(SECRET).digest('hex')
const TERMS = { hash: HASH, lockS: 1_800_000_000, claimKey: G, refundKey: G2 }
/**
 * IF SIZE <32> EQUALVERIFY SHA256 <hash> EQUALVERIFY <key> ELSE <lock> CHECKLOCKTIMEVERIFY DROP <key> ENDIF CHECKSIG
 */
const SCRIPT = `6382012088a820${HASH}8821${G}670400d2496bb17521${G2}68ac`
const PAY_TO = depositScript(drawnKey(1))
const SPEND: Omit<ContractSpend, 'secret'> = {
  terms: TERMS,
  txid: 'ab'.repeat(32),
  index: 3,
  amount: 100_000n,
  payTo: PAY_TO,
  fee: 1_000n,
}

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const bytes = (text: string): Buffer => Buffer.from(text, 'hex')
const coded = (code: string) => (error: unknown) => error instanceof AppError && error.code === code

test('the script is as it was written by hand, and so are output and address', () => {
  assert.deepEqual([hex(publicKeyOf(ONE)), hex(publicKeyOf(TWO))], [G, G2])
  assert.equal(hex(htlcScript(TERMS)), SCRIPT)
  const program = createHash('sha256').update(bytes(SCRIPT)).digest()
  assert.equal(hex(htlcOutput(TERMS)), `0020${hex(program)}`)
  const { networks } = COINS.TBTC.family === 'utxo' ? COINS.TBTC : assert.fail()
  const address = bech32.encode('bcrt', [0, ...bech32.toWords(program)])
  assert.equal(htlcAddress(TERMS, networks['regtest'] ?? assert.fail()), address)
})

test('a lock above 2^31 is a push of five bytes: it is no negative number', () => {
  const script = hex(htlcScript({ ...TERMS, lockS: 0x80000001 }))
  assert.equal(script, SCRIPT.replace('0400d2496b', '050100008000'))
  assert.equal(hex(htlcScript({ ...TERMS, lockS: 500_000_000 })), SCRIPT.replace('00d2496b', '0065cd1d'))
})

test('terms that are not whole are refused', () => {
  const bad: Partial<typeof TERMS>[] = [
    ...[{ hash: HASH.slice(2) }, { hash: HASH.toUpperCase() }, { hash: `${HASH}00` }, { hash: '' }],
    ...[{ lockS: 499_999_999 }, { lockS: 0xffffffff }, { lockS: 2 ** 32 }, { lockS: 1.5e9 + 0.5 }, { lockS: NaN }],
    ...[{ claimKey: G.slice(2) }, { claimKey: `04${G.slice(2)}` }, { claimKey: `02${'ff'.repeat(32)}` }],
    ...[{ refundKey: G }, { refundKey: G2.toUpperCase() }, { refundKey: `02${'00'.repeat(31)}05` }],
  ]
  for (const change of bad)
    assert.throws(() => htlcScript({ ...TERMS, ...change }), coded('InvalidParameter'), JSON.stringify(change))
})

/** What BIP 143 says is signed, put together by hand, and hashed once. */
function signedOnce(raw: string, amount: bigint, script: Uint8Array): Buffer {
  const tx = Buffer.from(raw, 'hex')
  const { inputs } = readTransaction(tx)
  const { lockTime } = readEnding(readTransaction(tx))
  // Version, marker, flag, one input (outpoint, empty script, sequence), then the outputs.
  const [outpoint, sequence, outputs] = [tx.subarray(7, 43), tx.subarray(44, 48), tx.subarray(49, 49 + 8 + 23)]
  assert.equal(inputs.length, 1)
  const numbers = Buffer.alloc(16)
  numbers.writeBigUInt64LE(amount)
  numbers.writeUInt32LE(lockTime, 8)
  numbers.writeUInt32LE(1, 12)
  const parts = [
    ...[tx.subarray(0, 4), doubleSha256(outpoint), doubleSha256(sequence), outpoint],
    ...[Buffer.from([script.length]), script, numbers.subarray(0, 8), sequence],
    ...[doubleSha256(outputs), numbers.subarray(8)],
  ]
  return createHash('sha256').update(Buffer.concat(parts)).digest()
}

/** A compressed key as node has it. */
function nodeKey(key: string) {
  const der = `3036301006072a8648ce3d020106052b8104000a032200${key}`
  return createPublicKey({ key: bytes(der), format: 'der', type: 'spki' })
}

/** Node hashes once itself. */
function signs(signature: Uint8Array, once: Buffer, key: string): boolean {
  return verify('sha256', once, nodeKey(key), signature.subarray(0, -1))
}

for (const [kind, key, own, secret] of [
  ['claim', ONE, G, SECRET.toString('hex')],
  ['refund', TWO, G2, null],
] as const) {
  test(`a ${kind} spends what it says, as BIP 65, 125, 141 and 143 want it`, () => {
    const made = spendContract(key, { ...SPEND, secret })
    const tx = readTransaction(bytes(made.raw))
    const { lockTime, witnesses } = readEnding(tx)
    const [input] = tx.inputs
    assert.deepEqual(input, { txid: SPEND.txid, index: 3, sequence: 0xfffffffd })
    assert.deepEqual(tx.outputs, [{ script: hex(PAY_TO), value: 99_000n }])
    assert.deepEqual([made.txid, made.fee, lockTime], [tx.txid, 1_000n, secret === null ? TERMS.lockS : 0])
    const [signature = new Uint8Array(), ...rest] = witnesses[0] ?? []
    const branch = secret === null ? [''] : [secret, '01']
    assert.deepEqual(rest.map(hex), [...branch, SCRIPT])
    assert.equal(signature.at(-1), 1, 'SIGHASH_ALL')
    const end = readHtlcEnd(witnesses[0] ?? [], TERMS, { lockTime, sequence: input?.sequence ?? 0 })
    assert.deepEqual(end, { kind: secret === null ? 'refunded' : 'claimed', secret })
    assert.equal(signs(signature, signedOnce(made.raw, SPEND.amount, htlcScript(TERMS)), own), true)
    assert.equal(signs(signature, signedOnce(made.raw, SPEND.amount + 1n, htlcScript(TERMS)), own), false)
  })
}

test('what its sizes say is what it has, or a byte more', () => {
  for (let seed = 1; seed < 40; seed += 1) {
    const script = depositScript(drawnKey(seed))
    const fee = BigInt(seed)
    for (const [key, secret] of [
      [ONE, SECRET.toString('hex')],
      [TWO, null],
    ] as const) {
      const raw = bytes(spendContract(key, { ...SPEND, payTo: script, fee, secret }).raw)
      assert.ok([0, 1].includes(contractSpendSize(TERMS, secret !== null, script) - vsizeOf(raw)))
    }
    const coins = [1, 2, 3]
      .slice(0, 1 + (seed % 3))
      .map(at => ({ txid: 'cd'.repeat(32), index: at, value: 9_000n, script: '' }))
    const raw = bytes(spendDeposit(drawnKey(seed), coins, [{ script: htlcOutput(TERMS), value: 1_000n }]).raw)
    const spare = depositSpendSize(coins.length, [htlcOutput(TERMS)]) - vsizeOf(raw)
    assert.ok(spare >= 0 && spare <= coins.length, String(spare))
  }
})

/** BIP 141: what the witness has counts a quarter. */
function vsizeOf(raw: Buffer): number {
  const { witnesses, lockTime } = readEnding(readTransaction(raw))
  assert.ok(lockTime >= 0)
  const count = witnesses.reduce((sum, items) => sum + 1 + items.reduce((all, { length }) => all + 1 + length, 0), 2)
  return Math.ceil(((raw.length - count) * 4 + count) / 4)
}

test('another key than that of the branch, fees above all there is: nothing is signed', () => {
  assert.throws(() => spendContract(TWO, { ...SPEND, secret: SECRET.toString('hex') }), coded('InvalidParameter'))
  assert.throws(() => spendContract(ONE, { ...SPEND, secret: null }), coded('InvalidParameter'))
  assert.throws(() => spendContract(new Uint8Array(32), { ...SPEND, secret: null }), coded('InvalidParameter'))
  for (const fee of [100_000n, 100_001n, -1n])
    assert.throws(() => spendContract(TWO, { ...SPEND, secret: null, fee }), coded('InsufficientFunds'))
})

test('change that is not worth a spend of its own goes to the fee; a deposit with too little says so', () => {
  const [deposit, script] = [depositScript(ONE), htlcOutput(TERMS)]
  const contract = { script, value: 50_000n }
  const fees = { rate: 10_000n, keep: 1_500n }
  const [alone, both] = [[script], [script, deposit]].map(scripts => BigInt(depositSpendSize(1, scripts)) * 10n)
  const paid = (value: bigint) =>
    fundingPayments([{ txid: 'ef'.repeat(32), index: 0, value, script: '' }], contract, deposit, fees)
  assert.deepEqual(paid(50_000n + (both ?? 0n) + 1_500n), [contract, { script: deposit, value: 1_500n }])
  assert.deepEqual(paid(50_000n + (both ?? 0n) + 1_499n), [contract])
  assert.deepEqual(paid(50_000n + (alone ?? 0n)), [contract])
  assert.throws(() => paid(50_000n + (alone ?? 0n) - 1n), coded('InsufficientFunds'))
})

const AFTER = { lockTime: TERMS.lockS, sequence: 0xfffffffd }
const SIGNATURE = Buffer.alloc(71, 9)

test('how a contract ended is read only where blocks could have it', () => {
  const script = bytes(SCRIPT)
  const read = (items: readonly Uint8Array[], with_ = AFTER) => readHtlcEnd(items, TERMS, with_)
  const claimed = { kind: 'claimed', secret: SECRET.toString('hex') }
  for (const truth of ['01', '02', '8001', '000001', '80' + '00'.repeat(3) + '01'])
    assert.deepEqual(read([SIGNATURE, SECRET, bytes(truth), script]), claimed, truth)
  for (const none of ['', '00', '80', '000080'])
    assert.deepEqual(read([SIGNATURE, bytes(none), script]), { kind: 'refunded', secret: null }, none)
  const nothing: [readonly Uint8Array[], typeof AFTER?][] = [
    [[]],
    [[script]],
    [[SIGNATURE, SECRET, bytes('01'), bytes(`${SCRIPT}51`)]],
    [[SIGNATURE, SECRET.subarray(1), bytes('01'), script]],
    [[SIGNATURE, Buffer.concat([SECRET, SECRET]), bytes('01'), script]],
    [[SIGNATURE, Buffer.alloc(32, 0x12), bytes('01'), script]],
    [[SIGNATURE, SECRET, bytes(''), script]],
    [[SIGNATURE, bytes('01'), script]],
    [[SIGNATURE, SIGNATURE, SECRET, bytes('01'), script]],
    [[SIGNATURE, bytes(''), script], { lockTime: TERMS.lockS - 1, sequence: 0 }],
    [[SIGNATURE, bytes(''), script], { lockTime: TERMS.lockS, sequence: 0xffffffff }],
  ]
  for (const [items, at] of nothing) assert.equal(read(items, at), null, items.map(hex).join(' '))
})

test('no witness without the secret is a claim', () => {
  const item = fc.oneof(
    fc.uint8Array({ maxLength: 40 }),
    fc.constantFrom<Uint8Array>(bytes(SCRIPT), bytes('01'), bytes(''), SIGNATURE, Buffer.alloc(32)),
  )
  fc.assert(
    fc.property(fc.array(item, { maxLength: 6 }), items => {
      const end = readHtlcEnd(items, TERMS, AFTER)
      assert.notEqual(end?.kind, 'claimed')
    }),
    { numRuns: 2_000 },
  )
})
