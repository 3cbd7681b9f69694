// What people call encodings of subtitles. Pure.

import { text } from '../../texts/player.ts'

/** An encoding as browsers name it, and what people call it. */
export const encodingNames: readonly (readonly [label: string, name: string])[] = [
  ['utf-8', 'UTF-8'],
  ['utf-16le', 'UTF-16'],
  ['utf-16be', text('utf16be')],
  ['windows-1252', text('western')],
  ['windows-1250', text('central')],
  ['windows-1251', text('cyrillic')],
  ['koi8-r', text('cyrillicKoi8')],
  ['windows-1253', text('greek')],
  ['windows-1254', text('turkish')],
  ['windows-1255', text('hebrew')],
  ['windows-1256', text('arabic')],
  ['windows-1257', text('baltic')],
  ['windows-1258', text('vietnamese')],
  ['gb18030', text('chineseSimplified')],
  ['big5', text('chineseTraditional')],
  ['shift_jis', text('japanese')],
  ['euc-kr', text('korean')],
]
