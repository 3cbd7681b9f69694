// The event stream's route (spec 4.12 and part 6, decisions part 6); the connection itself is uws/event-stream.ts.

import { eventDocs } from '../../services/events/event-table.ts'
import { route } from '../route.ts'
import { EventsParameters } from '../schemas/core.ts'

const types = Object.entries(eventDocs).map(([type, text]) => `- \`${type}\`: ${text}`)

const description = [
  'Stays open. Each event is one JSON object on a line of its own, with its `type`.',
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
    whileUpgrading: true,
    tag: 'events',
    summary: 'Events as they happen',
    description,
    parameters: EventsParameters,
    reply: null,
    choices: [
      'Objects are `{"id": n, "type": "...", "event": {...}}`; `event` is absent for tribler_started, upgrader_started ' +
        'and upgrader_finished. Keys of `event`: events_start: tribler_started, version; search_result_channel and ' +
        'search_result_torrent: query, result; upgrader_tick and tribler_exception: text; watch_folder_corrupt_torrent: ' +
        'name; new_version_available: version; channel_discovered: name, description, dispersy_cid; torrent_discovered: ' +
        'infohash, name, trackers, files (name and size), dispersy_cid, timestamp; torrent_finished: infohash, name; ' +
        'torrent_error: infohash, error. Extra: torrent_file_changed: infohash, file (its path in the torrent), change ' +
        '(replaced, changed, cut or grown); torrent_file_checked: infohash, file, lost_pieces; seeding_goal_reached: infohash, name, goal (ratio or time); storage_moved: ' +
        'infohash, destination; storage_move_failed: infohash, error; volume_stalled: mount; volume_recovered: mount, seconds; ' +
        'file_set_aside: infohash, path, kept_as; ' +
        'circuit_ready: circuit_id, purpose, goal_hops, skipped; circuit_removed: these, and reason, bytes_up, bytes_down, uptime (seconds).',
      'Of circuits at most 30 events come in a burst and one a minute in the long run; `skipped` says how many did not come ' +
        'since the one before.',
      '`id` (extra) grows; `since` (extra), or the header `Last-Event-ID`, replays what came after that event.',
      'The log keeps 100,000 events or 7 days; what is gone by then is told as `lost` (extra) in events_start.',
      '`downloads` (extra): events of type `downloads_changed` come too. They have no `id` and are not in the log; keys of `event`: ' +
        'downloads (records as in GET /downloads that are new or changed), removed (infohashes), complete (false: more of ' +
        'the same state follows). First comes the whole list, then what changes, at most a second late.',
      'With `Accept: text/event-stream` the same objects come as server-sent events.',
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
  }),
] as const
