// A file of announce URLs for new downloads (setting trackers_file): one a line, an empty line begins another tier,
// lines that begin with # are comments. Pure.

import { isTrackerUrl } from './tracker-changes.ts'

/** Of one file. */
const MAX_URLS = 256

/** The tiers in `text`; what is no announce URL is left out. */
export function parseTrackerFile(text: string): string[][] {
  const tiers: string[][] = [[]]
  let count = 0
  for (const line of text.split(/\r?\n/)) {
    const url = line.trim()
    if (url === '') tiers.push([])
    else if (!url.startsWith('#') && isTrackerUrl(url) && count++ < MAX_URLS) tiers.at(-1)?.push(url)
  }
  return tiers.filter(tier => tier.length > 0)
}
