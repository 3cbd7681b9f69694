// The contract of swaps as bytes: the committed code is what the source gives, the address follows from it, calls and
// events are encoded as the ABI has it (checked with ethers' own encoder).

import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { AbiCoder, Interface, keccak256 } from 'ethers'
import { contractModule } from '../../../../../src/build/compile-contract.ts'
import {
  claimCall,
  CREATE2_DEPLOYER,
  fundedData,
  fundingCode,
  LOCK_ADDRESS,
  LOCK_TOPICS,
  lockId,
  readState,
  refundCall,
  secretOf,
  stateCall,
} from '../../../../../src/chapters/market/chains/evm-contract.ts'
import {
  FUND_ONCE_CREATION,
  LOCK_CODE,
  LOCK_CREATION,
} from '../../../../../src/chapters/market/chains/hash-time-lock.ts'
import type { LegTerms } from '../../../../../src/chapters/market/wire/types.ts'
import { projectRoot } from '../../../../kit/project-root.ts'

const ABI = new Interface([
  'function fund(bytes32 hash, address claimTo, address refundTo, uint256 lock) payable',
  'function claim(address claimTo, address refundTo, uint256 amount, uint256 lock, bytes32 secret)',
  'function refund(bytes32 hash, address claimTo, address refundTo, uint256 amount, uint256 lock)',
  'function stateOf(bytes32 id) view returns (uint256)',
  'event Funded(bytes32 indexed id, bytes32 hash, address claimTo, address refundTo, uint256 amount, uint256 lock)',
  'event Claimed(bytes32 indexed id, bytes32 secret)',
  'event Refunded(bytes32 indexed id)',
])
const SECRET = '5e'.repeat(32)
const terms: LegTerms = {
  asset: { coin: 'ETH', chain: '00000000' },
  hash: createHash('sha256').update(Buffer.from(SECRET, 'hex')).digest('hex'),
  amount: 1_234_567_890_123_456_789n,
  lockS: 1_800_000_000,
  claimKey: `0x${'ab'.repeat(20)}`,
  refundKey: `0x${'cd'.repeat(20)}`,
}
const words = [`0x${terms.hash}`, terms.claimKey, terms.refundKey, terms.amount, terms.lockS] as const

test('the committed code is what the compiler makes of the source', () => {
  const module = readFileSync(join(projectRoot, 'src/chapters/market/chains/hash-time-lock.ts'), 'utf8')
  assert.equal(module, contractModule(), 'run node dist/src/build/compile-contract.js: the source was changed')
  assert.ok(LOCK_CREATION.endsWith(LOCK_CODE.slice(2)))
})

test('its address is the one that is written down, and does not change with who makes it', () => {
  // Another address is another contract: swaps under way know theirs no more, and nodes of other versions look
  // elsewhere.
  assert.equal(LOCK_ADDRESS, '0x2778637636f6b1c1cbf5df48168763af9c49aa00')
  const packed = `0xff${CREATE2_DEPLOYER.slice(2)}${'0'.repeat(64)}${keccak256(LOCK_CREATION).slice(2)}`
  assert.equal(LOCK_ADDRESS, `0x${keccak256(packed).slice(-40)}`)
})

test('calls, ids and events are those of the ABI', () => {
  const id = keccak256(
    AbiCoder.defaultAbiCoder().encode(['bytes32', 'address', 'address', 'uint256', 'uint256'], words),
  )
  assert.equal(lockId(terms), id)
  assert.equal(claimCall(terms, SECRET), ABI.encodeFunctionData('claim', [...words.slice(1), `0x${SECRET}`]))
  assert.equal(refundCall(terms), ABI.encodeFunctionData('refund', words))
  assert.equal(stateCall(id), ABI.encodeFunctionData('stateOf', [id]))
  for (const name of ['Funded', 'Claimed', 'Refunded'] as const)
    assert.equal(LOCK_TOPICS[name], ABI.getEvent(name)?.topicHash)
  assert.equal(ABI.encodeEventLog('Funded', [id, ...words]).data, fundedData(terms))
})

test('the code of a funding has the arguments that its constructor wants', () => {
  for (const making of [true, false]) {
    const deployment = making ? `0x${'0'.repeat(64)}${LOCK_CREATION.slice(2)}` : '0x'
    const types = ['address', 'bytes32', 'address', 'bytes', 'bytes32', 'address', 'address', 'uint256']
    const given = [LOCK_ADDRESS, keccak256(LOCK_CODE), CREATE2_DEPLOYER, deployment, ...words.slice(0, 3), terms.lockS]
    const encoded = AbiCoder.defaultAbiCoder().encode(types, given)
    assert.equal(fundingCode(terms, making), FUND_ONCE_CREATION + encoded.slice(2))
  }
})

test('only terms that are the same in everything have the same id', () => {
  const others: Partial<LegTerms>[] = [
    { hash: '00'.repeat(32) },
    { amount: terms.amount + 1n },
    { lockS: terms.lockS + 1 },
    { claimKey: terms.refundKey },
    { refundKey: terms.claimKey },
  ]
  const ids = [terms, ...others.map(other => ({ ...terms, ...other }))].map(lockId)
  assert.equal(new Set(ids).size, ids.length)
})

test('a secret is believed only when it fits the hash, a state only when there is one', () => {
  assert.equal(secretOf(`0x${SECRET}`, terms.hash), SECRET)
  for (const data of [`0x${'5f'.repeat(32)}`, `0x${SECRET}00`, `0x${SECRET.slice(2)}`, '0x', SECRET])
    assert.equal(secretOf(data, terms.hash), null, data)
  const word = (digit: string): string => `0x${digit.padStart(64, '0')}`
  assert.deepEqual(
    ['0', '1', '2', '3', '4'].map(digit => readState(word(digit))),
    ['none', 'funded', 'claimed', 'refunded', null],
  )
  assert.equal(readState('0x'), null)
  assert.equal(readState('0x1'), null)
})
