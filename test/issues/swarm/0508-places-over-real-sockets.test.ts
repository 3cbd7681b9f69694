// The attacks on places for peers (decision 0480) over real sockets: a network namespace that has the addresses of
// hundreds of networks, the built node in it with the places and slots that users have, and honest peers that come when
// all are taken.

import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { after, before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { makeTestFolder, type TestFolder, writeContent, writeTorrent } from '../../kit/content/content-on-disk.ts'
import { addDownload, downloadComplete } from '../../kit/nodes/downloads-client.ts'
import { type MadeTorrent, makeTorrent } from '../../kit/content/make-torrent.ts'
import { type NodeProcess, startNode } from '../../kit/nodes/node-process.ts'
import { projectRoot } from '../../kit/project-root.ts'
import { needs } from '../../kit/requirements.ts'
import { TcpCaller } from './tcp-caller.ts'
import { waitFor } from '../../kit/wait-for.ts'

const PLACES = 400
/** Blocks that an honest peer asks for. */
const BLOCKS = 40
/** Who came less long ago keeps its place, ms: the crowd is to be older, as one is that has been there for a while. */
const GRACE_MS = 2000
const NODE_IP = '7.7.7.7'
/** What is local in the namespace beside it: attackers, honest peers. */
const NETWORKS = ['8.0.0.0/8', '9.1.2.0/24', '20.0.0.0/7', '30.0.0.0/7', '40.0.0.0/7']

/** How attackers behave once they are connected. */
type Manner = 'silent' | 'a block a minute, each at its time' | 'a block a minute, all at once'

interface Attack {
  readonly name: string
  readonly from: (at: number) => string
  readonly manner: Manner
  /** How many of them get a place. */
  readonly places: { readonly least: number; readonly most: number }
}

const all = { least: PLACES - 8, most: PLACES }
const inSixteens = (first: number) => (at: number) => `${first + (at >> 8)}.${at & 255}.0.1`
const ATTACKS: readonly Attack[] = [
  {
    name: 'fifty addresses of one /24',
    from: at => `9.1.2.${1 + (at % 50)}`,
    manner: 'silent',
    places: { least: PLACES / 4 - 8, most: PLACES / 4 },
  },
  { name: 'four hundred different /16', from: inSixteens(20), manner: 'silent', places: all },
  {
    name: 'four hundred that ask one block a minute',
    from: inSixteens(30),
    manner: 'a block a minute, each at its time',
    places: all,
  },
  {
    name: 'four hundred that have all just asked for a block',
    from: inSixteens(40),
    manner: 'a block a minute, all at once',
    places: all,
  },
]

if (process.env['TRIBUTARY_NETNS'] === '1') describe('places', inNamespace)
else test('attacks on places, in a network namespace', { skip: needs('namespaces'), timeout: 120_000 }, again)

/** This file once more, in a namespace of its own. */
function again(): void {
  const env: NodeJS.ProcessEnv = { ...process.env, REQUIRE_PEERS: '1' }
  delete env['NODE_TEST_CONTEXT']
  const script = `${projectRoot}/test/kit/netns`
  const args = [script, process.execPath, '--test-reporter=spec', fileURLToPath(import.meta.url)]
  const { status, stdout } = spawnSync('bash', args, { env, encoding: 'utf8' })
  assert.equal(status, 0, stdout)
  for (const { name } of ATTACKS) assert.ok(stdout.includes(name), `${name} did not run`)
}

function inNamespace(): void {
  const made = makeTorrent({ name: 'film.bin', length: 20_000 * 1024, pieceLength: 64 * 1024 })
  let folder: TestFolder
  let node: NodeProcess
  let port = 0
  before(async () => {
    execFileSync('ip', ['addr', 'add', `${NODE_IP}/32`, 'dev', 'lo'])
    for (const network of NETWORKS) execFileSync('ip', ['route', 'add', 'local', network, 'dev', 'lo'])
    folder = await makeTestFolder()
    node = await startNode({ settings: { 'libtorrent.interface': NODE_IP } })
    await writeContent(made, folder.path, 'film.bin')
    const torrent = await writeTorrent(made, folder.path)
    await downloadComplete(node, await addDownload(node, torrent, folder.path))
    const { variables } = await node.get<{ variables: { ports: Record<string, number> } }>('/variables')
    port = variables.ports['libtorrent~port'] ?? 0
  })
  after(async () => {
    await node.stop()
    await folder.remove()
  })
  for (const [at, attack] of ATTACKS.entries()) {
    test(attack.name, { timeout: 30_000 }, async t => {
      const crowd = new Crowd(made, port, attack)
      try {
        await crowd.come()
        t.diagnostic(`served after ${(await servedMs(made, port, at)).toFixed()} ms`)
      } finally {
        crowd.close()
      }
    })
  }
}

/** Who takes the places. */
class Crowd {
  readonly #peers: TcpCaller[] = []
  readonly #make: (at: number) => TcpCaller
  readonly #attack: Attack
  #asking: NodeJS.Timeout | null = null

  constructor(made: MadeTorrent, port: number, attack: Attack) {
    this.#attack = attack
    const to = { ip: NODE_IP, port }
    const interested = attack.manner !== 'silent'
    this.#make = at => new TcpCaller({ from: attack.from(at), to, infoHash: made.infoHash, name: `a${at}`, interested })
  }

  /** All of them call, as many at a time as have a place before their handshake. */
  async come(): Promise<void> {
    for (let at = 0; at < PLACES; at += 1) {
      this.#peers.push(this.#make(at))
      if (at % 20 === 19) await waitFor('answers', () => this.#peers.every(one => one.connected || !one.calls), 5000)
    }
    const { least, most } = this.#attack.places
    const connected = this.#peers.filter(one => one.connected).length
    assert.ok(connected >= least && connected <= most, `${connected} of the crowd connected`)
    const here = performance.now()
    if (this.#attack.manner.endsWith('at its time')) this.#askInTurn()
    if (this.#attack.manner.endsWith('all at once')) {
      for (const peer of this.#peers) peer.ask()
      await waitFor('a block each', () => this.#peers.filter(one => one.blocks > 0).length >= least, 5000)
    }
    // Where places are left there is nobody to go.
    const age = most < PLACES ? 0 : GRACE_MS
    await waitFor('a crowd that is older', () => performance.now() - here > age)
  }

  /** Each once a minute; who was dropped calls again. */
  #askInTurn(): void {
    let at = 0
    this.#asking = setInterval(() => {
      this.#peers[at % PLACES]?.ask()
      for (const peer of this.#peers) peer.again()
      at += 1
    }, 60_000 / PLACES)
  }

  close(): void {
    if (this.#asking !== null) clearInterval(this.#asking)
    for (const peer of this.#peers) peer.close()
  }
}

/**
 * Four honest peers get data within five seconds, and keep their places until they have all they ask for; ms until the
 * first block of the last.
 */
async function servedMs(made: MadeTorrent, port: number, network: number): Promise<number> {
  const to = { ip: NODE_IP, port }
  const began = performance.now()
  const honest = Array.from({ length: 4 }, (_, at) => {
    const from = `8.${8 + network}.${at}.7`
    return new TcpCaller({ from, to, infoHash: made.infoHash, name: `h${at}`, interested: true, wants: BLOCKS })
  })
  const counts = (): number[] => honest.map(({ blocks }) => blocks)
  try {
    await waitFor('a block for each', () => counts().every(blocks => blocks > 0), 5000, counts)
    const ms = performance.now() - began
    await waitFor('all blocks for each', () => counts().every(blocks => blocks >= BLOCKS), 5000, counts)
    assert.deepEqual(
      honest.map(({ losses }) => losses),
      [0, 0, 0, 0],
    )
    return ms
  } finally {
    for (const peer of honest) peer.close()
  }
}
