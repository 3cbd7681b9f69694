// The player in Debian's Firefox, which decodes H.264 by Debian's FFmpeg.

import { FIREFOX, startFirefox } from '../../kit/nodes/firefox.ts'
import { needs } from '../../kit/requirements.ts'
import { playerRows } from './browser-rows.ts'
import { recorded } from './heard.ts'

playerRows({
  name: 'Firefox',
  skip: needs(FIREFOX, 'ffmpeg'),
  start: startFirefox,
  heard: recorded(330),
  lacksAc3: true,
})
