// A node with many downloads without seeds, a tracker that names a given number of dead addresses for each, and how
// long it takes until a peer that comes is answered.

import { connect } from 'node:net'
import { freePort } from '../free-port.ts'
import { type HttpTracker, type SeenAnnounce, startHttpTracker } from '../peers/http-tracker.ts'
import { type NodeProcess, startNode } from './node-process.ts'
import { startRawPeer, validHandshake } from '../peers/raw-peer.ts'
import { waitFor } from '../wait-for.ts'
import { peerPort } from './watched-node.ts'

/** Usual of public trackers, seconds. */
const INTERVAL_SEC = 1800
const MIN_INTERVAL_SEC = 5
/**
 * First announces come together: the second ones are spread over the rest of the first interval, as in a node that ran
 * for long.
 */
const FIRST_INTERVALS_SEC = [60, INTERVAL_SEC] as const
/** Addresses at which nobody listens, of this host. */
const DEAD_PORT = 1
const WAKE_LIMIT_MS = 60_000

/** The tracker of all of them. */
export interface IdleTracker extends HttpTracker {
  /** From now on it names this peer, `ip port`, to who asks for the torrent. */
  name(infoHash: string, peer: string): void
}

/** `dead`: how many addresses it names to a torrent, at most; `fresh`: others at each announce. */
export async function startIdleTracker(dead: number, fresh = false): Promise<IdleTracker> {
  const alive = new Map<string, string>()
  const [least, most] = FIRST_INTERVALS_SEC
  let answers = 0
  const deadOnes = ({ infoHash }: SeenAnnounce): string[] => {
    const number = parseInt(infoHash.slice(0, 6), 16)
    answers += 1
    const last = fresh ? answers & 255 : 1
    const count = dead === 0 ? 0 : 1 + (number % dead)
    return Array.from({ length: count }, (_, at) => `127.${1 + at}.${number & 255}.${last} ${DEAD_PORT}`)
  }
  const tracker = await startHttpTracker('127.0.0.1', {
    intervalSec: ({ event, infoHash }) =>
      event === 'started' ? least + (parseInt(infoHash.slice(0, 8), 16) % (most - least)) : INTERVAL_SEC,
    minIntervalSec: MIN_INTERVAL_SEC,
    names: seen => [...deadOnes(seen), ...(alive.has(seen.infoHash) ? [alive.get(seen.infoHash) as string] : [])],
  })
  return { ...tracker, name: (infoHash, peer) => void alive.set(infoHash, peer) }
}

/** Starts a node that keeps its port over restarts: else its tracker would name the node that was. */
export async function suspendedNode(folder: string, data: string): Promise<() => Promise<NodeProcess>> {
  const settings = {
    'download_defaults.saveas': data,
    'general.allowed_paths': folder,
    'libtorrent.port': await freePort(),
  }
  return () => startNode({ stateDir: `${folder}/state`, settings, until: 'listening' })
}

/** Resolves when every download is loaded. */
export async function allLoaded(node: NodeProcess): Promise<void> {
  await waitFor('ready', () => node.logs().stdout.includes('Ready.'), 300_000)
}

/** Milliseconds until who calls for `infoHash` has the node's handshake. */
export async function wokenByPeer(node: NodeProcess, infoHash: string): Promise<number> {
  const port = await peerPort(node)
  const beganMs = performance.now()
  let greeted = false
  const socket = connect(port, '127.0.0.1', () => socket.write(validHandshake(infoHash, '-RE0001-')))
  socket.on('error', () => undefined)
  socket.on('data', () => (greeted = true))
  try {
    await waitFor('a handshake', () => greeted, WAKE_LIMIT_MS)
    return performance.now() - beganMs
  } finally {
    socket.destroy()
  }
}

/**
 * Milliseconds from `ask`, after which the node asks the tracker, until it calls the peer that the tracker names now.
 */
async function untilCalled(tracker: IdleTracker, infoHash: string, ask: () => Promise<unknown>): Promise<number> {
  const peer = await startRawPeer('127.0.0.1', () => undefined)
  try {
    tracker.name(infoHash, `${peer.ip} ${peer.port}`)
    const beganMs = performance.now()
    await ask()
    await waitFor('a call', () => peer.connections > 0, WAKE_LIMIT_MS)
    return performance.now() - beganMs
  } finally {
    await peer.stop()
  }
}

/** Milliseconds from a forced announce until the node calls the peer that the tracker names. */
export async function wokenByTracker(node: NodeProcess, tracker: IdleTracker, infoHash: string): Promise<number> {
  const force = async () => {
    const reply = await node.request('PUT', `/downloads/${infoHash}/tracker_force_announce`, {})
    return reply.json<{ forced?: boolean }>().forced
  }
  return untilCalled(tracker, infoHash, () => waitFor('the tracker may be asked', force, WAKE_LIMIT_MS))
}

/** Milliseconds from a reader's request until the node calls the peer that the tracker names. */
export async function wokenByReader(node: NodeProcess, tracker: IdleTracker, infoHash: string): Promise<number> {
  const reading = new AbortController()
  const headers = { 'x-api-key': node.key }
  const read = async () => {
    const url = `${node.baseUrl}/downloads/${infoHash}/stream/0`
    void fetch(url, { headers, signal: reading.signal })
      .then(reply => reply.arrayBuffer())
      .catch(() => undefined)
  }
  try {
    return await untilCalled(tracker, infoHash, read)
  } finally {
    reading.abort()
  }
}
