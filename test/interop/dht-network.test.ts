// A DHT of fifty nodes with a socket and an address each, fifteen of them libtorrent sessions: announces, items,
// samples, scrapes and read-only nodes across both, and the IPv6 DHT. The addresses look public, so that ids have to
// fit them (BEP 42).

import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { infoHashFromBytes, type InfoHash, type PeerAddress } from '../../src/base/ids.ts'
import { signItem } from '../../src/dht/one-lookup.ts'
import { nodeEd25519 } from '../../src/io/ed25519.ts'
import { SystemRandom } from '../../src/io/random.ts'
import { decodeKrpc } from '../../src/wire/dht/krpc.ts'
import { makeTestFolder, type TestFolder } from '../kit/content/content-on-disk.ts'
import { cell } from '../kit/runners/interop-matrix.ts'
import { type LibtorrentDht, startLibtorrentDht } from './libtorrent-dht.ts'
import { claimAddress6, claimPublicAddresses, type RealDhtNode, settled, startDhtNode } from '../kit/peers/real-dht.ts'
import { needs } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

const OURS = 35
const THEIRS = 15
const random = new SystemRandom()
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text))
const onlyLook = { announcePort: null, seed: false, impliedPort: false }

interface Network {
  readonly ours: RealDhtNode[]
  readonly theirs: { readonly id: number; readonly address: PeerAddress }[]
}

/** Nodes of both kinds, alternating, each knowing the first of each kind. */
async function grow(
  lt: LibtorrentDht,
  addresses: { readonly ours: readonly string[]; readonly theirs: readonly string[] },
): Promise<Network> {
  const network: Network = { ours: [], theirs: [] }
  const contacts = (): PeerAddress[] =>
    [...network.ours.slice(0, 2), ...network.theirs.slice(0, 2)].map(at => at.address)
  for (let at = 0; at < addresses.ours.length; at++) {
    network.ours.push(await startDhtNode(addresses.ours[at] ?? '', contacts()))
    const ip = addresses.theirs[at]
    if (ip === undefined) continue
    const bootstrap = contacts().map(to => (to.ip.includes(':') ? `[${to.ip}]:${to.port}` : `${to.ip}:${to.port}`))
    const { id, port } = await lt.start(ip, bootstrap.join(','))
    network.theirs.push({ id, address: { ip, port } })
  }
  return network
}

function some<T>(list: readonly T[], at: number): T {
  const one = list[at % list.length]
  assert.ok(one !== undefined)
  return one
}

/** Looks with one of our nodes, again and again, until `wanted` (`ip:port`) is found. */
async function finds(node: RealDhtNode, infoHash: InfoHash, wanted: string): Promise<void> {
  const found = new Set<string>()
  const look = async (): Promise<boolean> => {
    const search = node.dht.peers(infoHash, onlyLook, peers => {
      for (const { ip, port } of peers) found.add(`${ip}:${port}`)
    })
    // A search waits for its turn, looks, and looks again only much later: the announce may still be on its way.
    await waitFor('an answer', () => found.has(wanted), 3_000).catch(() => undefined)
    search.close()
    return found.has(wanted)
  }
  await waitFor(`${wanted} by the DHT`, look, 30_000, () => [...found])
}

describe('a DHT of fifty nodes, fifteen of them libtorrent', {
  skip: needs('netns', 'libtorrent'),
  concurrency: 1,
}, () => {
  let lt: LibtorrentDht
  let network: Network
  let folder: TestFolder
  const hashes: InfoHash[] = []

  before(async () => {
    claimPublicAddresses('80.1.0.0/16', '80.2.0.0/16')
    folder = await makeTestFolder()
    lt = startLibtorrentDht()
    network = await grow(lt, {
      ours: Array.from({ length: OURS }, (_, at) => `80.1.${at}.7`),
      theirs: Array.from({ length: THEIRS }, (_, at) => `80.2.${at}.7`),
    })
    await settled(network.ours, 20)
    await waitFor('libtorrent to know nodes', async () => {
      const { nodes } = (await lt.call('size', { id: THEIRS - 1 })) as { nodes: number }
      return nodes >= 10
    })
  })
  after(async () => {
    for (const node of network?.ours ?? []) await node.stop()
    await lt?.stop()
    await folder?.remove()
  })

  test('ids fit addresses, and both kinds stand in our tables', async () => {
    const stats = network.ours.flatMap(node => node.dht.stats()[4] ?? [])
    const told = stats.filter(one => one.externalIp !== null).length
    assert.ok(told > OURS / 2, `${told} know their address`)
    const theirs = new Set(network.theirs.map(({ address }) => address.ip))
    const known = () =>
      network.ours.map(node => (node.dht.exportState()[4]?.nodes ?? []).filter(({ ip }) => theirs.has(ip)).length)
    // Tables have some room for other kinds by chance, and are looked through by and by.
    await waitFor('libtorrent in our tables', () => Math.min(...known()) >= 3, 15_000, known)
    cell('DHT security ids', 'libtorrent')
  })

  test('what one kind announces the other finds', { timeout: 60_000 }, async () => {
    const own = infoHashFromBytes(random.bytes(20))
    const announcer = some(network.ours, 7)
    announcer.dht.peers(own, { announcePort: 5007, seed: false, impliedPort: false }, () => undefined)
    const foreign = infoHashFromBytes(random.bytes(20))
    const session = some(network.theirs, 5)
    await lt.call('announce', { id: session.id, info_hash: foreign, dir: folder.path })
    hashes.push(own, foreign)
    await finds(some(network.ours, 20), own, `${announcer.address.ip}:5007`)
    await finds(some(network.ours, 30), foreign, `${session.address.ip}:${session.address.port}`)
    const searcher = some(network.theirs, 12).id
    await lt.call('find', { id: searcher, info_hash: own })
    await lt.event(searcher, 'our announce in libtorrent', ({ kind, peers }) => {
      return kind === 'peers' && (peers ?? []).some(([ip, port]) => ip === announcer.address.ip && port === 5007)
    })
  })

  test('immutable items go both ways', { timeout: 60_000 }, async () => {
    const value = bytesOf('26:an item of the other kind ')
    const { stored, target } = await some(network.ours, 3).dht.putItem({
      value,
      proof: null,
      salt: new Uint8Array(),
      cas: null,
    })
    assert.ok(stored >= 8, `stored at ${stored}`)
    const reader = some(network.theirs, 3).id
    await lt.call('fetch', { id: reader, target: hex(target) })
    const item = await lt.event(reader, 'our item', ({ kind }) => kind === 'item')
    assert.equal(item.value, hex(value.subarray(3)))
    const writer = some(network.theirs, 9).id
    const put = (await lt.call('put', { id: writer, value: hex(bytesOf('from libtorrent')) })) as { target: string }
    const done = await lt.event(writer, 'the put of libtorrent', ({ kind }) => kind === 'put')
    assert.ok((done.stored ?? 0) >= 5, `stored at ${done.stored}`)
    const found = await some(network.ours, 15).dht.getItem({ target: Uint8Array.from(Buffer.from(put.target, 'hex')) })
    assert.equal(Buffer.from(found?.value ?? []).toString(), '15:from libtorrent')
  })

  test('mutable items go both ways, and the newest one wins', { timeout: 60_000 }, async () => {
    const seed = random.bytes(32)
    const key = nodeEd25519.publicKey(seed)
    const salt = bytesOf('salt')
    const name = { id: some(network.theirs, 2).id, key: hex(key), salt: hex(salt) }
    const value = bytesOf('5:first')
    const proof = signItem(nodeEd25519, seed, { value, salt, seq: 1n })
    const put = await some(network.ours, 1).dht.putItem({ value, proof, salt, cas: null })
    assert.ok(put.stored >= 8 && put.newer === null, `stored at ${put.stored}`)
    await lt.call('fetch_mutable', name)
    const read = await lt.event(name.id, 'our item', event => event.kind === 'mutable' && event.value !== null)
    assert.deepEqual([read.value, read.seq], [hex(bytesOf('first')), 1])
    // libtorrent puts over it, with the next number.
    const writer = some(network.theirs, 8).id
    await lt.call('put_mutable', { ...name, id: writer, seed: hex(seed), value: hex(bytesOf('second')) })
    const done = await lt.event(writer, 'the put of libtorrent', ({ kind }) => kind === 'put')
    assert.ok((done.stored ?? 0) >= 5 && done.seq === 2, JSON.stringify(done))
    const found = await some(network.ours, 25).dht.getItem({ key, salt })
    assert.deepEqual([Buffer.from(found?.value ?? []).toString(), found?.proof?.seq], ['6:second', 2n])
    const late = await some(network.ours, 1).dht.putItem({ value, proof, salt, cas: null })
    assert.equal(late.newer?.proof?.seq, 2n)
    cell('DHT items', 'libtorrent')
  })

  test('samples of infohashes, and estimates of a swarm by both kinds', { timeout: 60_000 }, async () => {
    const infoHash = infoHashFromBytes(random.bytes(20))
    const SEEDS = 6
    const PEERS = 4
    for (const [at, node] of network.ours.slice(10, 10 + SEEDS + PEERS).entries())
      node.dht.peers(infoHash, { announcePort: 6000, seed: at < SEEDS, impliedPort: false }, () => undefined)
    const scraper = some(network.ours, 33)
    let last: unknown = null
    await waitFor(
      'an estimate',
      async () => {
        const estimate = await scraper.dht.scrape(infoHash)
        last = estimate
        return estimate.seeds === SEEDS && estimate.peers === PEERS && estimate.nodes >= 8
      },
      20_000,
      () => last,
    )
    const target = Uint8Array.from(Buffer.from(infoHash, 'hex'))
    const { infoHashes } = await scraper.dht.sample(target)
    assert.ok(infoHashes.length > 0)
    const near = network.ours.find(node => (node.dht.stats()[4]?.stored.torrents ?? 0) > 0)
    assert.ok(near !== undefined)
    const { id } = some(network.theirs, 4)
    await lt.call('sample', { id, ip: near.address.ip, port: near.address.port, target: infoHash })
    const heard = await lt.event(id, 'samples', ({ kind }) => kind === 'samples')
    assert.ok((heard.samples ?? []).length > 0 && heard.total === (heard.samples ?? []).length, JSON.stringify(heard))
    cell('DHT scrape', 'libtorrent')
    cell('sample_infohashes', 'libtorrent')
  })

  test('nobody takes a read-only node into its table, and it finds all the same', { timeout: 60_000 }, async () => {
    let queries = 0
    const contacts = [some(network.ours, 0).address, some(network.theirs, 0).address]
    const shy = await startDhtNode('80.1.200.7', contacts, { readOnly: true }, bytes => {
      if (decodeKrpc(bytes).kind === 'query') queries++
    })
    const shyLibtorrent = await lt.start('80.2.200.7', `${contacts[0]?.ip}:${contacts[0]?.port}`, {
      dht_read_only: true,
    })
    try {
      const own = hashes[0]
      assert.ok(own !== undefined)
      await finds(shy, own, `${some(network.ours, 7).address.ip}:5007`)
      await lt.call('find', { id: shyLibtorrent.id, info_hash: own })
      await lt.event(shyLibtorrent.id, 'peers in the shy libtorrent', ({ kind, peers }) => {
        return kind === 'peers' && (peers ?? []).some(([, port]) => port === 5007)
      })
      assert.equal(queries, 0, 'it was asked')
      const known = network.ours.flatMap(node => node.dht.exportState()[4]?.nodes ?? []).map(({ ip }) => ip)
      assert.ok(known.includes('80.2.3.7'))
      assert.ok(!known.includes('80.1.200.7') && !known.includes('80.2.200.7'))
      cell('DHT read-only', 'libtorrent')
    } finally {
      await shy.stop()
    }
  })

  test('the IPv6 DHT', { timeout: 60_000 }, async () => {
    const ours = Array.from({ length: 9 }, (_, at) => `2a01:1:0:${(at + 1).toString(16)}::7`)
    const theirs = Array.from({ length: 4 }, (_, at) => `2a01:2:0:${(at + 1).toString(16)}::7`)
    for (const ip of [...ours, ...theirs]) claimAddress6(ip)
    const six = await grow(lt, { ours, theirs })
    try {
      await settled(six.ours, 8)
      const own = infoHashFromBytes(random.bytes(20))
      const announcer = some(six.ours, 5)
      announcer.dht.peers(own, { announcePort: 5008, seed: false, impliedPort: false }, () => undefined)
      await finds(some(six.ours, 8), own, `${announcer.address.ip}:5008`)
      const searcher = some(six.theirs, 3).id
      await lt.call('find', { id: searcher, info_hash: own })
      await lt.event(searcher, 'our announce in libtorrent', ({ kind, peers }) => {
        return kind === 'peers' && (peers ?? []).some(([ip, port]) => ip === announcer.address.ip && port === 5008)
      })
      const foreign = infoHashFromBytes(random.bytes(20))
      const session = some(six.theirs, 1)
      await lt.call('announce', { id: session.id, info_hash: foreign, dir: folder.path })
      await finds(some(six.ours, 2), foreign, `${session.address.ip}:${session.address.port}`)
      cell('DHT IPv6', 'libtorrent')
    } finally {
      for (const node of six.ours) await node.stop()
    }
  })
})
