// What a download that moves is doing, in English.

import { textsOf } from '../../language/texts.ts'

const english = {
  downloading_one: 'Downloading at {{rate}}, connected to {{count, number}} peer.',
  downloading_other: 'Downloading at {{rate}}, connected to {{count, number}} peers.',
  downloadingLeft_one: 'Downloading at {{rate}}, connected to {{count, number}} peer; done in about {{left}}.',
  downloadingLeft_other: 'Downloading at {{rate}}, connected to {{count, number}} peers; done in about {{left}}.',
  seeding_one: 'Complete; seeding at {{rate}}, connected to {{count, number}} peer.',
  seeding_other: 'Complete; seeding at {{rate}}, connected to {{count, number}} peers.',
} as const

/** Its texts by their keys, as translations have them. */
export type DoingTexts = typeof english

/** One of these texts. */
export const text = textsOf('doing', english)
