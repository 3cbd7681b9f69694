// The pictures of other players in src/docs/watching.md, made by `make pictures`: VLC and Kodi (Debian's packages vlc,
// kodi and xdotool) find a node in a network of their own, and play its film. The argument: the folder. What is not
// installed is said, and its picture stays as it is.

import { needs } from '../../../kit/requirements.ts'
import { KODI, pictureKodi } from './kodi-picture.ts'
import { pictureVlc, VLC } from './vlc-picture.ts'
import { makeWatchedHouse } from './watched-house.ts'

const folder = process.argv[2] ?? ''
const HOUSE = ['netns', 'root', 'ip', 'nsenter', 'curl', 'ffmpeg', 'Xvfb', 'setpriv']

const HERE = [
  { programs: VLC, take: pictureVlc },
  { programs: KODI, take: pictureKodi },
].filter(({ programs }) => {
  const missing = needs(...HOUSE, ...programs)
  if (missing !== false) console.log(`no picture: ${missing}`)
  return missing === false
})
if (HERE.length > 0) {
  const house = await makeWatchedHouse()
  try {
    for (const { programs, take } of HERE) {
      await take(house, folder)
      console.log(`${programs[0]}: taken`)
    }
  } finally {
    await house.stop()
  }
}
