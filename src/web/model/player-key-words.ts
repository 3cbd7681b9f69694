// Keys of the player in words. Pure.

import { text } from '../texts/player.ts'

/** Each key in words, for the page. */
export const keyHelp: readonly (readonly [keys: string, does: string])[] = [
  [text('spaceOrK'), text('keyToggle')],
  ['← →', text('keySeek')],
  ['J L', text('keySeekFar')],
  ['↑ ↓', text('keyVolume')],
  [text('digits'), text('keyPart')],
  ['F', text('keyFullScreen')],
  ['M', text('keyMute')],
  ['C', text('keySubtitles')],
  ['I', text('keySmallWindow')],
  ['N P', text('keyNext')],
  ['< >', text('keySpeed')],
]
