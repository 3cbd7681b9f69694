// Blocks made by a test itself, so that a chain is shown what no miner of its own would put together (BIP 34, 141; the
// easiest work there is).

import { scryptSync } from 'node:crypto'
import { doubleSha256, readTransaction } from '../../../../src/chapters/wallets/core/tx-reader.ts'

/** What a block is made of. */
export interface BlockParts {
  readonly previous: string
  readonly height: number
  /** Unix time, seconds. */
  readonly time: number
  readonly bits: number
  readonly work: 'sha256d' | 'scrypt'
  /** Hexadecimal, in order. */
  readonly transactions: readonly string[]
  /** Script that its miner pays 50 coins to; none: it takes nothing. */
  readonly minerPays?: Uint8Array
}

const REWARD = 5_000_000_000n

const reversed = (id: string): Buffer => Buffer.from(id, 'hex').reverse()
const u32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

function merkleRoot(leaves: readonly Buffer[]): Buffer {
  let level = [...leaves]
  while (level.length > 1) {
    const next: Buffer[] = []
    for (let at = 0; at < level.length; at += 2) {
      const [left = Buffer.alloc(32), right = left] = level.slice(at, at + 2)
      next.push(doubleSha256(left, right))
    }
    level = next
  }
  return level[0] ?? Buffer.alloc(32)
}

function coinbase(height: number, transactions: readonly Buffer[], minerPays?: Uint8Array): Buffer {
  const pays = minerPays ?? Uint8Array.of(0x51)
  const value = Buffer.alloc(8)
  if (minerPays !== undefined) value.writeBigUInt64LE(REWARD)
  const witnessRoot = merkleRoot([Buffer.alloc(32), ...transactions.map(raw => doubleSha256(raw))])
  const commitment = doubleSha256(witnessRoot, Buffer.alloc(32))
  // The height as a script number of two bytes (BIP 34), and a push that nobody else has.
  const script = Buffer.from([2, height & 0xff, height >> 8, 4, ...Buffer.from('test')])
  const outputs = [
    ...[value, Buffer.from([pays.length]), Buffer.from(pays)],
    ...[Buffer.alloc(8), Buffer.from([38, 0x6a, 36, 0xaa, 0x21, 0xa9, 0xed]), commitment],
  ]
  const input = [Buffer.alloc(32), u32(0xffffffff), Buffer.from([script.length]), script, u32(0xffffffff)]
  const witness = [Buffer.from([1, 32]), Buffer.alloc(32)]
  return Buffer.concat([
    ...[u32(2), Buffer.from([0, 1, 1]), ...input, Buffer.from([2]), ...outputs],
    ...[...witness, u32(0)],
  ])
}

/** The block, hexadecimal. Heights from 128 to 32,767, up to 250 transactions. */
export function makeBlock({ previous, height, time, bits, work, transactions, minerPays }: BlockParts): string {
  const raws = transactions.map(each => Buffer.from(each, 'hex'))
  const all = [coinbase(height, raws, minerPays), ...raws]
  const root = merkleRoot(all.map(raw => reversed(readTransaction(raw).txid)))
  for (let nonce = 0; ; nonce += 1) {
    const header = Buffer.concat([u32(0x20000000), reversed(previous), root, u32(time), u32(bits), u32(nonce)])
    const hash = work === 'sha256d' ? doubleSha256(header) : scryptSync(header, header, 32, { N: 1024, r: 1, p: 1 })
    // The target of regtest is half of all there are.
    if ((hash[31] ?? 0xff) < 0x7f) return Buffer.concat([header, Buffer.from([all.length]), ...all]).toString('hex')
  }
}
