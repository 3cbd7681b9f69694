// The contract of swaps on chains of Ethereum's kind (hash-time-lock.sol) as bytes: its address, its calls, its events.
// It has the same address on every chain: CREATE2 (EIP-1014) by the well-known deterministic deployer, without salt.
// Pure.

import { createHash } from 'node:crypto'
import { getCreate2Address, id as hashOfText, keccak256 } from 'ethers'
import type { LegTerms } from '../wire/types.ts'
import { FUND_ONCE_CREATION, LOCK_CODE, LOCK_CREATION } from './hash-time-lock.ts'

/** The deterministic deployer, whose call data are a salt of 32 bytes and code: on every chain at the same address. */
export const CREATE2_DEPLOYER = '0x4e59b44847b379578588920ca78fbf26c0b4956c'

const NO_SALT = `0x${'0'.repeat(64)}`

/** Where the contract is, in small letters. */
export const LOCK_ADDRESS = getCreate2Address(CREATE2_DEPLOYER, NO_SALT, keccak256(LOCK_CREATION)).toLowerCase()

/** The state of a lock in the contract. */
export type LockState = 'none' | 'funded' | 'claimed' | 'refunded'

const STATES: readonly LockState[] = ['none', 'funded', 'claimed', 'refunded']

/** An event of the contract. */
export type LockEvent = 'Funded' | 'Claimed' | 'Refunded'

/** First topics of its logs. */
export const LOCK_TOPICS: Readonly<Record<LockEvent, string>> = {
  Funded: hashOfText('Funded(bytes32,bytes32,address,address,uint256,uint256)'),
  Claimed: hashOfText('Claimed(bytes32,bytes32)'),
  Refunded: hashOfText('Refunded(bytes32)'),
}

const CLAIM = selector('claim(address,address,uint256,uint256,bytes32)')
const REFUND = selector('refund(bytes32,address,address,uint256,uint256)')
const STATE_OF = selector('stateOf(bytes32)')

/** The number of what lies in the contract under these terms: 0x and 64 digits. */
export function lockId(terms: LegTerms): string {
  return keccak256(`0x${termWords(terms)}`)
}

/** Call data that take it with the secret (64 hexadecimal digits). */
export function claimCall(terms: LegTerms, secret: string): string {
  return `${CLAIM}${termWords(terms).slice(64)}${secret}`
}

/** Call data that take it back. */
export function refundCall(terms: LegTerms): string {
  return `${REFUND}${termWords(terms)}`
}

/** Call data that ask for its state. */
export function stateCall(id: string): string {
  return `${STATE_OF}${id.slice(2)}`
}

/** What the contract answers to it (0x and 64 digits); null: it cannot be. */
export function readState(answer: string): LockState | null {
  return /^0x[0-9a-f]{64}$/i.test(answer) ? (STATES[Number(BigInt(answer))] ?? null) : null
}

/**
 * Code of a transaction that makes the contract where it is missing (`making`) and funds it, both or neither: FundOnce.
 */
export function fundingCode(terms: LegTerms, making: boolean): string {
  const deployment = making ? NO_SALT.slice(2) + LOCK_CREATION.slice(2) : ''
  const head = [
    addressWord(LOCK_ADDRESS),
    keccak256(LOCK_CODE).slice(2),
    addressWord(CREATE2_DEPLOYER),
    // Where the bytes lie that are behind these eight words.
    numberWord(8n * 32n),
    terms.hash,
    addressWord(terms.claimKey),
    addressWord(terms.refundKey),
    numberWord(BigInt(terms.lockS)),
  ]
  const bytes =
    numberWord(BigInt(deployment.length / 2)) + deployment.padEnd(Math.ceil(deployment.length / 64) * 64, '0')
  return `${FUND_ONCE_CREATION}${head.join('')}${bytes}`
}

/** What a log of Funded has beside the id. */
export function fundedData(terms: LegTerms): string {
  return `0x${termWords(terms)}`
}

/** The secret (64 digits) in the data of a log of Claimed; null: it does not fit the hash. */
export function secretOf(data: string, hash: string): string | null {
  if (!/^0x[0-9a-f]{64}$/i.test(data)) return null
  const secret = data.slice(2).toLowerCase()
  return createHash('sha256').update(Buffer.from(secret, 'hex')).digest('hex') === hash ? secret : null
}

/** As the contract hashes them: hash, claimTo, refundTo, amount, lock. */
function termWords({ hash, claimKey, refundKey, amount, lockS }: LegTerms): string {
  return `${hash}${addressWord(claimKey)}${addressWord(refundKey)}${numberWord(amount)}${numberWord(BigInt(lockS))}`
}

function addressWord(address: string): string {
  return address.slice(2).toLowerCase().padStart(64, '0')
}

function numberWord(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}

function selector(signature: string): string {
  return hashOfText(signature).slice(0, 10)
}
