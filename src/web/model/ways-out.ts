// How a film is handed to another player than the browser: links that start VLC, and a playlist. Pure.

/** What a link can start: VLC of a phone, or nothing but what is set to open playlists. */
export type PlayerHost = 'android' | 'ios' | 'desktop'

/** Which it is, by the user agent of the browser. */
export function playerHost(userAgent: string): PlayerHost {
  if (/Android/i.test(userAgent)) return 'android'
  return /iPhone|iPad|iPod/i.test(userAgent) ? 'ios' : 'desktop'
}

/** A link that opens `url` in VLC of a phone; null where programs are not started by links. `url`: http or https. */
export function vlcLink(url: string, host: PlayerHost): string | null {
  if (!/^https?:\/\//.test(url)) return null
  switch (host) {
    case 'android': {
      const scheme = url.slice(0, url.indexOf(':'))
      const rest = url.slice(scheme.length + 3)
      return `intent://${rest}#Intent;scheme=${scheme};package=org.videolan.vlc;type=video/*;end`
    }
    case 'ios':
      return `vlc-x-callback://x-callback-url/stream?url=${encodeURIComponent(url)}`
    case 'desktop':
      return null
  }
}

/** A playlist of one film. `startSec`: where VLC begins; 0 = at its start. Its length is not known: -1. */
export function playlistOf(name: string, url: string, startSec: number): string {
  const start = startSec > 0 ? `#EXTVLCOPT:start-time=${Math.floor(startSec)}\n` : ''
  return `#EXTM3U\n#EXTINF:-1,${oneLine(name)}\n${start}${url}\n`
}

/** A text without anything that ends a line or moves a cursor: names are those of strangers. */
function oneLine(text: string): string {
  return text
    .slice(0, 300)
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')
    .trim()
}
