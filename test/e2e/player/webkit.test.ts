// The player in Debian's WebKitGTK, which decodes by GStreamer: AC-3 too, with its plugin of FFmpeg.

import { startWebKit, WEBKIT } from '../../kit/nodes/webkit.ts'
import { needs } from '../../kit/requirements.ts'
import { playerRows } from './browser-rows.ts'
import { sounds } from './heard.ts'

playerRows({
  name: 'WebKitGTK',
  skip: needs(...WEBKIT, 'ffmpeg'),
  start: startWebKit,
  heard: sounds(330),
  lacksAc3: false,
})
