// What keeps a browser from playing a film, in words. Pure.

import { text } from '../texts/player.ts'
import type { Trouble } from './playable.ts'

/** In words, with what to do. */
export const troubleTexts: Readonly<Record<Trouble, string>> = {
  format: text('format'),
  picture: text('noPicture'),
  sound: text('noSound'),
  stopped: text('stopped'),
}
