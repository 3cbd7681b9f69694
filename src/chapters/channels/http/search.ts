// Routes of searches (extra; decisions parts 6 and 7, decision 0416).

import { routeWith } from '../../../http/route.ts'
import type { ChannelRouteServices } from '../service/route-services.ts'
import { CompletionsReply, QueriedReply, SearchParameters } from './channel-content-schemas.ts'

const route = routeWith<ChannelRouteServices>()

const common = { kind: 'json', method: 'GET', scope: 'read', tag: 'search', parameters: SearchParameters } as const
const ERRORS = ['MissingParameter', 'InvalidParameter', 'NotReady'] as const

const search = route({
  ...common,
  id: 'search.run',
  path: '/search',
  summary: 'Searches channels and torrents',
  choices: [
    'The whole route is extra. It answers at once; results come as the events `search_result_channel` and `search_result_torrent`, each channel and ' +
      'torrent once: first those of this node, then those of a bounded number of peers.',
    'The family filter is applied; setting search_community.enabled says whether peers are asked.',
  ],
  reply: QueriedReply,
  errors: ERRORS,
  sample: { path: '/search', query: 'q=old+films', status: 200 },
  run: async ({ services }, { parameters }) => {
    await services.search.search(parameters.q)
    return { queried: true }
  },
})

const completions = route({
  ...common,
  id: 'search.completions',
  path: '/search/completions',
  summary: 'How the text of a search may go on',
  choices: ['The whole route is extra. Of what this node knows; nobody is asked.'],
  reply: CompletionsReply,
  errors: ERRORS,
  sample: { path: '/search/completions', query: 'q=fil', status: 200 },
  run: async ({ services }, { parameters }) => ({ completions: await services.search.completions(parameters.q) }),
})

/** Every route of this file. */
export const searchRoutes = [search, completions] as const
