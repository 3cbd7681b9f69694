// What is about to be added: sources of a text and their info hashes, what is asked of the node with them, folders that
// were used lately, and whether they fit. Pure.

import { keep, type KeptTexts, readKept } from './kept.ts'

/** What a person sets in the dialog, as it is typed. */
export interface AddFields {
  readonly folder: string
  readonly labels: string
  readonly paused: boolean
  readonly sequential: boolean
  readonly forgets: boolean
  /** -1 = as the settings say. */
  readonly hops: number
  /** KiB/s; '' = none. */
  readonly down: string
  readonly up: string
}

/** Before anything was set. */
export const NOTHING_SET: AddFields = {
  folder: '',
  labels: '',
  paused: false,
  sequential: false,
  forgets: false,
  hops: -1,
  down: '',
  up: '',
}

/** What the node is asked for; absent = its default. */
export interface AskedOptions {
  readonly destination?: string
  readonly labels?: string[]
  readonly paused?: boolean
  readonly sequential?: boolean
  readonly watch_and_forget?: boolean
  readonly anon_hops?: number
  readonly safe_seeding?: boolean
  readonly max_download_speed?: number
  readonly max_upload_speed?: number
}

/** A limit as it is typed, in bytes/s; 0 = none, null = it is no number. */
export function limitOf(typed: string): number | null {
  const text = typed.trim().replace(',', '.')
  if (text === '') return 0
  const rate = Math.round(Number(text) * 1024)
  return /^\d{1,9}(?:\.\d+)?$/.test(text) && rate <= 1e12 ? rate : null
}

/** What the node is asked for by what was set. */
export function optionsOf({ folder, labels, paused, sequential, forgets, hops, down, up }: AddFields): AskedOptions {
  const list = labels
    .split(',')
    .map(label => label.trim())
    .filter(Boolean)
  const [maxDown, maxUp] = [limitOf(down) ?? 0, limitOf(up) ?? 0]
  return {
    ...(folder.trim() === '' ? {} : { destination: folder.trim() }),
    ...(list.length === 0 ? {} : { labels: list }),
    ...(paused ? { paused } : {}),
    ...(sequential ? { sequential } : {}),
    ...(forgets ? { watch_and_forget: forgets } : {}),
    ...(hops < 0 ? {} : { anon_hops: hops, safe_seeding: hops > 0 }),
    ...(maxDown === 0 ? {} : { max_download_speed: maxDown }),
    ...(maxUp === 0 ? {} : { max_upload_speed: maxUp }),
  }
}

/** The links of a text, one a line, each once. */
export function linesOf(text: string): string[] {
  return [...new Set(text.split('\n').map(line => line.trim()))].filter(line => line !== '')
}

/** Whether a text that was pasted is meant for the node: links or info hashes, one a line, and nothing else. */
export function areSources(text: string): boolean {
  const lines = linesOf(text)
  return lines.length > 0 && lines.every(line => /^(magnet:\?\S|https?:\/\/\S+$|[0-9a-f]{40}$)/i.test(line))
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

function fromBase32(text: string): string {
  let bits = ''
  for (const char of text.toLowerCase()) bits += BASE32.indexOf(char).toString(2).padStart(5, '0')
  return (bits.match(/.{4}/g) ?? []).map(four => Number.parseInt(four, 2).toString(16)).join('')
}

/** The info hash (v1) that a link names, in hex; '' = it names none. */
export function hashIn(line: string): string {
  if (/^[0-9a-f]{40}$/i.test(line)) return line.toLowerCase()
  const named = /^magnet:\?.*?\bxt=urn:btih:([0-9a-z]+)/i.exec(line.replaceAll(/%3a/gi, ':'))?.[1] ?? ''
  if (/^[0-9a-f]{40}$/i.test(named)) return named.toLowerCase()
  return /^[a-z2-7]{32}$/i.test(named) ? fromBase32(named) : ''
}

/** What a link is called before anything is known of it: the name it brings, else itself. */
export function nameOf(line: string): string {
  if (!/^magnet:\?/i.test(line)) return line
  const name = new URLSearchParams(line.slice('magnet:?'.length)).get('dn')?.trim() ?? ''
  return name === '' ? line : name
}

const MAGNET_ADDRESS = /^#?\/?add\//
/** No link is longer for the node. */
const MAX_LINK = 64 * 1024

/** The magnet link that an address of the dashboard brings (`#/add/<link>`): '' = it is none; null: no such address. */
export function magnetIn(hash: string): string | null {
  if (!MAGNET_ADDRESS.test(hash)) return null
  try {
    const link = decodeURIComponent(hash.replace(MAGNET_ADDRESS, ''))
    return /^magnet:\?/i.test(link) && link.length <= MAX_LINK ? link : ''
  } catch {
    return ''
  }
}

const KEPT = 'tributary.folders'
const MAX_RECENT = 6

/** Folders that were used lately on this device, the last one first. */
export function recentFolders(store: Pick<KeptTexts, 'getItem'>): string[] {
  const kept = readKept(store, KEPT)
  if (!Array.isArray(kept)) return []
  return kept
    .filter((folder): folder is string => typeof folder === 'string' && folder.startsWith('/') && folder.length <= 4096)
    .slice(0, MAX_RECENT)
}

/** Keeps one more. */
export function keepFolder(store: KeptTexts, folder: string): void {
  const others = recentFolders(store).filter(other => other !== folder)
  keep(store, KEPT, [folder, ...others].slice(0, MAX_RECENT))
}

/** A folder in another. */
export function below(folder: string, name: string): string {
  return folder === '/' ? `/${name}` : `${folder}/${name}`
}
