// The event stream's route (spec 4.12 and part 6, decisions part 6); the connection itself is uws/event-stream.ts.

import { eventDocs } from '../../services/event-table.ts'
import { route } from '../route.ts'
import { EventsParameters } from '../schemas/core.ts'

const types = Object.entries(eventDocs).map(([type, text]) => `- \`${type}\`: ${text}`)

const description = [
  'Stays open. One JSON object a line: `{"id": n, "type": "...", "event": {...}}`; `event` is absent for some types.',
  'With `Accept: text/event-stream` the same objects come as server-sent events. Every 15 s an empty line (or a comment)',
  'keeps the connection open. `since` (or `Last-Event-ID`) replays what came after that event. Slow readers are cut off.',
  '',
  ...types,
].join('\n')

/** The route of this file. */
export const eventRoutes = [
  route({
    id: 'events.follow',
    method: 'GET',
    path: '/events',
    kind: 'events',
    scope: 'read',
    tag: 'events',
    summary: 'Events as they happen',
    description,
    parameters: EventsParameters,
    reply: null,
    errors: ['InvalidParameter', 'TooManyRequests'],
    sample: { path: '/events', query: 'since=0', status: 200 },
    run: ({ services }, { parameters, lastEventId }) => ({
      events: services.events,
      since: parameters.since ?? (/^[0-9]{1,15}$/.test(lastEventId) ? Number(lastEventId) : null),
    }),
  }),
] as const
