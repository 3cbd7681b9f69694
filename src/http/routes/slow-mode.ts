// Slow mode: the other limits of speed, switched at once (extra, decision 0557).

import { route } from '../route.ts'
import { SlowModeParameters, SlowModeReply } from '../schemas/slow-mode.ts'

const tag = 'slow mode'

const readSlowMode = route({
  id: 'slowmode.read',
  method: 'GET',
  path: '/slowmode',
  kind: 'json',
  scope: 'read',
  tag,
  summary: 'Whether slow mode is on, and its limits',
  choices: [
    'The whole route is extra. While it is on, its limits replace libtorrent.max_download_rate and ' +
      'libtorrent.max_upload_rate; limits of single downloads hold as ever.',
  ],
  parameters: null,
  reply: SlowModeReply,
  errors: [],
  sample: { path: '/slowmode', status: 200 },
  run: ({ services }) => services.slowMode.read(),
})

const changeSlowMode = route({
  id: 'slowmode.change',
  method: 'PATCH',
  path: '/slowmode',
  kind: 'json',
  scope: 'admin',
  tag,
  summary: 'Switches slow mode, or changes its limits',
  choices: [
    'The whole route is extra. What is absent stays. Running transfers follow at once; the settings `slow_mode.*` hold it, so ' +
      'a restart changes nothing. Event `slow_mode_changed` tells of each switch.',
    'The schedule switches it at the borders of its lines; lines that overlap are taken together. A switch by a request holds ' +
      'until the next border. Where summer time begins or ends, the clock of the time zone counts.',
    'What a flag or the environment holds is 409 `StateConflict`.',
  ],
  parameters: SlowModeParameters,
  reply: SlowModeReply,
  errors: ['InvalidParameter', 'InvalidSetting', 'ScopeMissing', 'StateConflict'],
  sample: { path: '/slowmode', body: { enabled: true, max_download_rate: 100_000 }, status: 200 },
  run: ({ services }, { parameters, caller }) => services.slowMode.change(parameters, caller),
})

/** Every route of this file. */
export const slowModeRoutes = [readSlowMode, changeSlowMode] as const
