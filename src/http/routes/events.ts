// The event stream's route (spec 4.12 and part 6, decisions part 6); the connection itself is uws/event-stream.ts.

import { type EventDocs, eventDocs } from '../../services/events/event-table.ts'
import { route } from '../route.ts'
import { EventsParameters } from '../schemas/core.ts'

const follow = route({
  id: 'events.follow',
  method: 'GET',
  path: '/events',
  kind: 'events',
  bound: [],
  scope: 'read',
  whileUpgrading: true,
  tag: 'events',
  summary: 'Events as they happen',
  description: 'Stays open. Each event is one JSON object on a line of its own, with its `type`.',
  parameters: EventsParameters,
  reply: null,
  choices: [
    '`id` (extra) grows; `since` (extra), or the header `Last-Event-ID`, replays what came after that event.',
    'The log keeps 100,000 events or 7 days; what is gone by then is told as `lost` (extra) in events_start.',
    '`downloads` (extra): events of type `downloads_changed` come too. They have no `id` and are not in the log; keys of `event`: ' +
      'downloads (records as in GET /downloads that are new or changed), removed (infohashes), complete (false: more of ' +
      'the same state follows). First comes the whole list, then what changes, at most a second late.',
    'With `Accept: text/event-stream` the same objects come as server-sent events.',
    'A key that is bound to a label gets events of its downloads alone, from now on, with numbers of its own; `since` says nothing to it.',
    'Every 15 s an empty line (or a comment) keeps the connection open. A reader that takes nothing ' +
      'for 15 to 30 s while events wait for it is cut off; one that is only slow is served from the log.',
  ],
  errors: ['InvalidParameter', 'TooManyRequests'],
  sample: { path: '/events', query: 'since=0', status: 200 },
  run: ({ services }, { parameters, lastEventId }) => ({
    events: services.events,
    downloads: parameters.downloads === true ? services.downloads : null,
    // A browser that reconnects repeats the address it began with: the header is the newer of the two.
    since: /^[0-9]{1,15}$/.test(lastEventId) ? Number(lastEventId) : (parameters.since ?? null),
  }),
})

/** The route of this file; `chapters`: the events of chapters. */
export function eventRoutes(chapters: readonly EventDocs[]) {
  const all = [eventDocs, ...chapters]
  const types = all.flatMap(({ lines }) => Object.entries(lines).map(([type, text]) => `- \`${type}\`: ${text}`))
  return [
    {
      ...follow,
      description: [follow.description, '', ...types].join('\n'),
      choices: [...all.flatMap(({ notes }) => notes), ...follow.choices],
    },
  ] as const
}
