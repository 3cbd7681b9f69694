// Links to files, as they stand in what players get: the device they were given to, the download, the file, what
// proves it, and a name, since players look at its ending. Text only.

/** What a link names. */
export interface MediaLink {
  readonly device: string
  /** The download, as ids of objects call it. */
  readonly download: string
  readonly index: number
  readonly token: string
}

const LINK = /^\/media\/([0-9a-f]{12})\/([A-Za-z0-9_-]{16})\/(0|[1-9]\d{0,6})\/([A-Za-z0-9_-]{22})\/[^/]{1,1024}$/
/** Longest name in a link, characters: old players cut longer addresses. */
const MAX_NAME_CHARS = 80

/** The path of a link; `name` is the file's. */
export function linkPath({ device, download, index, token }: MediaLink, name: string): string {
  return `/media/${device}/${download}/${index}/${token}/${pathName(name)}`
}

/** Reads the path of a link; null: it is none. */
export function readLink(path: string): MediaLink | null {
  const [, device, download, index, token] = LINK.exec(path) ?? []
  if (device === undefined || download === undefined || token === undefined) return null
  return { device, download, index: Number(index), token }
}

/** Letters, digits and hyphens, with the ending: what stands there opens nothing. */
function pathName(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1)
  const dot = last.lastIndexOf('.')
  const plain = (text: string): string => text.replace(/[^A-Za-z0-9]+/g, '-').replace(/^-+|-+$/g, '')
  const ending = dot < 0 ? '' : plain(last.slice(dot + 1)).slice(0, 8)
  const stem = plain(dot < 0 ? last : last.slice(0, dot)).slice(0, MAX_NAME_CHARS) || 'file'
  return ending === '' ? stem : `${stem}.${ending}`
}
