// The rates of a download as they were (extra, decision 0579).

import { route } from '../route.ts'
import { RatesParameters, RatesReply } from '../schemas/rates.ts'
import { infohashOf, SAMPLE_INFOHASH } from './infohash.ts'

const path = `/downloads/${SAMPLE_INFOHASH}/rates`

const readRates = route({
  id: 'downloads.rates',
  method: 'GET',
  path: '/downloads/{infohash}/rates',
  kind: 'json',
  scope: 'read',
  bound: ['rates'],
  tag: 'downloads',
  summary: 'How fast a download was in the last hour, day or month',
  choices: [
    'The whole route is extra. Averages of 20 seconds for an `hour`, of 10 minutes for a `day`, of 4 hours for a `month` (31 days); ' +
      'zeros where nothing moved or the node did not run. The last number is of a step that may not be over.',
    'Kept beside the download, over restarts too, and gone with it. A node that is killed forgets up to 15 minutes.',
  ],
  parameters: RatesParameters,
  reply: RatesReply,
  errors: ['InvalidParameter', 'DownloadNotFound', 'NotReady'],
  sample: { path, query: 'range=day', status: 200 },
  run: ({ services }, { path: named, parameters: { range = 'hour' } }) => services.rates.of(infohashOf(named), range),
})

/** Every route of this file. */
export const rateRoutes = [readRates] as const
