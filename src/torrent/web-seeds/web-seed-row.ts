// A web seed as it is shown, alone and among peers. Pure.

import type { PeerSnapshot, WebSeedRow } from '../types.ts'

/** A web seed that is not asked for anything. */
export function idleWebSeed(url: string): WebSeedRow {
  return { url, state: 'idle', downRate: 0, downTotal: 0, requests: 0, completed: 0, error: '', retryInMs: null }
}

/**
 * A web seed as peers are shown (connection type 1): its address is the server's name, its client says that it is one.
 */
export function webSeedPeer(row: WebSeedRow): PeerSnapshot {
  const url = URL.parse(row.url)
  return {
    id: '',
    ip: url?.hostname ?? '',
    port: Number(url?.port || (url?.protocol === 'https:' ? 443 : 80)),
    client: 'Web seed',
    webSeed: true,
    incoming: false,
    utp: false,
    encryption: null,
    downRate: row.downRate,
    upRate: 0,
    downTotal: row.downTotal,
    upTotal: 0,
    upInterested: false,
    upChoked: true,
    downInterested: true,
    downChoked: false,
    optimistic: false,
    snubbed: false,
    completed: row.completed,
    seed: row.completed === 1,
    uploadOnly: true,
    requestsOut: row.requests,
    requestsIn: 0,
  }
}
