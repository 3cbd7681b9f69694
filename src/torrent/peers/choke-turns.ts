// Turns at the upload slots of a torrent: what is known of a peer's turn, which peers waste theirs, and which is next
// in the line (decision 0480). Pure, for choker.ts.

/** A peer with a slot that asks for nothing for this long gives it to one that waits. */
const IDLE_TURN_MS = 3000

/** What the choker must know of a peer; rates in bytes/s. */
export interface ChokePeer {
  readonly key: string
  /** The peer wants data from us. */
  readonly interested: boolean
  /** What it sends us. */
  readonly downRate: number
  /** What we send it. */
  readonly upRate: number
  /** It sends nothing although asked (RequestPipeline.snubbed). */
  readonly snubbed: boolean
  /** When the connection was made. */
  readonly connectedAtMs: number
  /** When it last asked for something or was sent something; what it still has to get counts as now. */
  readonly activeMs: number
}

/** The present turn of a peer, or its wait for one. */
export interface Turn {
  readonly unchoked: boolean
  /** When the present state began. */
  readonly sinceMs: number
  /** How its last turn ended: `idle`, it asked for nothing; `none`, it had none yet. */
  readonly last: 'none' | 'used' | 'idle'
}

/** The other state begins. */
export function turnAfter(before: Turn, peer: ChokePeer, nowMs: number): Turn {
  const last = !before.unchoked ? before.last : isIdle(peer, before, nowMs) ? 'idle' : 'used'
  return { unchoked: !before.unchoked, sinceMs: nowMs, last }
}

/** Unchoked, and asks for nothing. */
export function isIdle(peer: ChokePeer, turn: Turn, nowMs: number): boolean {
  return nowMs - Math.max(peer.activeMs, turn.sinceMs) >= IDLE_TURN_MS
}

/** `line`, with the newest of those that are new in every second place, from the first one on if `first`. */
export function newestBetween(
  line: readonly ChokePeer[],
  isNew: (peer: ChokePeer) => boolean,
  first: boolean,
): ChokePeer[] {
  const fresh = line.filter(isNew).sort((a, b) => a.connectedAtMs - b.connectedAtMs)
  const mixed = new Set<ChokePeer>()
  for (const peer of line) {
    if (!first) mixed.add(peer)
    let newest = fresh.pop()
    while (newest !== undefined && mixed.has(newest)) newest = fresh.pop()
    if (newest !== undefined) mixed.add(newest)
    mixed.add(peer)
  }
  return [...mixed]
}
