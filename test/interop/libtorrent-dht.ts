// libtorrent sessions as nodes of a DHT, many in one Python process (libtorrent-dht.py), spoken to in JSON lines.

import { join } from 'node:path'
import { JsonLinesChild } from '../kit/nodes/json-lines-child.ts'
import { projectRoot } from '../kit/project-root.ts'
import { PYTHON } from '../kit/requirements.ts'
import { waitFor } from '../kit/wait-for.ts'

/** What a session heard; see the script. Bytes are hexadecimal. */
export interface DhtEvent {
  readonly kind: 'peers' | 'item' | 'mutable' | 'put' | 'samples'
  readonly peers?: readonly (readonly [string, number])[]
  readonly value?: string | null
  readonly seq?: number
  readonly stored?: number
  readonly samples?: readonly string[]
  readonly total?: number
}

/** Sessions by number. */
export interface LibtorrentDht {
  /** Sends one command; rejects with its error. */
  call(op: string, fields: object): Promise<Record<string, unknown>>
  /** Starts a session; `bootstrap`: `ip:port,...`. */
  start(ip: string, bootstrap: string, settings?: object): Promise<{ readonly id: number; readonly port: number }>
  /** Waits for an event of session `id` that `wanted` accepts; others that came before are lost. */
  event(id: number, what: string, wanted: (event: DhtEvent) => boolean, limitMs?: number): Promise<DhtEvent>
  stop(): Promise<void>
}

/** Starts the process, without a session. */
export function startLibtorrentDht(): LibtorrentDht {
  const child = new JsonLinesChild('libtorrent', PYTHON, [join(projectRoot, 'test/interop/libtorrent-dht.py')])
  return {
    call: (op, fields) => child.call(op, fields),
    start: async (ip, bootstrap, settings = {}) => {
      const { id, port } = await child.call('start', { ip, bootstrap, settings })
      return { id: Number(id), port: Number(port) }
    },
    event: (id, what, wanted, limitMs) => {
      const seen: DhtEvent[] = []
      const look = async (): Promise<DhtEvent | undefined> => {
        const { events } = (await child.call('heard', { id })) as { events: DhtEvent[] }
        seen.push(...events)
        return events.find(wanted)
      }
      return waitFor(what, look, limitMs, () => seen)
    },
    stop: () => child.stop(),
  }
}
