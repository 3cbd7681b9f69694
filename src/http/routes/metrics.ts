// GET /metrics (extra).

import { EXPOSITION_TYPE, expositionText } from '../exposition.ts'
import { route } from '../route.ts'

const metrics = route({
  id: 'metrics.read',
  method: 'GET',
  path: '/metrics',
  kind: 'bytes',
  scope: 'read',
  tag: 'core',
  summary: 'Figures for Prometheus',
  choices: [
    'The whole route is extra: the text format of Prometheus, version 0.0.4. Its `authorization` with `credentials` sends the ' +
      'key as `Authorization: Bearer`. Seconds and bytes; counters begin at 0 with each start.',
  ],
  parameters: null,
  reply: null,
  contentType: 'text/plain',
  errors: [],
  sample: { path: '/metrics', status: 200 },
  run: async ({ services, meter }) => {
    const families = [...(await services.metrics.families()), ...meter.families()]
    return { contentType: EXPOSITION_TYPE, body: Buffer.from(expositionText(families)) }
  },
})

/** Every route of this file. */
export const metricsRoutes = [metrics] as const
