// The node's event stream as the page reads it: chunks of bytes to lines of JSON to events. Pure.

import type { Download } from '../../client/core-routes.ts'
import { readable } from './format.ts'

/** An event of the node's log. */
export interface NodeEvent {
  readonly id: number
  readonly type: string
  readonly event?: Readonly<Record<string, unknown>>
  /** When the page heard of it, Unix ms; the log has no times. */
  readonly heardMs?: number
}

/** A part of the list of downloads. */
export interface ListPart {
  readonly downloads: readonly Download[]
  readonly removed: readonly string[]
  /** The list is whole with this part. */
  readonly complete: boolean
}

/** A line longer than this is none of the node's. */
const MAX_LINE_CHARS = 32 * 1024 * 1024

/** Cuts a stream into lines. */
export class LineSplitter {
  readonly #decoder = new TextDecoder()
  #rest = ''

  /** The lines that end in `chunk`, without empty ones. Throws RangeError for a line that does not end. */
  push(chunk: Uint8Array): string[] {
    const lines = (this.#rest + this.#decoder.decode(chunk, { stream: true })).split('\n')
    this.#rest = lines.pop() ?? ''
    if (this.#rest.length > MAX_LINE_CHARS) throw new RangeError('an event has no end')
    return lines.filter(line => line !== '')
  }
}

/** What a line says: an event, a part of the list, or null for what is neither. */
export function readLine(line: string): NodeEvent | ListPart | null {
  const value = JSON.parse(readable(line)) as { id?: unknown; type?: unknown; event?: Record<string, unknown> }
  if (value.type === 'downloads_changed') return value.event as unknown as ListPart
  return typeof value.type === 'string' && typeof value.id === 'number' ? (value as NodeEvent) : null
}

/** A text of an event; empty when it has none of that name. */
export function textIn({ event = {} }: NodeEvent, name: string): string {
  const value = event[name]
  return typeof value === 'string' ? value : ''
}

/** Tells parts of the list from events. */
export function isListPart(value: NodeEvent | ListPart): value is ListPart {
  return 'downloads' in value
}
