// The text of an M3U playlist. Subtitles of a film, and where it goes on, come before it, as options that VLC reads
// and others ignore as comments. Names come from torrents of strangers: a line of theirs must not become a line of the
// playlist.

/** An entry: a title for people, where it is, and what goes with it. */
export interface PlaylistEntry {
  readonly title: string
  readonly url: string
  readonly sidecarUrls: readonly string[]
  /** Where it goes on, seconds; 0 = at its start. */
  readonly startSec: number
}

/** The first line of every playlist, and its name. */
export function playlistHead(name: string): string {
  return `#EXTM3U\n#PLAYLIST:${oneLine(name)}\n`
}

/** The lines of one entry. Its length is not known: -1. */
export function playlistLines({ title, url, sidecarUrls, startSec }: PlaylistEntry): string {
  const slaves = sidecarUrls.length === 0 ? '' : `#EXTVLCOPT:input-slave=${sidecarUrls.join('#')}\n`
  const start = startSec < 1 ? '' : `#EXTVLCOPT:start-time=${Math.floor(startSec)}\n`
  return `#EXTINF:-1,${oneLine(title)}\n${slaves}${start}${url}\n`
}

/** A text without anything that ends a line or moves a cursor. */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what must go
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ').trim()
}
