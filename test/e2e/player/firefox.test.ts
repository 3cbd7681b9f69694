// The player in Debian's Firefox, which decodes H.264 by Debian's FFmpeg.

import { FIREFOX, startFirefox } from '../../kit/nodes/firefox.ts'
import { needs } from '../../kit/requirements.ts'
import { playerRows } from './browser-rows.ts'
import { VIDEO } from './heard.ts'

playerRows({
  name: 'Firefox',
  skip: needs(FIREFOX, 'ffmpeg'),
  start: startFirefox,
  // It listens to nothing where there is no sound device, but says whether it decodes sound.
  heard: `${VIDEO}.mozHasAudio === true`,
  lacksAc3: true,
})
