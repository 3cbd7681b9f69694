// Seeds and keys against the vectors of BIP 39, 32, 84 and 44, the sealed seed, and addresses of BIP 173, 350 and
// EIP-55.

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { HDKey } from '@scure/bip32'
import type { AppError } from '../../../../../src/base/errors.ts'
import { addressOfScript, dustLimit, scriptOfAddress } from '../../../../../src/chapters/wallets/core/addresses.ts'
import { COINS, coinOf, type UtxoCoin, type UtxoNetwork } from '../../../../../src/chapters/wallets/core/coins.ts'
import { checkEvmAddress, evmAddressOf } from '../../../../../src/chapters/wallets/core/evm-signing.ts'
import {
  hashSpendKey,
  openSeed,
  readSealedSeed,
  sameHash,
  sealSeed,
} from '../../../../../src/chapters/wallets/core/sealed-seed.ts'
import {
  decodeSeed,
  encodeSeed,
  evmKey,
  seedOfEntropy,
  seedOfWords,
  utxoAccount,
  wipeSeed,
  wordsOfSeed,
} from '../../../../../src/chapters/wallets/core/seed-words.ts'
import { scriptOfPlace } from '../../../../../src/chapters/wallets/core/utxo-signing.ts'

const ABANDON = `${'abandon '.repeat(11)}about`
const LEGAL = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
const CHEAP = { N: 2, r: 1, p: 1 }

const hex = (bytes: Uint8Array | null) => Buffer.from(bytes ?? []).toString('hex')
const utxoCoin = (id: 'BTC' | 'TBTC' | 'LTC' | 'TLTC') => COINS[id] as UtxoCoin
const networkOf = (id: 'BTC' | 'TBTC' | 'LTC' | 'TLTC', name: string) => utxoCoin(id).networks[name] as UtxoNetwork

test('words are those of BIP 39, and lead back to their entropy', async () => {
  assert.equal(wordsOfSeed(await seedOfEntropy(new Uint8Array(16))), ABANDON)
  assert.equal(wordsOfSeed(await seedOfEntropy(new Uint8Array(16).fill(0x7f))), LEGAL)
  // BIP 39 without a passphrase (vectors of BIP 84 begin here).
  const { seed, entropy } = await seedOfWords(`  ${ABANDON.toUpperCase().replaceAll(' ', '   ')} `)
  assert.equal(
    hex(seed),
    '5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc19a5ac40b389cd370d086206dec8aa6c43daea6690f20ad3d8d48b2d2ce9e38e4',
  )
  assert.equal(hex(entropy), '00'.repeat(16))
  for (const wrong of [
    ABANDON.replace('about', 'abandon'),
    'abandon',
    '',
    `${ABANDON} about`,
    ABANDON.replace('about', 'xyz'),
  ]) {
    await assert.rejects(seedOfWords(wrong), (error: AppError) => error.code === 'InvalidParameter')
  }
})

test('BIP 32, vector 1', () => {
  const key = HDKey.fromMasterSeed(Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')).derive(
    "m/0'/1/2'/2/1000000000",
  )
  assert.equal(
    key.publicExtendedKey,
    'xpub6H1LXWLaKsWFhvm6RVpEL9P4KfRZSW7abD2ttkWP3SSQvnyA8FSVqNTEcYFgJS2UaFcxupHiYkro49S8yGasTvXEYBVPamhGW6cFJodrTHy',
  )
})

test('BIP 84: first addresses, change, of Bitcoin; and those of the other coins by their coin types', async () => {
  const { seed } = await seedOfWords(ABANDON)
  const bitcoin = networkOf('BTC', 'main')
  const account = utxoAccount(seed, bitcoin.coinType)
  const address = (chain: 0 | 1, index: number) => addressOfScript(scriptOfPlace(account, { chain, index }), bitcoin)
  assert.equal(address(0, 0), 'bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu')
  assert.equal(address(0, 1), 'bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g')
  assert.equal(address(1, 0), 'bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el')
  // By the public key alone, as a locked wallet does.
  const watched = HDKey.fromExtendedKey(account.publicExtendedKey)
  assert.deepEqual(scriptOfPlace(watched, { chain: 0, index: 1 }), scriptOfPlace(account, { chain: 0, index: 1 }))
  const types = { BTC: 'main', LTC: 'main', TBTC: 'regtest', TLTC: 'regtest' } as const
  const kinds = Object.entries(types).map(([id, name]) => networkOf(id as keyof typeof types, name))
  assert.deepEqual(
    kinds.map(({ coinType, bech32 }) => [coinType, bech32]),
    [
      [0, 'bc'],
      [2, 'ltc'],
      [1, 'bcrt'],
      [1, 'rltc'],
    ],
  )
})

test('BIP 44 for Ethereum: the well-known first address of the words of test chains', async () => {
  const { seed } = await seedOfWords('test test test test test test test test test test test junk')
  assert.equal(evmAddressOf(evmKey(seed)), '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266')
})

test('a seed is sealed and opened with its password alone, and nothing of it may be changed', async () => {
  const secret = encodeSeed(await seedOfWords(LEGAL))
  const sealed = await sealSeed(secret, Buffer.from('right'), randomBytes, CHEAP)
  const opened = await openSeed(sealed, Buffer.from('right'))
  assert.equal(hex(opened), hex(secret))
  assert.equal(await openSeed(sealed, Buffer.from('Right')), null)
  assert.doesNotMatch(JSON.stringify(sealed), new RegExp(hex(secret).slice(0, 32)))
  const flipped = `${sealed.sealed.startsWith('0') ? '1' : '0'}${sealed.sealed.slice(1)}`
  assert.equal(await openSeed({ ...sealed, sealed: flipped }, Buffer.from('right')), null)
  assert.equal(await openSeed({ ...sealed, kdf: { ...sealed.kdf, p: 2 } }, Buffer.from('right')), null)
  const again = await sealSeed(secret, Buffer.from('right'), randomBytes, CHEAP)
  assert.notEqual(again.sealed, sealed.sealed)
})

test('what was read of a seed stays when the bytes it came from are wiped', async () => {
  const original = await seedOfWords(LEGAL)
  const bytes = Buffer.from(encodeSeed(original))
  const decoded = decodeSeed(bytes)
  bytes.fill(0)
  assert.deepEqual(
    [hex(decoded?.seed ?? null), hex(decoded?.entropy ?? null)],
    [hex(original.seed), hex(original.entropy)],
  )
  wipeSeed(original)
  assert.equal(hex(original.seed), '00'.repeat(64))
  assert.equal(decodeSeed(new Uint8Array(65)), null)
})

test('a file that is none is not read: neither other forms nor costs beyond reason', async () => {
  const sealed = await sealSeed(new Uint8Array(80), Buffer.from('x'), randomBytes, CHEAP)
  assert.deepEqual(readSealedSeed(JSON.parse(JSON.stringify(sealed))), sealed)
  const wrong = [
    null,
    {},
    { ...sealed, version: 2 },
    { ...sealed, nonce: 'zz' },
    { ...sealed, tag: 'ab' },
    { ...sealed, cipher: 'none' },
  ]
  const costs = [{ N: 3 }, { N: 2 ** 30 }, { r: 0 }, { p: 1.5 }, { name: 'pbkdf2' }].map(kdf => ({
    ...sealed,
    kdf: { ...sealed.kdf, ...kdf },
  }))
  for (const each of [...wrong, ...costs]) assert.equal(readSealedSeed(each), null, JSON.stringify(each))
  const salt = 'ab'.repeat(16)
  assert.ok(sameHash(await hashSpendKey(Buffer.from('a'), salt), await hashSpendKey(Buffer.from('a'), salt)))
  assert.ok(!sameHash(await hashSpendKey(Buffer.from('a'), salt), await hashSpendKey(Buffer.from('b'), salt)))
})

test('addresses of BIP 173 and BIP 350 give their scripts, and no other chain takes them', () => {
  const bitcoin = networkOf('BTC', 'main')
  const valid: [string, string][] = [
    ['BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', '0014751e76e8199196d454941c45d1b3a323f1433bd6'],
    [
      'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0',
      '512079be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
    ],
    ['1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa', '76a91462e907b15cbf27d5425399ebf6f0fb50ebb88f1888ac'],
    ['3P14159f73E4gFr7JterCCQh9QjiTjiZrG', 'a914e9c3dd0c07aac76179ebc76a6c78d4d67c6c160a87'],
  ]
  for (const [address, script] of valid) {
    assert.equal(hex(scriptOfAddress(address, bitcoin)), script, address)
    const litecoin = networkOf('LTC', 'main')
    assert.throws(() => scriptOfAddress(address, litecoin), /another chain: Bitcoin/, address)
  }
  const wrong = [
    'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5',
    'bc1qW508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
    'bc1',
    '',
    'x'.repeat(200),
  ]
  // Checksums of the wrong kind for their version (BIP 350).
  const swapped = [
    'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd',
    '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNb',
  ]
  for (const address of [...wrong, ...swapped]) {
    assert.throws(
      () => scriptOfAddress(address, bitcoin),
      (error: AppError) => error.code === 'InvalidAddress',
      address,
    )
  }
})

test('dust is what Bitcoin Core calls so', () => {
  const bitcoin = utxoCoin('BTC')
  const scripts: [number, string, bigint][] = [
    [22, '0014', 294n],
    [34, '0020', 330n],
    [25, '76a9', 546n],
    [23, 'a914', 540n],
  ]
  for (const [length, start, dust] of scripts) {
    const script = Buffer.concat([Buffer.from(start, 'hex'), Buffer.alloc(length - 2)])
    assert.equal(dustLimit(script, bitcoin), dust, start)
  }
  assert.equal(dustLimit(Buffer.concat([Buffer.from('0014', 'hex'), Buffer.alloc(20)]), utxoCoin('LTC')), 2940n)
})

test('EIP-55: checksums are held to where there are some', () => {
  const right = ['0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359']
  for (const address of right) {
    assert.equal(checkEvmAddress(address), address)
    assert.equal(checkEvmAddress(address.toLowerCase()), address)
    const wrong = [
      address.replace(/[A-F]/, letter => letter.toLowerCase()),
      address.slice(0, -1),
      address.slice(2),
      `XE${address.slice(2)}`,
    ]
    for (const each of wrong)
      assert.throws(
        () => checkEvmAddress(each),
        (error: AppError) => error.code === 'InvalidAddress',
        each,
      )
  }
  assert.throws(() => checkEvmAddress(`0x${'0'.repeat(40)}`), /Nobody/)
})

test('coins are found in any case, others not', () => {
  assert.deepEqual([coinOf('btc')?.id, coinOf('tEth')?.id, coinOf('DOGE'), coinOf('')], ['BTC', 'TETH', null, null])
})
