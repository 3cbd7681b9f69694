// Which downloads, and which file of one, a person means: an info hash, its first digits, a number, a name, a part of a
// name that only one has, or by a selector as many as fit.

import type { CoreRoutes, Download, DownloadFile, DownloadFiles } from '../client/core-routes.ts'
import type { ParametersOf } from '../client/routes.ts'
import { CommandError, type NodeClient } from './node-client.ts'
import { printable } from './show.ts'

/** What an argument that means one download may be. */
export const DOWNLOAD = 'info hash, its first digits, or (a part of) the name'
/** What one may be that can mean several. */
export const MANY = `${DOWNLOAD}; many: 'ubuntu*', label:NAME, all`
const LABEL = 'label:'
const WHOLE_HASH = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/i
const HASH_START = /^[0-9a-f]{4,63}$/i
/** Texts up to this length narrow the list that is asked for. */
const MAX_FILTER = 500
/** Shown of several that fit. */
const SHOWN = 5

/** What may be asked for with the list of downloads. */
type Extras = ParametersOf<CoreRoutes, 'GET /downloads'>

/** All downloads. */
export async function allDownloads(node: NodeClient, extras: Extras = {}): Promise<readonly Download[]> {
  return (await node.call('GET /downloads', { parameters: extras })).downloads
}

/**
 * The downloads that are meant, each once. `all` means all, `label:NAME` those with the label, a text with `*` or `?`
 * those whose whole name, or info hash, is like it. CommandError when a text fits none, or one without a selector
 * several.
 */
export async function chosenDownloads(node: NodeClient, texts: readonly string[]): Promise<Download[]> {
  const [only] = texts
  if (only !== undefined && texts.length === 1 && !isSelector(only)) return [await chosenDownload(node, only)]
  const all = await allDownloads(node)
  return [...new Set(texts.flatMap(text => selected(all, text)))]
}

/** Whether a text means as many as fit, and not one. Names of strangers cannot take such a text for themselves. */
export function isSelector(text: string): boolean {
  return text === 'all' || text.startsWith(LABEL) || /[*?]/.test(text)
}

/** Those of `all` that a text means. */
export function selected(all: readonly Download[], text: string): readonly Download[] {
  if (text === 'all') return all
  if (!isSelector(text)) return [chosenOf(all, text)]
  const label = text.startsWith(LABEL) ? text.slice(LABEL.length) : null
  const fitting = all.filter(({ name, infohash, labels }) =>
    label === null ? isLike(name, text) || isLike(infohash, text) : labels.some(one => isLike(one, label)),
  )
  if (fitting.length > 0) return fitting
  throw new CommandError(
    label === null ? `No download is like ${printable(text)}.` : `No download has the label ${printable(label)}.`,
  )
}

/** Whether all of a text fits a pattern: `*` is any run of letters, `?` any one. In time of both lengths at most. */
export function isLike(text: string, pattern: string): boolean {
  const [letters, wanted] = [[...text.toLowerCase()], [...pattern.toLowerCase()]]
  let [at, place, star, from] = [0, 0, -1, 0]
  while (at < letters.length) {
    if (wanted[place] === '*') {
      star = place
      from = at
      place += 1
    } else if (wanted[place] === '?' || wanted[place] === letters[at]) {
      at += 1
      place += 1
    } else {
      if (star === -1) return false
      // The last star takes one letter more.
      from += 1
      at = from
      place = star + 1
    }
  }
  return wanted.slice(place).every(letter => letter === '*')
}

/** The download that is meant. */
export async function chosenDownload(node: NodeClient, text: string, extras: Extras = {}): Promise<Download> {
  return chosenOf(await allDownloads(node, { ...extras, ...narrowedBy(text) }), text)
}

/** Every download that a text may mean, and not many others. */
function narrowedBy(text: string): Extras {
  if (WHOLE_HASH.test(text)) return { infohash: [text] }
  return text === '' || text.length > MAX_FILTER || text.includes('"') ? {} : { filter: `"${text}"` }
}

/** The one of `all` that a text means. */
export function chosenOf(all: readonly Download[], text: string): Download {
  const low = text.toLowerCase()
  const whole = all.find(({ infohash, infohash_v2: v2 }) => infohash === low || v2 === low)
  if (whole !== undefined) return whole
  const named = all.filter(({ name }) => name === text)
  const started = HASH_START.test(text) && !WHOLE_HASH.test(text) ? all.filter(one => one.infohash.startsWith(low)) : []
  const partly = all.filter(({ name }) => name.toLowerCase().includes(low))
  return only([named, started, partly], text, 'download', ({ infohash, name }) => `${infohash.slice(0, 8)} ${name}`)
}

/** Files of a download. */
export function filesOf(node: NodeClient, infohash: string): Promise<DownloadFiles> {
  return node.call('GET /downloads/{infohash}/files', { path: { infohash } })
}

/** The file that a text means: its number, its name or a part of that. */
export function chosenFile(files: readonly DownloadFile[], text: string): DownloadFile {
  const numbered = /^\d{1,6}$/.test(text) ? files.filter(({ index }) => index === Number(text)) : []
  const named = files.filter(({ name }) => name === text || name.endsWith(`/${text}`))
  const partly = files.filter(({ name }) => name.toLowerCase().includes(text.toLowerCase()))
  return only([numbered, named, partly], text, 'file', ({ index, name }) => `${index} ${name}`)
}

/** The only one of the first list that is not empty. */
function only<T>(lists: readonly (readonly T[])[], text: string, kind: string, label: (one: T) => string): T {
  const fitting = lists.find(list => list.length > 0) ?? []
  const [first, ...others] = fitting
  if (first === undefined) throw new CommandError(`There is no ${kind} like ${printable(text)}.`)
  if (others.length === 0) return first
  const shown = fitting.slice(0, SHOWN).map(one => `\n  ${printable(label(one))}`)
  const more = fitting.length > SHOWN ? `\n  and ${fitting.length - SHOWN} more` : ''
  throw new CommandError(`${fitting.length} ${kind}s are like ${printable(text)}:${shown.join('')}${more}`)
}
